// What surrounds the program: its standard streams, its signals, its terminal (POSIX).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace train {

// To be called first. A standard descriptor that is closed is opened on /dev/null, so that no file
// ever gets its number and, with it, what was meant for a stream; a closed pipe and a full quota
// become errors of write instead of signals.
void prepare_process();

// To standard output, at once. False if its reader has gone (a closed pipe); other failures are a
// SystemError: `standard output: cannot write: No space left on device`.
[[nodiscard]] bool write_output(std::string_view bytes);

// Text that comes from a file or a model, fit for standard output: on a terminal, which would obey
// them, control characters other than line feed and tab are escaped; elsewhere it stays as it is.
std::string safe_for_output(std::string_view text);

// To standard error. Where nobody listens, nothing is said.
void write_message(std::string_view bytes);
// One line, whatever the names in it hold: what is not printable is escaped.
void write_line(std::string_view line);

// All of standard input. Errors, of its lines too, begin with `standard input: `.
std::string read_input(std::size_t limit);

// Standard input line by line, without the lines' ends.
class InputLines {
 public:
  explicit InputLines(std::size_t longest) : longest_(longest) {}
  std::optional<std::string> next();  // none at the end of input

 private:
  std::size_t longest_;
  std::string ahead_;  // what was read beyond the last line
};

bool is_terminal(int descriptor);
int terminal_width();  // columns of the terminal behind standard error; 80 if it does not say

// From now on the first SIGINT, SIGTERM or SIGHUP is only remembered, for the program to end in
// order; the second one ends it at once, with status 128 + its number. A SIGHUP that was ignored when
// the program began, as under nohup, stays ignored.
void catch_signals();
int caught_signal();  // 0 until then

}  // namespace train
