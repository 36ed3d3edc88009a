// Windows: the wide calls (file names in UTF-16), with descriptors of the C library.
#undef NOMINMAX  // libstdc++ has it
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// These headers need windows.h before them.
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "model/base/system.h"
#include "model/base/utf16.h"

namespace model {

std::size_t total_memory() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  return GlobalMemoryStatusEx(&memory) ? static_cast<std::size_t>(memory.ullTotalPhys) : 0;
}

namespace system {

namespace {

std::wstring wide(std::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring out(text.size(), L'\0');  // never more units than bytes
  out.resize(static_cast<std::size_t>(
      MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), size)));
  return out;
}

// The name of a file. From 248 characters on, Windows requires an absolute path with a prefix.
std::wstring wide_path(std::string_view path) {
  const std::wstring name = wide(path);
  if (name.size() < 248 || name.starts_with(LR"(\\?\)")) return name;
  std::wstring whole(32768, L'\0');
  whole.resize(GetFullPathNameW(name.c_str(), 32768, whole.data(), nullptr));
  return whole.starts_with(LR"(\\)") ? LR"(\\?\UNC)" + whole.substr(1) : LR"(\\?\)" + whole;
}

// Returns -1 and sets errno from the system's last error.
int failed(DWORD error = GetLastError()) {
  const std::error_condition condition =
      std::system_category().default_error_condition(static_cast<int>(error));
  errno = condition.category() == std::generic_category() ? condition.value() : EIO;
  return -1;
}

int done(BOOL result) { return result ? 0 : failed(); }

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

HANDLE open_to_look(std::string_view path, DWORD flags) {
  return CreateFileW(wide_path(path).c_str(), FILE_READ_ATTRIBUTES, share_all, nullptr,
                     OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr);
}

int status_of(HANDLE file, Status& status) {
  using Kind = Status::Kind;
  status = {};
  status.permissions = 0666;
  const DWORD type = GetFileType(file);
  status.kind = type == FILE_TYPE_PIPE ? Kind::pipe : Kind::device;
  if (type != FILE_TYPE_DISK) return 0;
  BY_HANDLE_FILE_INFORMATION of;
  if (!GetFileInformationByHandle(file, &of)) return failed();
  FILE_ATTRIBUTE_TAG_INFO tag{};
  GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag);
  const bool is_link =
      tag.ReparseTag == IO_REPARSE_TAG_SYMLINK || tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT;
  status.kind = is_link                                          ? Kind::link
                : of.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? Kind::directory
                                                                 : Kind::file;
  status.size = static_cast<std::int64_t>(of.nFileSizeHigh) << 32 | of.nFileSizeLow;
  status.device = of.dwVolumeSerialNumber;
  status.number = static_cast<std::uint64_t>(of.nFileIndexHigh) << 32 | of.nFileIndexLow;
  return 0;
}

int status_by_name(const char* path, Status& status, DWORD flags) {
  const HANDLE file = open_to_look(path, flags);
  if (file == INVALID_HANDLE_VALUE) return failed();
  const int result = status_of(file, status);
  CloseHandle(file);
  return result;
}

}  // namespace

std::string narrow(std::wstring_view text) {
  const int size = static_cast<int>(text.size());
  std::string out(3 * text.size(), '\0');
  out.resize(static_cast<std::size_t>(
      WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), 3 * size, nullptr, nullptr)));
  return out;
}

