// What the program asks of the operating system and standard C++ has no word for: memory, files, the
// process and its terminal. Two sources: system_posix.cpp, system_windows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace model {

// The machine's memory in bytes, or what the process's group may use of it; 0 if unknown.
std::size_t total_memory();

// From now on more memory than the process's group may use is refused, std::bad_alloc, where the kernel
// would end the process without a word. For programs, once their threads are there: stacks count.
void limit_memory();

// The peak resident memory of this process so far, in bytes; 0 if unknown.
std::size_t peak_memory();

namespace system {

// --- files -------------------------------------------------------------------------------------
// The calls return -1 and set errno if they fail. Names of files are UTF-8.

// What is behind a name or a descriptor.
struct Status {
  enum class Kind { file, directory, link, pipe, socket, device };
  Kind kind = Kind::file;
  std::int64_t size = 0;
  std::uint64_t device = 0, number = 0;  // together one file's, by all of its names
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
  new_only = 16,  // EEXIST if it is there; with creating
  no_link = 32,   // ELOOP if the name is a symbolic link's
};
int open(const char* path, int opening, int permissions);
int status(int descriptor, Status& status);
int status_at(const char* path, Status& status);  // of what a link leads to
int status_of_link(const char* path, Status& status);
std::ptrdiff_t read(int descriptor, void* bytes, std::size_t size);
std::ptrdiff_t write(int descriptor, const void* bytes, std::size_t size);
void wait_until_writable(int descriptor);  // after EAGAIN
int truncate(int descriptor, std::int64_t size);
int flush(int descriptor);  // until the bytes are on the disk itself
// For this descriptor alone until it is closed; EWOULDBLOCK: another has it.
int lock(int descriptor);
int close(int descriptor);
int rename(const char* from, const char* to);  // over what is there; then flush the directory
int unlink(const char* path);
int make_directory(const char* path);
int remove_directory(const char* path);                    // an empty one
void set_permissions(int descriptor, const Status& like);  // and the group
std::string link_target(const std::string& path);  // where a symbolic link leads; "" after an error
std::string path_of(int descriptor);  // where the file is now, or was when it was removed; or ""

std::string message(int error);                   // of an errno
extern const std::string_view separators;         // between the names of a path
std::string shell_quotes(std::string_view word);  // in quotes of the system's shells

// --- the process -------------------------------------------------------------------------------

// What main got, as UTF-8.
std::vector<std::string> arguments(int argc, char** argv);
// Opens closed standard descriptors on the null device, so that no file gets their numbers; writing to
// them stays an error. A closed pipe and a file beyond its limit become errors of write. Text is
// neither read nor written with other ends of lines, and is UTF-8 on a terminal.
void prepare_streams();
// Calls handler(signal) for SIGINT, SIGTERM, what a closed terminal sends and a batch system's notices,
// from now on; those that were ignored when the program began stay ignored. The handler may do what a
// signal handler may.
void handle_signals(void (*handler)(int));
// Whether it only says that time will soon be up (SIGUSR1, SIGUSR2, SIGXCPU), maybe again and again.
bool is_notice(int signal);
// Ends the process by the signal, as if nobody handled it.
void end_by(int signal);
// Ends it with this status now, from a signal handler too; the terminal is as it was.
[[noreturn]] void end_now(int status);

extern const std::string_view end_of_input;  // the keys that end it on a terminal
extern const std::string_view makes_utf8;    // of Latin-1: "iconv ... makes it UTF-8"
bool is_terminal(int descriptor);
bool obeys_escapes(int descriptor);  // a terminal where a line can be erased and written anew
int terminal_width(int descriptor);  // in columns; 0 if it does not say

}  // namespace system
}  // namespace model
