// Calls of the operating system that standard C++ lacks, for memory and files. One source for
// POSIX, system_posix.cpp, and one for Windows, system_windows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace model {

// The machine's memory in bytes, or the limit of the process's control group; 0 if unknown.
std::size_t total_memory();

namespace system {

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

// How a file is opened: one of the first four, with any of the rest. Never waits for the other end
// of a pipe.
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

std::string message(int error);            // of an errno
extern const std::string_view separators;  // between the names of a path

}  // namespace system
}  // namespace model
