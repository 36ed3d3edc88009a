#include "model/base/files.h"

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <system_error>

#include "engine/base/system.h"
#include "model/base/system_calls.h"
#include "model/base/temporary.h"
#include "model/base/utf8.h"

namespace model {

using engine::Scratch;
using engine::total_memory;

constinit SystemCalls system_calls;

namespace {

const char* kind_of(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return "a directory";
  if (S_ISFIFO(status.st_mode)) return "a pipe";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  return "a device";
}

void check_regular(const std::string& path, const struct stat& status) {
  check(S_ISREG(status.st_mode), printable(path), ": is ", kind_of(status), ", expected a file");
}

// O_NONBLOCK: if the name is a pipe's, open fails instead of waiting for the other end.
constexpr int append_flags = O_WRONLY | O_APPEND | O_NONBLOCK;

}  // namespace

SystemError::SystemError(std::string_view path, std::string_view what, int code)
    : Error(
          joined(printable(path), ": cannot ", what, ": ", std::generic_category().message(code))),
      code_(code) {}

Descriptor::Descriptor(const std::string& path, int flags, const std::string& name)
    : name_(name), descriptor_(uninterrupted([&] {
        return system_calls.open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
      })) {
  if (descriptor_ == -1) throw SystemError(name_, flags & O_CREAT ? "create" : "open", errno);
}

Descriptor::~Descriptor() {
  if (descriptor_ != -1) system_calls.close(descriptor_);
}

struct stat Descriptor::status() const {
  struct stat status {};
  if (system_calls.fstat(descriptor_, &status) == -1) throw SystemError(name_, "examine", errno);
  return status;
}

std::size_t Descriptor::read(char* bytes, std::size_t size) const {
  const ssize_t got = uninterrupted([&] { return system_calls.read(descriptor_, bytes, size); });
  if (got == -1) throw SystemError(name_, "read", errno);
  return static_cast<std::size_t>(got);
}

void Descriptor::write(std::string_view bytes) const {
  if (const int code = write_all(descriptor_, bytes)) throw SystemError(name_, "write", code);
}

void Descriptor::flush() const {
  const int result = uninterrupted([&] { return system_calls.fsync(descriptor_); });
  // Some file systems cannot flush, or not directories: there is nothing to be done about it.
  const bool has_none =
      errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EOPNOTSUPP;
  if (result == -1 && !has_none) throw SystemError(name_, "flush to disk", errno);
}

void Descriptor::truncate(std::int64_t size) const {
  if (uninterrupted(
          [&] { return system_calls.ftruncate(descriptor_, static_cast<off_t>(size)); }) == -1)
    throw SystemError(name_, "truncate", errno);
}

bool Descriptor::is_at(const std::string& path) const {
  struct stat there {};
  const struct stat here = status();
  return stat(path.c_str(), &there) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}

Descriptor::Lock Descriptor::lock() const {
  const int result =
      uninterrupted([&] { return system_calls.flock(descriptor_, LOCK_EX | LOCK_NB); });
  if (result == 0) return Lock::taken;
  return errno == EWOULDBLOCK ? Lock::of_another : Lock::none;
}

int flush_to_disk(int descriptor) {
#ifdef F_FULLFSYNC
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;  // else the file system does not have it
#endif
  return fsync(descriptor);
}

int write_all(int descriptor, std::string_view bytes) {
  constexpr std::size_t max_piece = 1 << 30;  // some systems refuse 2 GiB and more
  while (!bytes.empty()) {
    const ssize_t written =
        system_calls.write(descriptor, bytes.data(), std::min(bytes.size(), max_piece));
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return EIO;  // should not happen, and must not be an endless loop
    } else if (errno == EAGAIN) {
      // The terminal or pipe was made non-blocking by another process, and is full at the moment.
      pollfd ready = {descriptor, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::int64_t max_file_size() {
  const auto memory = static_cast<std::int64_t>(total_memory());
  return memory > 0 ? memory : std::numeric_limits<std::int64_t>::max();
}

namespace {

// Reads the first bytes of the file, as many as `look` needs.
std::string first_bytes(const Descriptor& file, const std::string& path, std::int64_t file_size,
                        const Look& look) {
  const auto wanted = [&](std::string_view first) {
    try {
      return look(first, file_size);
    } catch (const Error& error) {
      fail(printable(path), ": ", error.what());
    }
  };
  std::string first;
  while (const std::size_t all = wanted(first)) {
    std::size_t size = first.size();
    if (all <= size) break;
    first.resize(all);
    while (const std::size_t got = file.read(first.data() + size, all - size)) size += got;
    first.resize(size);
    if (size < all) break;
  }
  return first;
}

template <class Bytes>
Bytes read_whole(const std::string& path, std::int64_t limit, const Look& look = {}) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK, path);
  const struct stat status = file.status();
  check_regular(path, status);
  const auto check_size = [&](std::int64_t size) {
    check(size <= limit, printable(path), ": has ", size, " bytes, expected at most ", limit);
  };
  check_size(status.st_size);
  try {
    // Room for one byte more than the file's size, so that reading finds the end without growing.
    std::string first = look ? first_bytes(file, path, status.st_size, look) : std::string();
    Bytes bytes;
    bytes.resize(std::max(unsigned_size(status.st_size), first.size()) + 1);
    std::size_t size = first.size();
    std::ranges::copy(first, bytes.begin());
    std::string().swap(first);
    while (const std::size_t got = file.read(bytes.data() + size, bytes.size() - size)) {
      size += got;
      check_size(static_cast<std::int64_t>(size));
      if (size == bytes.size()) bytes.resize(std::max<std::size_t>(2 * size, 4096));
    }
    bytes.resize(size);
    return bytes;
  } catch (const std::bad_alloc&) {
    fail(printable(path), ": its ", status.st_size, " bytes do not fit in memory");
  }
}

}  // namespace

std::string read_file(const std::string& path, std::int64_t limit) {
  return read_whole<std::string>(path, limit);
}

void FileBytes::resize(std::size_t size) {
  if (!memory_ || size > unsigned_size(memory_->size())) {
    auto larger = std::make_unique<Scratch<char>>(static_cast<Index>(size));
    std::copy_n(data(), std::min(size, this->size()), larger->data());
    memory_ = std::move(larger);
  }
  size_ = size;
}

FileBytes read_large_file(const std::string& path, std::int64_t limit, const Look& look) {
  return read_whole<FileBytes>(path, limit, look);
}

namespace {

struct stat status_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == -1) throw SystemError(path, "open", errno);
  return status;
}

}  // namespace

