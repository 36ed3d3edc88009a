// Notes to the user besides the results, written once all input has been checked: a command that is
// refused writes only its error.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

class Notes {
 public:
  // Joins the parts like `joined`.
  template <class... Parts>
  void add(const Parts&... parts) {
    notes_.push_back(joined(parts...));
  }
  // Writes the notes added since the last call to standard error, one a line.
  void write() {
    for (const std::string& note : std::exchange(notes_, {})) write_line(note);
  }
  const std::vector<std::string>& waiting() const { return notes_; }

 private:
  std::vector<std::string> notes_;
};

}  // namespace train
