// The book's live figures. NN_name.cpp has a function that lets the engine compute what the reader chose and answers in
// JSON; NN_name.js draws the answer, and computes nothing. Where there is no script, the figure is what the function
// `said` of the printed choices: NN_name.txt, which live_test.cpp compares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor.h"
#include "model/format/json.h"
#include "model/format/json_writer.h"

namespace live {

using model::json_array;
using model::JsonObject;

// What a reader chose, a line each: name=value. The last may be `text`, which has lines of its own.
class Choices {
 public:
  explicit Choices(std::string_view lines) : lines_(lines) {}
  // Empty if it is not there; an Error if it has more than `most` bytes.
  std::string_view text(std::string_view name, std::size_t most = 5'000'000) const;
  // `usual` if it is not there; an Error unless it is a number from low to high.
  double number(std::string_view name, double usual, double low, double high) const;

 private:
  std::string_view lines_;
};

// A line of each file: const live::Figure figure(answer, "the printed choices").
struct Figure {
  using Answer = JsonObject (*)(const Choices&);
  Figure(Answer answer_, const char* printed_, const char* file = __builtin_FILE());
  Answer answer;
  const char* printed;
  std::string name;  // of the file, without .cpp
};
std::vector<const Figure*>& figures();

// The answer of a figure as JSON: `error`, a line, if the engine refused. Empty choices are the printed ones, and are
// then in the answer.
std::string answer(std::string_view figure, std::string_view choices);

// A matrix or vector as rows of numbers; null: not finite, or too large for any picture.
model::JsonText rows(const engine::Tensor& x);
// The words between spaces; an Error if there are none.
std::vector<std::string_view> words(std::string_view text);
// What a function of the page (train/page/page.h) answered; its error is thrown.
model::JsonText of_page(const char* answer);
// From here on the page's model is the reader's; an Error if there is none yet. Or that of chapter 16's printed choices,
// which is trained the first time (16_training.cpp).
void take_model(bool readers);

// The first `width` characters, and spaces behind fewer.
std::string column(std::string_view text, engine::Index width);
// The weights of each head of attention: a line for each row, behind its name.
std::string heads_text(model::Json::Value names, model::Json::Value heads);
// printf, appended.
__attribute__((format(printf, 2, 3))) void print(std::string& to, const char* format, ...);

}  // namespace live
