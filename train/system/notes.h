// What the user should be told beside the results, once everything is known to be right: a command that
// is refused writes its error alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

class Notes {
 public:
  // As joined.
  template <class... Parts>
  void add(const Parts&... parts) {
    notes_.push_back(joined(parts...));
  }
  // Those that were added since the last time, a line each, to standard error.
  void write() {
    for (const std::string& note : std::exchange(notes_, {})) write_line(note);
  }
  const std::vector<std::string>& waiting() const { return notes_; }

 private:
  std::vector<std::string> notes_;
};

}  // namespace train
