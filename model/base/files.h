// Files, on top of system.h; the only place where files are opened, except for Linux's files about
// the system. A file is read whole. Writing replaces a file completely and durably, or not at all.
//
// Errors are a SystemError, `PATH: cannot WHAT: the system's reason`, or an Error for a
// file of the wrong kind or size: `notes: is a directory, expected a file`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/storage.h"
#include "model/base/path.h"
#include "model/base/system.h"
#include "model/base/words.h"

namespace model {

using system::Status;

class SystemError : public Error {
 public:
  SystemError(std::string_view path, std::string_view what, int code);
  int code() const { return code_; }  // an errno

 private:
  int code_;
};

// Returns read(). Its errors get `where` before their message, except SystemError, which names its
// file, and OutOfMemory, which is not caused by the contents.
auto within(auto read, const auto&... where) {
  try {
    return read();
  } catch (const SystemError&) {
    throw;
  } catch (const engine::pool::OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    fail(where..., ": ", error.what());
  }
}

// The machine's memory in bytes: the limit for files where no smaller one applies.
std::int64_t max_file_size();

// Reads a regular file of at most `limit` bytes. More bytes, a pipe, device, socket or directory
// are an Error. A file that does not report its size (in /proc) is read to its end.
std::string read_file(const std::string& path, std::int64_t limit);

// The bytes of a large file, in memory from the engine's pool, which uses large pages; not set to
// zero first. (A std::vector with an allocator would visit every byte once more to destroy it.)
class FileBytes {
 public:
  char* data() const { return memory_ ? memory_->data() : nullptr; }
  std::size_t size() const { return memory_ ? size_ : 0; }
  char* begin() const { return data(); }
  char* end() const { return data() + size(); }
  void resize(std::size_t size);  // keeps the bytes below `size`; new ones are not set

 private:
  std::unique_ptr<engine::Scratch<char>> memory_;
  std::size_t size_ = 0;  // at most that of the memory
};

// Checks the first bytes of a file of `size` bytes before the rest is read; throws Error, without
// the path, if they are wrong. Returns how many bytes it needs, and is called again until it has
// them.
using Look = std::function<std::size_t(std::string_view first, std::int64_t size)>;

// read_file for large files. The memory, when freed, stays in the pool until pool::trim.
FileBytes read_large_file(const std::string& path, std::int64_t limit, const Look& look = {});
inline std::string_view view(const FileBytes& bytes) { return {bytes.data(), bytes.size()}; }

// The status of what is at the path (of a link's target); none if nothing is there.
std::optional<Status> status_at(const std::string& path);
Status status_of(const std::string& path);  // an error if nothing is there
std::int64_t file_size(const std::string& path);
// Throws Error if this is no regular file.
void check_regular(const std::string& path, const Status& status);

// Replaces or creates the file; its contents are the pieces. They are written to a temporary file
// of this process (temporary.h), which is renamed to PATH when every byte is on the disk. After an
// error, or a kill at any moment, PATH is the old file or the new one, never a mixture, even if
// several processes write it. An existing file keeps its permissions; a new one takes those of the
// file at `like`, if there is one. A symbolic link at PATH is replaced, not followed. may_replace
// is asked when the temporary file is written; if it says no, that is removed, and a SystemError
// says that PATH is not there: its directory may be another's by now.
void replace_file(
    const std::string& path, std::span<const std::string_view> pieces, const std::string& like = {},
    const std::function<bool()>& may_replace = [] { return true; });
// The same for a path that a user names: if PATH is a symbolic link, its target is replaced. An
// error if a directory, a device or a pipe is there.
void write_file(const std::string& path, std::span<const std::string_view> pieces);

bool file_exists(const std::string& path);   // of any kind; a link that leads nowhere is none
bool is_link(const std::string& path);       // a symbolic link, whether or not it leads anywhere
bool is_directory(const std::string& path);  // false if nothing is there
void remove_file(const std::string& path);   // if it is there
bool remove_all(const std::string& path);  // a directory with all that is in it; false if it fails

// An open file.
class Descriptor {
 public:
  // opening: of system::Opening. Errors begin with `name`.
  Descriptor(const std::string& path, int opening, const std::string& name);
  // Takes over an open descriptor; the destructor closes it.
  Descriptor(int descriptor, const std::string& name) : name_(name), descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  Status status() const;
  std::size_t read(char* bytes, std::size_t size) const;  // 0: the end
  void write(std::string_view bytes) const;
  void flush() const;  // until it is on the disk, where the file system has that
  void truncate(std::int64_t size) const;
  bool is_at(const std::string& path) const noexcept;  // whether the path names this file

  // Locks the file for this process alone. `none`: some file systems have no locks (Lustre, NFS
  // without its lock daemon, some FUSE mounts).
  enum class Lock { taken, of_another, none };
  Lock lock() const;

 private:
  std::string name_;
  int descriptor_;
};

}  // namespace model