int open(const char* path, int opening, int) {
  Status there;
  if (opening & no_link && status_of_link(path, there) == 0 && there.kind == Status::Kind::link) {
    errno = ELOOP;
    return -1;
  }
  const bool writes = opening & (writing | appending);
  const HANDLE file =
      CreateFileW(wide_path(path).c_str(),
                  writes ? GENERIC_WRITE | FILE_READ_ATTRIBUTES : GENERIC_READ, share_all, nullptr,
                  opening & new_only   ? CREATE_NEW
                  : opening & creating ? OPEN_ALWAYS
                                       : OPEN_EXISTING,
                  FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return failed();
  if (opening & directory &&
      (status_of(file, there) == -1 || there.kind != Status::Kind::directory)) {
    CloseHandle(file);
    errno = ENOTDIR;
    return -1;
  }
  return _open_osfhandle(reinterpret_cast<std::intptr_t>(file),
                         (writes ? _O_WRONLY : _O_RDONLY) | (opening & appending ? _O_APPEND : 0));
}

int status(int descriptor, Status& status) { return status_of(handle_of(descriptor), status); }
int status_at(const char* path, Status& status) { return status_by_name(path, status, 0); }
int status_of_link(const char* path, Status& status) {
  return status_by_name(path, status, FILE_FLAG_OPEN_REPARSE_POINT);
}

namespace {

constexpr std::size_t most = 1 << 30;  // bytes a call

}  // namespace

std::ptrdiff_t read(int descriptor, void* bytes, std::size_t size) {
  return _read(descriptor, bytes, static_cast<unsigned>(std::min(size, most)));
}

std::ptrdiff_t write(int descriptor, const void* bytes, std::size_t size) {
  return _write(descriptor, bytes, static_cast<unsigned>(std::min(size, most)));
}

void wait_until_writable(int) { Sleep(10); }
int truncate(int descriptor, std::int64_t size) { return _chsize_s(descriptor, size) ? -1 : 0; }

int flush(int descriptor) {
  Status of;
  // A directory has no flush of its own: renaming a file in it writes it through.
  if (status(descriptor, of) == 0 && of.kind == Status::Kind::directory) return 0;
  return done(FlushFileBuffers(handle_of(descriptor)));
}

namespace {

// Directories cannot be locked: an event named by the directory's number is the lock, which other
// processes on this machine see as long as it is open. Indexed by descriptor; the C library has no
// more.
constinit std::atomic<HANDLE> events[8192] = {};

}  // namespace

int lock(int descriptor) {
  Status of;
  if (status(descriptor, of) == -1) return -1;
  if (of.kind != Status::Kind::directory) {
    OVERLAPPED last_byte{};  // beyond the end of any file, so reading is not blocked
    last_byte.OffsetHigh = 0x7fffffff;
    if (LockFileEx(handle_of(descriptor), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1,
                   0, &last_byte))
      return 0;
    if (GetLastError() != ERROR_LOCK_VIOLATION) return failed();
  } else {
    const std::wstring name =
        L"Global\\gradus-" + std::to_wstring(of.device) + L'-' + std::to_wstring(of.number);
    const HANDLE event = CreateEventW(nullptr, TRUE, FALSE, name.c_str());
    if (event != nullptr && GetLastError() != ERROR_ALREADY_EXISTS) {
      events[descriptor] = event;
      return 0;
    }
    if (event != nullptr) CloseHandle(event);
  }
  errno = EWOULDBLOCK;
  return -1;
}

int close(int descriptor) {
  if (const HANDLE event = events[descriptor].exchange(nullptr)) CloseHandle(event);
  return _close(descriptor);
}

int rename(const char* from, const char* to) {
  const std::wstring old_name = wide_path(from), new_name = wide_path(to);
  for (int tries = 0;; ++tries) {
    if (MoveFileExW(old_name.c_str(), new_name.c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
      return 0;
    DWORD error = GetLastError();
    if (error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION) return failed(error);
    if (RemoveDirectoryW(new_name.c_str())) continue;  // an empty one, which a directory replaces
    if (tries < 20) {
      Sleep(50);  // a virus scanner or an index may have a new file open for a moment
      continue;
    }
    const HANDLE target =
        CreateFileW(new_name.c_str(), DELETE, share_all, nullptr, OPEN_EXISTING, 0, nullptr);
    if (target == INVALID_HANDLE_VALUE) return failed();  // says whether another has it open
    CloseHandle(target);
    return failed(error);
  }
}

int unlink(const char* path) { return done(DeleteFileW(wide_path(path).c_str())); }

namespace {

// con, nul, com1, ... with any extension: not file names.
bool is_device(std::string_view path) {
  std::string name(path.substr(path.find_last_of("/\\:") + 1));  // npos + 1: 0
  name.resize(std::min(name.find('.'), name.size()));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool is_numbered = name.size() == 4 && name[3] >= '1' && name[3] <= '9';
  if (is_numbered) name.pop_back();
  return is_numbered ? name == "com" || name == "lpt"
                     : name == "con" || name == "prn" || name == "aux" || name == "nul";
}

}  // namespace

int make_directory(const char* path) {
  const std::string_view name = path;
  if (is_device(name) || name.ends_with(':')) {
    errno = name.ends_with(':') ? ENXIO : ENODEV;
    return -1;
  }
  return done(CreateDirectoryW(wide_path(path).c_str(), nullptr));
}
int remove_directory(const char* path) { return done(RemoveDirectoryW(wide_path(path).c_str())); }
void set_permissions(int, const Status&) {}

namespace {

std::string path_of_handle(HANDLE file) {
  wchar_t name[32768];
  const DWORD size =
      file == INVALID_HANDLE_VALUE ? 0 : GetFinalPathNameByHandleW(file, name, std::size(name), 0);
  if (size == 0) failed();
  const std::string target = narrow({name, size});
  return target.starts_with(R"(\\?\UNC\)") ? R"(\\)" + target.substr(8)
         : target.starts_with(R"(\\?\)")   ? target.substr(4)
                                           : target;
}

}  // namespace

std::string link_target(const std::string& path) {
  const HANDLE file = open_to_look(path, 0);
  const std::string target = path_of_handle(file);
  if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
  return target;
}

std::string message(int error) {
  return error == EBUSY    ? "another program has it open"
         : error == ENODEV ? "Windows keeps this name for a device"
         : error == ENXIO  ? "there is no such drive"
                           : std::generic_category().message(error);
}

constinit const std::string_view separators = R"(/\)";
}  // namespace system
}  // namespace model
