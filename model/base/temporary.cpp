#include "model/base/temporary.h"

#include <cerrno>

#include "model/base/system_calls.h"
#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {

namespace {

// .NAME.gradus-N in the directory of the path; a long name is cut, since a file's name has at most
// 255 bytes.
std::string hidden_name(const std::string& path, int number) {
  const std::size_t begin = last_separator(path) + 1;  // npos + 1 is 0
  const std::string_view name = std::string_view(path).substr(begin).substr(0, 200);
  return joined(path.substr(0, begin), ".", name.substr(0, complete_utf8_prefix(name)), ".gradus-",
                number);
}

constexpr int opening_of(Temporary::Kind kind) {
  return kind == Temporary::Kind::file ? system::writing : system::directory;
}

bool remove(const std::string& name) {
  return system_calls.unlink(name.c_str()) == 0 || remove_all(name);  // unlink: not a directory
}

// Removes what a killed process left under this name. False if it is in use.
bool remove_stale(const std::string& name, Temporary::Kind kind) {
  const int descriptor = uninterrupted(
      [&] { return system_calls.open(name.c_str(), opening_of(kind) | system::no_link, 0); });
  if (descriptor == -1) return errno == ENOENT;
  const Descriptor open(descriptor, name);
  if (open.lock() != Descriptor::Lock::taken) return false;
  // Before it was locked, its owner may have renamed it, and the name may belong to another file by
  // now. If the name is still this file's, nobody else removes or renames it, since that requires
  // the lock.
  return !open.is_at(name) || remove(name);
}

}  // namespace

std::string link_target(const std::string& path) {
  std::string target = path;
  for (int links = 0; is_link(target); ++links) {
    constexpr int most = 40;  // Linux's limit
    if (links == most) throw SystemError(path, "follow the link", ELOOP);
    target = system::link_target(target);
    if (target.empty()) throw SystemError(path, "follow the link", errno);
  }
  return target;
}

Temporary::Temporary(const std::string& path, Kind kind, const std::string& like) : path_(path) {
  for (int number = 1; !descriptor_; ++number) {
    name_ = hidden_name(path, number);
    while (!make(kind, like) && remove_stale(name_, kind)) {
    }
  }
  unfinished_.emplace(name_);
}

bool Temporary::make(Kind kind, const std::string& like) {
  system::Status before;
  const auto is_file = [&](const std::string& name) {
    return system::status_of_link(name.c_str(), before) == 0 &&
           before.kind == system::Status::Kind::file;
  };
  const bool is_like = kind == Kind::file && (is_file(path_) || is_file(like));
  if (kind == Kind::directory && system_calls.make_directory(name_.c_str()) == -1) {
    if (errno == EEXIST) return false;
    throw SystemError(path_, "create", errno);
  }
  const int opening = opening_of(kind) | system::no_link |
                      (kind == Kind::file ? system::creating | system::new_only : 0);
  const int descriptor = uninterrupted([&] {
    return system_calls.open(name_.c_str(), opening, is_like ? before.permissions : 0666);
  });
  if (descriptor == -1) {
    const int code = errno;
    if (kind == Kind::directory) system::remove_directory(name_.c_str());
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
  // Restores the permissions that the umask removed; failure does no harm.
  if (is_like) system::set_permissions(descriptor, before);
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
