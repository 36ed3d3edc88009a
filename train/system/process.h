// The process: its standard streams, its signals, its terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace train {

// To be called first. Closed standard descriptors are opened, so that no file can get their numbers and
// with them what is written to a stream; writing to them is an error as before. A closed pipe and an
// exceeded file-size limit become errors of write instead of signals. SIGINT, SIGTERM, SIGHUP and the
// notices of batch systems, SIGUSR1, SIGUSR2 and SIGXCPU (on Windows Ctrl-C, Ctrl-Break and a console
// that is closed) remove what is unfinished (model/base/unfinished.h) and end the program; those that
// were ignored when it began stay ignored.
void prepare_process();

// Writes to standard output, unbuffered. Returns false if the pipe is closed; other failures are a
// SystemError: `standard output: cannot write: No space left on device`.
[[nodiscard]] bool write_output(std::string_view bytes);
// That failure now, if standard output was closed when the program began.
void check_output();

// Makes text from a file or a model safe for standard output: if that is a terminal, which would
// execute control characters, all of them but line feed and tab are escaped, and carriage returns,
// which end lines together with line feeds, are left out; otherwise the text is unchanged.
std::string safe_for_output(std::string_view text);

// Writes to standard error. Failures are ignored.
void write_message(std::string_view bytes);
// Writes one line to standard error; control characters and line feeds in it are escaped. A terminal
// gets it wrapped at words; a log or a pipe gets the whole line.
void write_line(std::string_view line);

// All of standard input. Errors, of its lines too, begin with `standard input: `.
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
// Whether standard error is a terminal where a line can be erased and written anew: not if TERM is
// dumb or missing.
bool has_live_line();
int terminal_width();  // columns of the terminal behind standard error; 80 if it does not say

// From now on the first of these signals is only recorded, and answered at once by a line on standard
// error, so that the program can save and exit; a second one, unless it is a notice, writes the last
// words there and ends the program at once, with status 128 + its number. Those that were ignored when
// the program began, as SIGHUP is under nohup, stay ignored. Again after ignore_signals: from the start.
void catch_signals(std::string_view answer, std::string_view last_words);
int caught_signal();  // 0 until then
// From now on signals are ignored: all is saved, and the program is about to say so and to end.
// False: it is not, since a second signal has come first.
bool ignore_signals();

}  // namespace train
