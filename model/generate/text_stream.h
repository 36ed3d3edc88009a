// Text on its way from tokens to the reader: it comes in pieces that may end within a character,
// or within a string at which the text shall stop, and goes on as soon as it is clear that it can.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace model {

class TextStream {
 public:
  // The text ends before the first occurrence of any of `stops`; an empty one never occurs.
  explicit TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // Takes the next bytes; returns what can be shown now: all but the beginning of a UTF-8 sequence
  // or of a stop string at the end.
  std::string add(std::string_view bytes);
  // Whether a stop string has occurred; what is added then is ignored.
  bool stopped() const { return stopped_; }
  // The text ends here: what was held back because it might have become a stop string. A sequence
  // that is not complete stays back.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  std::string pending_;
  bool stopped_ = false;
};

}  // namespace model
