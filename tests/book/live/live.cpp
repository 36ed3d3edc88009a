#include "tests/book/live/live.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/number.h"
#include "model/base/text.h"
#include "model/base/utf8.h"

namespace live {

std::string_view Choices::text(std::string_view name, std::size_t most) const {
  for (std::string_view rest = lines_; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool is_text = rest.starts_with("text=");
    if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) {
      const std::string_view value = (is_text ? rest : line).substr(name.size() + 1);
      engine::check(value.size() <= most, name, ": more than ", most,
                    " bytes are too many for a picture");
      return value;
    }
    if (is_text) break;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return {};
}

double Choices::number(std::string_view name, double usual, double low, double high) const {
  const std::string_view value = text(name);
  if (value.empty()) return usual;
  double number = 0;
  engine::check(
      engine::parse_number(value, number) == engine::Parsed::ok && number >= low && number <= high,
      name, ": ", model::in_quotes(value), ", expected a number from ", low, " to ", high);
  return number;
}

std::vector<const Figure*>& figures() {
  static std::vector<const Figure*> all;
  return all;
}

Figure::Figure(Answer answer_, const char* printed_, const char* file)
    : answer(answer_), printed(printed_), name(file) {
  name = name.substr(name.rfind('/') + 1);
  name.resize(name.rfind('.'));
  figures().push_back(this);
}

std::string answer(std::string_view name, std::string_view choices) try {
  for (const Figure* figure : figures())
    if (figure->name == name) {
      JsonObject made = figure->answer(Choices(choices.empty() ? figure->printed : choices));
      if (choices.empty()) made.add("choices", figure->printed);
      return made.text();
    }
  engine::fail("There is no figure ", model::in_quotes(name));
} catch (const std::exception& error) {
  return JsonObject().add("error", model::printable(error.what(), 300)).text();
}

model::JsonText rows(const engine::Tensor& x) {
  const engine::Index cols = x.shape().cols();
  return json_array(x.shape().rows(), [&](engine::Index i) {
    return json_array(cols, [&, i](engine::Index j) {
      const double value = double(x.data()[i * cols + j]);
      return std::fabs(value) < 1e15 ? value : std::numeric_limits<double>::quiet_NaN();
    });
  });
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0, end = 0; (at = text.find_first_not_of(" \t\r\n", end)) != text.npos;) {
    end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    found.push_back(text.substr(at, end - at));
  }
  engine::check(!found.empty(), "text: there is no word in it");
  return found;
}

model::JsonText of_page(const char* answer) {
  const model::Json json(answer);
  if (const auto error = json.root().find("error")) engine::fail(error->string());
  return {answer};
}

std::string column(std::string_view text, engine::Index width) {
  std::string cell(text.substr(0, model::first_characters(text, width)));
  return cell.append(engine::unsigned_size(width - model::count_characters(cell)), ' ');
}

std::string heads_text(model::Json::Value names, model::Json::Value heads) {
  std::string text;
  int number = 0;
  for (const auto& rows : heads.elements()) {
    print(text, "  the weights of head %d\n", ++number);
    auto name = names.elements().begin();
    for (const auto& row : rows.elements()) {
      text += "  " + column(model::printable((*name).string()), 10);
      for (const auto& weight : row.elements()) print(text, " %5.2f", weight.number());
      text += "\n";
      ++name;
    }
  }
  return text;
}

void print(std::string& to, const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  to += line;
}

}  // namespace live

// What the worker calls: the figure's name, a line feed, the choices. The text stays valid until the next call.
extern "C" __attribute__((used)) const char* figure(const char* request, int size) {
  static std::string answer;
  const std::string_view text(request, static_cast<std::size_t>(size));
  const std::size_t end = std::min(text.find('\n'), text.size());
  answer = live::answer(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  return answer.c_str();
}
