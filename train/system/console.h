// Calls of the operating system about the process: its memory, its standard streams, signals and
// terminal. One source for POSIX, console_posix.cpp, and one for Windows, console_windows.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace train::system {

// From now on, an allocation beyond the control group's limit fails with std::bad_alloc; otherwise
// the kernel would kill the process without a message. Call it after the threads have started,
// since their stacks count.
void limit_memory();

// The peak resident memory of this process so far, in bytes; 0 if unknown.
std::size_t peak_memory();

// The arguments of main as UTF-8.
std::vector<std::string> arguments(int argc, char** argv);
// Opens closed standard descriptors on the null device, so that no file gets their numbers; writing
// to them stays an error. Makes a closed pipe and an exceeded file-size limit errors of write. Line
// ends are not converted, and text on a terminal is UTF-8.
void prepare_streams();
// From now on, calls handler(signal) for SIGINT, SIGTERM, the signal of a closed terminal and a
// batch system's notices; signals that were ignored when the program began stay ignored. The
// handler may do only what signal handlers may.
void handle_signals(void (*handler)(int));
// Whether the signal only announces that time will soon be up (SIGUSR1, SIGUSR2, SIGXCPU); it may
// come several times.
bool is_notice(int signal);
// Ends the process by the signal, as if it were not handled.
void end_by(int signal);
// Ends the process with this status now, also from a signal handler; restores the terminal.
[[noreturn]] void end_now(int status);

extern const std::string_view end_of_input;       // the keys that end input on a terminal
extern const std::string_view makes_utf8;         // of Latin-1: "iconv ... makes it UTF-8"
std::string shell_quotes(std::string_view word);  // in quotes of the system's shells
bool is_terminal(int descriptor);
bool obeys_escapes(int descriptor);  // a terminal where a line can be erased and rewritten
int terminal_width(int descriptor);  // in columns; 0 if unknown

}  // namespace train::system
