// Runs the built program as a user would, in a directory of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/program/result.h"
#include "tests/temporary.h"
#if __has_include(<sys/wait.h>)
#include "tests/program/running_posix.h"
#else
#include "tests/program/running_windows.h"
#endif

namespace program {

// A directory that is empty at first and gone at last, and the program run inside it.
class Sandbox {
 public:
  Sandbox();
  Sandbox(const Sandbox&) = delete;

  std::filesystem::path operator/(const std::string& name) const;
  const std::filesystem::path& binary() const { return binary_; }
  // The program with these words in a directory of the sandbox, without a shell.
  Running start(std::vector<std::string> words, const std::filesystem::path& here,
                const std::filesystem::path& input) const;
  // `gradus arguments`, as a shell reads them. Its proposals are checked (proposals.h).
  Result gradus(const std::string& arguments) const;
  // The same, which must end with status 0.
  Result done(const std::string& arguments) const;
  // The same, interrupted when it has said this: it saves, and ends with status 130.
  Result interrupted(const std::string& arguments, const std::string& after) const;
  // A line for the shell, where "$GRADUS" is the program.
  Result shell(const std::string& line) const;
  Result shell_done(const std::string& line) const;  // which must end with status 0
  // `gradus arguments`, to be sent signals. (A shell lets what it runs in the background ignore
  // SIGINT.)
  Running start(const std::string& arguments) const;

 private:
  TemporaryDirectory directory_;
  std::filesystem::path binary_;
};

// Sentences that all differ, a line each.
std::string tale(int sentences = 60);

// A sandbox with such a text.
struct WithTale : Sandbox {
  explicit WithTale(int sentences = 60) { write(*this / "tale.txt", tale(sentences)); }
};

// What stands behind the first `before` of a text, which must be there, up to `after` or the end.
std::string between(const std::string& text, const std::string& before, const std::string& after);
// The number there, its commas left out.
double number_after(const std::string& text, const std::string& what);
// The losses of n-grams, a space between them, of what eval printed.
std::string ngrams_of(const std::string& eval);

// Two runs of one sandbox left the same bytes.
void check_same_run(const Sandbox& box, const std::string& one, const std::string& other);

// An error in one line that says this.
void check_refused(const Result& result, const std::string& says, int status = 1);

}  // namespace program
