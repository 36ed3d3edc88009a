#include "model/base/temporary.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "model/base/system_calls.h"
#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {

namespace {

namespace fs = std::filesystem;

// .NAME.gradus-N in the directory of the path; a long name is cut, since a file's name has at most
// 255 bytes.
std::string hidden_name(const std::string& path, int number) {
  const std::size_t begin = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string_view name = std::string_view(path).substr(begin).substr(0, 200);
  return joined(path.substr(0, begin), ".", name.substr(0, complete_utf8_prefix(name)), ".gradus-",
                number);
}

constexpr int flags_of(Temporary::Kind kind) {
  return kind == Temporary::Kind::file ? O_WRONLY : O_RDONLY | O_DIRECTORY;
}

bool remove(const std::string& name) {
  std::error_code error;
  return system_calls.unlink(name.c_str()) == 0 ||  // fails for a directory
         fs::remove_all(name, error) != static_cast<std::uintmax_t>(-1);
}

// Removes what a killed process left under this name. False if it is in use.
bool remove_stale(const std::string& name, Temporary::Kind kind) {
  const int descriptor = uninterrupted([&] {
    return system_calls.open(name.c_str(), flags_of(kind) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  });
  if (descriptor == -1) return errno == ENOENT;
  const Descriptor open(descriptor, name);
  if (open.lock() != Descriptor::Lock::taken) return false;
  // Before it was locked, its owner may have put it in place, and the name may be another's by now.
  // If the name is still this file's, nobody else removes or renames it: they would need the lock.
  return !open.is_at(name) || remove(name);
}

}  // namespace

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string link_target(const std::string& path) {
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    constexpr int most = 40;  // Linux's limit
    if (links == most) throw SystemError(path, "follow the link", ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error) throw SystemError(path, "follow the link", error.value());
    target = target.parent_path() / next;
  }
  return target.string();
}

Temporary::Temporary(const std::string& path, Kind kind) : path_(path) {
  for (int number = 1; !descriptor_; ++number) {
    name_ = hidden_name(path, number);
    while (!make(kind) && remove_stale(name_, kind)) {
    }
  }
  unfinished_.emplace(name_);
}

bool Temporary::make(Kind kind) {
  struct stat before {};
  const bool replaces = kind == Kind::file && stat(path_.c_str(), &before) == 0;
  const mode_t mode = replaces ? before.st_mode & 0777 : 0666;
  if (kind == Kind::directory && system_calls.mkdir(name_.c_str(), 0777) == -1) {
    if (errno == EEXIST) return false;
    throw SystemError(path_, "create", errno);
  }
  const int flags =
      flags_of(kind) | O_NOFOLLOW | O_CLOEXEC | (kind == Kind::file ? O_CREAT | O_EXCL : 0);
  const int descriptor =
      uninterrupted([&] { return system_calls.open(name_.c_str(), flags, mode); });
  if (descriptor == -1) {
    const int code = errno;
    if (kind == Kind::directory) rmdir(name_.c_str());
    if (code == EEXIST) return false;
    throw SystemError(path_, "create", code);
  }
  descriptor_.emplace(descriptor, path_);
  // Before it was locked, another process may have taken it for a leftover and removed it.
  const Descriptor::Lock lock = descriptor_->lock();
  if (lock == Descriptor::Lock::of_another ||
      (lock == Descriptor::Lock::taken && !descriptor_->is_at(name_))) {
    descriptor_.reset();
    return false;
  }
  if (replaces) fchmod(descriptor, mode);  // restores what the umask took; may fail, without harm
  return true;
}

Temporary::~Temporary() {
  if (descriptor_) remove(name_);
}

void Temporary::put_in_place() {
  if (system_calls.rename(name_.c_str(), path_.c_str()) == -1)
    throw SystemError(path_, "replace", errno);
  descriptor_.reset();
  unfinished_.reset();
}

}  // namespace model
