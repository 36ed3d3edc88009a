// The process: its standard streams, its signals, its terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace train {

// Call this first. Closed standard descriptors are opened, so that no file can get their numbers
// and receive what is written to a stream; writing to them is an error as before. A closed pipe and
// an exceeded file-size limit become errors of write instead of signals. SIGINT, SIGTERM, SIGHUP
// and the notices of batch systems, SIGUSR1, SIGUSR2 and SIGXCPU (on Windows Ctrl-C, Ctrl-Break and
// closing the console) remove unfinished files (model/base/unfinished.h) and end the program;
// signals that were ignored when it began stay ignored.
void prepare_process();

// Writes to standard output, unbuffered. Returns false if the pipe is closed; other failures are a
// SystemError: `standard output: cannot write: No space left on device`.
[[nodiscard]] bool write_output(std::string_view bytes);
// Throws that failure now, if standard output was closed when the program began.
void check_output();

// Makes text from a file or a model safe for standard output: a terminal would execute control
// characters, so for a terminal all of them except line feed and tab are escaped, and carriage
// returns before line feeds are left out; otherwise the text is unchanged.
std::string safe_for_output(std::string_view text);

// Writes to standard error. Failures are ignored.
void write_message(std::string_view bytes);
// Writes one line to standard error; control characters and line feeds in it are escaped. A
// terminal gets it wrapped at words; a log or a pipe gets the whole line.
void write_line(std::string_view line);

// All of standard input. Errors, also those of InputLines, begin with `standard input: `.
std::string read_input(std::size_t limit);

// Standard input line by line, without the lines' ends.
class InputLines {
 public:
  explicit InputLines(std::size_t max_line_bytes) : max_bytes_(max_line_bytes) {}
  std::optional<std::string> next();  // none at the end of input

 private:
  std::size_t max_bytes_;
  std::string ahead_;  // what was read beyond the last line
};

bool is_terminal(int descriptor);
// Whether standard error is a terminal where a line can be erased and rewritten: not if TERM is
// dumb or missing.
bool has_live_line();
int terminal_width();  // columns of the terminal behind standard error; 80 if it does not say

// From now on the first of these signals is only recorded, and answered at once by a line on
// standard error, so that the program can save and exit. A second one, unless it is a notice,
// writes the last words there and ends the program at once, with status 128 + its number. Signals
// that were ignored when the program began, like SIGHUP under nohup, stay ignored. A call after
// ignore_signals starts over.
void catch_signals(std::string_view answer, std::string_view last_words);
int caught_signal();  // 0 until then
// From now on signals are ignored, since everything is saved and the program is about to say so and
// end. Returns false if a second signal came first.
bool ignore_signals();

}  // namespace train