FileIdentity file_identity(const std::string& path) {
  const struct stat status = status_of(path);
  return {status.st_dev, status.st_ino};
}

std::int64_t file_size(const std::string& path) { return status_of(path).st_size; }

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> files;
  std::string place = directory;
  std::error_code error, no_file;
  std::filesystem::recursive_directory_iterator entry(directory, error);
  while (!error && entry != std::filesystem::end(entry)) {
    place = entry->path().string();
    if (entry->path().filename().native().starts_with('.'))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(no_file))  // also through a link; a broken link is no file
      files.push_back(place);
    entry.increment(error);
  }
  if (error) throw SystemError(place, "list", error.value());
  std::ranges::sort(files);
  return files;
}

void write_file(const std::string& path, std::span<const std::string_view> pieces) {
  const std::string target = link_target(path);
  const Descriptor directory(directory_of(target), O_RDONLY | O_DIRECTORY, directory_of(target));
  Temporary temporary(target, Temporary::Kind::file);
  for (const std::string_view piece : pieces) temporary.descriptor().write(piece);
  temporary.descriptor().flush();
  temporary.put_in_place();
  directory.flush();
}

void probe_output(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) check_regular(path, status);
  const std::string target = link_target(path);
  const Descriptor directory(directory_of(target), O_RDONLY | O_DIRECTORY, directory_of(target));
  const Temporary temporary(target, Temporary::Kind::file);
}

bool is_link(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool file_exists(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) throw SystemError(path, "examine", errno);
  return false;
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void remove_file(const std::string& path) {
  if (system_calls.unlink(path.c_str()) == -1 && errno != ENOENT)
    throw SystemError(path, "remove", errno);
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) throw SystemError(path, "find the absolute path", error.value());
  return absolute.lexically_normal().string();
}

std::string last_name(const std::string& path) {
  std::string absolute = absolute_path(path);
  while (absolute.ends_with('/')) absolute.pop_back();
  return absolute.substr(absolute.rfind('/') + 1);  // npos + 1 is 0
}

AppendFile::AppendFile(const std::string& path, std::int64_t size)
    : file_(path, append_flags | (size == 0 ? O_CREAT : 0), path), size_(size) {
  const struct stat status = file_.status();
  check_regular(path, status);
  check(status.st_size >= size, printable(path), ": has ", status.st_size,
        " bytes, expected at least ", size);
  if (status.st_size > size) file_.truncate(size);
}

void AppendFile::append(std::string_view bytes) {
  try {
    file_.write(bytes);
    file_.flush();
  } catch (...) {
    try {
      file_.truncate(size_);
    } catch (const SystemError&) {  // the first error is reported
    }
    throw;
  }
  size_ += static_cast<std::int64_t>(bytes.size());
}

}  // namespace model
