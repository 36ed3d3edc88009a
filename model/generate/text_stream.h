// Generated text on its way to the reader. A token may end inside a character or inside a stop
// string; such bytes are held back until the next bytes decide whether they are shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace model {

class TextStream {
 public:
  // The text ends before the first occurrence of any of `stops`; empty strings are ignored.
  explicit TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Takes the next bytes; returns what can be shown now. An incomplete UTF-8 sequence at the end,
  // or bytes that may begin a stop string, are held back.
  std::string add(std::string_view bytes);
  // Whether a stop string has occurred; bytes added after it are ignored.
  bool stopped() const { return stopped_; }
  // At the end of the text: returns the bytes held back, without an incomplete UTF-8 sequence.
  std::string flush();

 private:
  std::vector<std::string> stops_;
  std::string pending_;
  bool stopped_ = false;
};

}  // namespace model
