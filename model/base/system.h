// Calls of the operating system that standard C++ lacks: memory, files, the process and its
// terminal. One source for POSIX, system_posix.cpp, and one for Windows, system_windows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace model {

// The machine's memory in bytes, or the limit of the process's control group; 0 if unknown.
std::size_t total_memory();

// From now on, an allocation beyond the control group's limit fails with std::bad_alloc; otherwise
// the kernel would kill the process without a message. Call it after the threads have started,
// since their stacks count.
void limit_memory();

// The peak resident memory of this process so far, in bytes; 0 if unknown.
std::size_t peak_memory();

namespace system {

// --- files -------------------------------------------------------------------------------------
// The calls return -1 and set errno if they fail. File names are UTF-8.

// What a name or a descriptor refers to.
struct Status {
  enum class Kind { file, directory, link, pipe, socket, device };
  Kind kind = Kind::file;
  std::int64_t size = 0;
  std::uint64_t device = 0, number = 0;  // together they identify a file under all its names
  int permissions = 0;                   // POSIX's nine bits, and the group
  unsigned group = 0;
};

// How a file is opened: one of the first four, with any of the rest. Never waits for the other end of
// a pipe.
enum Opening : int {
  reading = 0,
  writing = 1,
  appending = 2,
  directory = 4,  // reading one, to lock or flush it
  creating = 8,   // if it is missing
  new_only = 16,  // EEXIST if it exists; with creating
  no_link = 32,   // ELOOP if the name is a symbolic link
};
int open(const char* path, int opening, int permissions);
int status(int descriptor, Status& status);
int status_at(const char* path, Status& status);  // of a link's target
int status_of_link(const char* path, Status& status);
std::ptrdiff_t read(int descriptor, void* bytes, std::size_t size);
std::ptrdiff_t write(int descriptor, const void* bytes, std::size_t size);
void wait_until_writable(int descriptor);  // after EAGAIN
int truncate(int descriptor, std::int64_t size);
int flush(int descriptor);  // until the bytes are on the disk itself
// Locks the file for this descriptor alone until it is closed; EWOULDBLOCK: it is locked already.
int lock(int descriptor);
int close(int descriptor);
int rename(const char* from, const char* to);  // replaces what is there; then flush the directory
int unlink(const char* path);
int make_directory(const char* path);
int remove_directory(const char* path);                    // an empty one
void set_permissions(int descriptor, const Status& like);  // and the group
std::string link_target(const std::string& path);  // where a symbolic link leads; "" after an error

std::string message(int error);                   // of an errno
extern const std::string_view separators;         // between the names of a path
std::string shell_quotes(std::string_view word);  // in quotes of the system's shells

// --- the process -------------------------------------------------------------------------------

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

extern const std::string_view end_of_input;  // the keys that end input on a terminal
extern const std::string_view makes_utf8;    // of Latin-1: "iconv ... makes it UTF-8"
bool is_terminal(int descriptor);
bool obeys_escapes(int descriptor);  // a terminal where a line can be erased and rewritten
int terminal_width(int descriptor);  // in columns; 0 if unknown

}  // namespace system
}  // namespace model
