#include "model/base/files.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>
#include <system_error>

#include "model/base/system.h"
#include "model/base/system_calls.h"
#include "model/base/system_path.h"
#include "model/base/temporary.h"
#include "model/base/utf8.h"

namespace model {

using engine::Scratch;

constinit SystemCalls system_calls;

namespace {

const char* kind_of(const Status& status) {
  switch (status.kind) {
    case Status::Kind::file: return "a file";
    case Status::Kind::directory: return "a directory";
    case Status::Kind::link: return "a link";
    case Status::Kind::pipe: return "a pipe";
    case Status::Kind::socket: return "a socket";
    case Status::Kind::device: return "a device";
  }
  return "";
}

}  // namespace

void check_regular(const std::string& path, const Status& status) {
  check(status.kind == Status::Kind::file, printable(path), ": is ", kind_of(status),
        ", expected a file");
}

std::optional<Status> status_at(const std::string& path) {
  Status status;
  if (system::status_at(path.c_str(), status) == 0) return status;
  return std::nullopt;
}

Status status_of(const std::string& path) {
  const std::optional<Status> status = status_at(path);
  if (!status) throw SystemError(path, "open", errno);
  return *status;
}

SystemError::SystemError(std::string_view path, std::string_view what, int code)
    : Error(joined(path.empty() ? "\"\"" : printable(path), ": cannot ", what, ": ",
                   system::message(code))),
      code_(code) {}

Descriptor::Descriptor(const std::string& path, int opening, const std::string& name)
    : name_(name),
      descriptor_(uninterrupted([&] { return system_calls.open(path.c_str(), opening, 0666); })) {
  if (descriptor_ == -1)
    throw SystemError(name_, opening & system::creating ? "create" : "open", errno);
}

Descriptor::~Descriptor() {
  if (descriptor_ != -1) system_calls.close(descriptor_);
}

Status Descriptor::status() const {
  Status status;
  if (system_calls.status(descriptor_, status) == -1) throw SystemError(name_, "examine", errno);
  return status;
}

std::size_t Descriptor::read(char* bytes, std::size_t size) const {
  const std::ptrdiff_t got =
      uninterrupted([&] { return system_calls.read(descriptor_, bytes, size); });
  if (got == -1) throw SystemError(name_, "read", errno);
  return static_cast<std::size_t>(got);
}

void Descriptor::write(std::string_view bytes) const {
  if (const int code = write_all(descriptor_, bytes)) throw SystemError(name_, "write", code);
}

void Descriptor::flush() const {
  const int result = uninterrupted([&] { return system_calls.flush(descriptor_); });
  // Some file systems cannot flush, or cannot flush directories; nothing can be done about it.
  const bool has_none =
      errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EOPNOTSUPP;
  if (result == -1 && !has_none) throw SystemError(name_, "flush to disk", errno);
}

void Descriptor::truncate(std::int64_t size) const {
  if (uninterrupted([&] { return system_calls.truncate(descriptor_, size); }) == -1)
    throw SystemError(name_, "truncate", errno);
}

bool Descriptor::is_at(const std::string& path) const noexcept {
  Status here;
  if (system_calls.status(descriptor_, here) == -1) return false;
  const std::optional<Status> there = status_at(path);
  return there && there->device == here.device && there->number == here.number;
}

Descriptor::Lock Descriptor::lock() const {
  const int result = uninterrupted([&] { return system_calls.lock(descriptor_); });
  if (result == 0) return Lock::taken;
  return errno == EWOULDBLOCK ? Lock::of_another : Lock::none;
}

int write_all(int descriptor, std::string_view bytes) {
  constexpr std::size_t max_piece = 1 << 30;  // some systems refuse 2 GiB and more
  while (!bytes.empty()) {
    const std::ptrdiff_t written =
        system_calls.write(descriptor, bytes.data(), std::min(bytes.size(), max_piece));
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return EIO;  // should not happen, and must not be an endless loop
    } else if (errno == EAGAIN) {
      // The terminal or pipe was made non-blocking by another process, and is full at the moment.
      system::wait_until_writable(descriptor);
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
  const Descriptor file(path, system::reading, path);
  const Status status = file.status();
  check_regular(path, status);
  const auto check_size = [&](std::int64_t size) {
    check(size <= limit, printable(path), ": has ", size, " bytes, expected at most ", limit);
  };
  check_size(status.size);
  try {
    // Room for one byte more than the file's size, so that reading finds the end without growing.
    std::string first = look ? first_bytes(file, path, status.size, look) : std::string();
    Bytes bytes;
    bytes.resize(std::max(unsigned_size(status.size), first.size()) + 1);
    std::size_t size = first.size();
    std::ranges::copy(first, bytes.begin());
    std::string().swap(first);
    while (const std::size_t got = file.read(bytes.data() + size, bytes.size() - size)) {
      size += got;
      check_size(static_cast<std::int64_t>(size));
      if (size == bytes.size()) bytes.resize(std::max<std::size_t>(2 * size, 4096));
    }
    // Files in /sys report a size that is not theirs.
    if (size < unsigned_size(status.size))
      check(file.status().size == status.size, printable(path), ": has ", size, " bytes now, ",
            status.size, " when it was opened; another program is writing to it");
    bytes.resize(size);
    return bytes;
  } catch (const std::bad_alloc&) {
    fail(printable(path), ": its ", status.size, " bytes do not fit in memory");
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

std::int64_t file_size(const std::string& path) { return status_of(path).size; }

void replace_file(const std::string& path, std::span<const std::string_view> pieces,
                  const std::string& like, const std::function<bool()>& may_replace) {
  const Descriptor directory(directory_of(path), system::directory, directory_of(path));
  Temporary temporary(path, Temporary::Kind::file, like);
  for (const std::string_view piece : pieces) temporary.descriptor().write(piece);
  temporary.descriptor().flush();
  if (!may_replace()) throw SystemError(path, "replace", ENOENT);
  temporary.put_in_place();
  directory.flush();
}

void write_file(const std::string& path, std::span<const std::string_view> pieces) {
  if (const std::optional<Status> there = status_at(path)) check_regular(path, *there);
  replace_file(link_target(path), pieces);
}

bool is_link(const std::string& path) {
  Status status;
  return system::status_of_link(path.c_str(), status) == 0 && status.kind == Status::Kind::link;
}

bool file_exists(const std::string& path) {
  if (status_at(path)) return true;
  if (errno != ENOENT && errno != ENOTDIR) throw SystemError(path, "examine", errno);
  return false;
}

bool is_directory(const std::string& path) {
  const std::optional<Status> status = status_at(path);
  return status && status->kind == Status::Kind::directory;
}

bool remove_all(const std::string& path) {
  std::error_code error;
  return std::filesystem::remove_all(system_path(path), error) != static_cast<std::uintmax_t>(-1);
}

void remove_file(const std::string& path) {
  if (system_calls.unlink(path.c_str()) == -1 && errno != ENOENT)
    throw SystemError(path, "remove", errno);
}

}  // namespace model
