#include "train/system/process.h"

#include <atomic>
#include <cerrno>
#include <span>
#include <utility>

#include "model/base/files.h"
#include "model/base/system_calls.h"
#include "model/base/unfinished.h"
#include "model/base/utf8.h"
#include "train/system/console.h"
#include "train/system/words.h"

namespace train {

namespace {

constexpr int standard_input = 0, standard_output = 1, standard_error = 2;

constinit std::atomic<int> signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait");

constinit std::atomic<bool> is_ending = false;  // the last line is being written
static_assert(std::atomic<bool>::is_always_lock_free);

// The lines for the first and the second signal, made in advance, since a signal handler must not
// allocate.
constinit char first_line[512] = {}, last_line[8192] = {};

void remember(int signal) {
  int none = 0;
  if (signal_number.compare_exchange_strong(none, signal)) {
    const int error = errno;
    if (!is_ending) model::write_all(standard_error, first_line);
    errno = error;
  } else if (!system::is_notice(signal) && !is_ending.exchange(true)) {
    model::remove_unfinished();
    model::write_all(standard_error, last_line);
    system::end_now(128 + signal);
  }
}

// Erases the live line, and writes the words below it.
void set_line(std::span<char> line, std::string_view words) {
  const std::size_t room = line.size() / 4 - 8;  // an escaped byte takes four
  const std::string text =
      (has_live_line() ? "\r\033[K" : "") + wrapped(printable(words, room), words.npos) + '\n';
  line[words.empty() ? 0 : text.copy(line.data(), line.size() - 1)] = '\0';
}

// Ends the program by the signal, as if it were not handled.
void end(int signal) {
  model::remove_unfinished();
  system::end_by(signal);
}

}  // namespace

void prepare_process() {
  system::prepare_streams();
  system::handle_signals(end);
}

bool write_output(std::string_view bytes) {
  const int code = model::write_all(standard_output, bytes);
  if (code != 0 && code != EPIPE) throw model::SystemError("standard output", "write", code);
  return code == 0;
}

void check_output() {
  if (model::system_calls.write(standard_output, "", 0) == -1 && errno == EBADF)
    throw model::SystemError("standard output", "write", EBADF);
}

std::string safe_for_output(std::string_view text) {
  if (!is_terminal(standard_output)) return std::string(text);
  std::string lines(text);
  std::erase(lines, '\r');
  return model::printable_lines(lines);
}

namespace {

// Appends the next bytes of standard input; returns false at its end.
bool read_more(std::string& bytes) {
  char buffer[1 << 16];
  std::ptrdiff_t size = 0;
  do size = model::system_calls.read(standard_input, buffer, sizeof buffer);
  while (size == -1 && errno == EINTR);
  if (size == -1) throw model::SystemError("standard input", "read", errno);
  bytes.append(buffer, static_cast<std::size_t>(size));
  return size > 0;
}

void check_length(std::size_t bytes, std::size_t limit, std::string_view what) {
  check(bytes <= limit, "standard input: ", what, " of more than ", limit, " bytes");
}

}  // namespace

std::string read_input(std::size_t limit) {
  std::string bytes;
  while (read_more(bytes)) check_length(bytes.size(), limit, "a text");
  return bytes;
}

std::optional<std::string> InputLines::next() {
  std::size_t end = ahead_.find('\n');
  while (end == std::string::npos) {
    const std::size_t searched = ahead_.size();
    if (!read_more(ahead_)) {
      if (ahead_.empty()) return std::nullopt;
      return std::exchange(ahead_, {});
    }
    check_length(searched, max_bytes_, "a line");
    end = ahead_.find('\n', searched);
  }
  std::string line = ahead_.substr(0, end);
  ahead_.erase(0, end + 1);
  return line;
}

void write_message(std::string_view bytes) { model::write_all(standard_error, bytes); }

void write_line(std::string_view line) {
  const std::size_t columns = is_terminal(standard_error)
                                  ? static_cast<std::size_t>(terminal_width())
                                  : std::string_view::npos;
  write_message(wrapped(printable(line, line.npos), columns) + '\n');
}

bool is_terminal(int descriptor) { return system::is_terminal(descriptor); }

bool has_live_line() { return system::obeys_escapes(standard_error); }

int terminal_width() {
  const int columns = system::terminal_width(standard_error);
  return columns > 0 ? columns : 80;
}

void catch_signals(std::string_view answer, std::string_view last_words) {
  set_line(first_line, answer);
  set_line(last_line, last_words);
  is_ending = false;
  system::handle_signals(remember);
}

int caught_signal() { return signal_number; }

bool ignore_signals() { return !is_ending.exchange(true); }

}  // namespace train
