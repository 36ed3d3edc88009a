#undef NOMINMAX  // libstdc++ has it
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// These headers need windows.h before them.
#include <fcntl.h>
#include <io.h>
#include <psapi.h>
#include <shellapi.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/system_calls.h"
#include "model/base/utf16.h"
#include "train/system/console.h"

namespace train::system {

using model::system::narrow;

void limit_memory() {}  // a job's limit refuses memory by itself

std::size_t peak_memory() {
  PROCESS_MEMORY_COUNTERS memory{};
  return K32GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory)
             ? memory.PeakWorkingSetSize
             : 0;
}

namespace {

constinit bool was_closed[3] = {}, has_escapes[3] = {};

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// ReadFile returns only ASCII from a console. A line that is longer than `bytes` comes in
// pieces.
std::ptrdiff_t read_console(void* bytes, std::size_t size) {
  static std::string ahead;
  if (ahead.empty()) {
    wchar_t line[4096];
    DWORD got = 0;
    if (!ReadConsoleW(handle_of(0), line, std::size(line), &got, nullptr)) {
      errno = EIO;
      return -1;
    }
    if (got == 0 || line[0] == 26) return 0;  // Ctrl-Z
    ahead = narrow({line, got});
    std::erase(ahead, '\r');
  }
  const std::size_t taken = ahead.copy(static_cast<char*>(bytes), size);
  ahead.erase(0, taken);
  return static_cast<std::ptrdiff_t>(taken);
}

// The program's system calls: of a console, and of a stream that was closed when it began.
std::ptrdiff_t read(int descriptor, void* bytes, std::size_t size) {
  return descriptor == 0 && is_terminal(0) ? read_console(bytes, size)
                                           : model::system::read(descriptor, bytes, size);
}

std::ptrdiff_t write(int descriptor, const void* bytes, std::size_t size) {
  if (descriptor > 2 || !was_closed[descriptor])
    return model::system::write(descriptor, bytes, size);
  errno = EBADF;
  return -1;
}

}  // namespace

constinit const std::string_view end_of_input = "Ctrl-Z and Enter";
constinit const std::string_view makes_utf8 = "Notepad saves it as UTF-8";

std::string shell_quotes(std::string_view word) {
  // As CommandLineToArgvW reads it: each backslash before a quote is doubled.
  std::string out = "\"";
  std::size_t backslashes = 0;
  for (const char c : word) {
    if (c == '"') out.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out.append(backslashes, '\\') + '"';
}

namespace {

// The files that match *.txt, sorted by name. Windows shells do not expand patterns.
std::vector<std::string> matching(const std::wstring& pattern) {
  std::vector<std::string> names;
  const std::wstring directory =
      pattern.substr(0, pattern.find_last_of(L"/\\:") + 1);  // npos + 1: 0
  WIN32_FIND_DATAW found;
  const HANDLE search = FindFirstFileW(pattern.c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return names;
  do
    if (found.cFileName[0] != L'.') names.push_back(narrow(directory + found.cFileName));
  while (FindNextFileW(search, &found));
  FindClose(search);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> arguments(int, char**) {
  int count = 0;
  const std::wstring line = GetCommandLineW();
  wchar_t** const words = CommandLineToArgvW(line.c_str(), &count);
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    const std::wstring word = words[i];
    const bool is_pattern = i > 0 && word.find_first_of(L"*?") != word.npos && word[0] != L'-' &&
                            line.find(L'"' + word) == line.npos;  // in quotes it is itself
    const std::vector<std::string> names = is_pattern ? matching(word) : std::vector<std::string>();
    if (names.empty()) out.push_back(narrow(word));
    out.insert(out.end(), names.begin(), names.end());
  }
  LocalFree(words);
  return out;
}

namespace {
UINT code_page_before = 0;  // of the console; 0: it was left as it was
void restore_console() {
  if (code_page_before != 0) SetConsoleOutputCP(code_page_before);
}
}  // namespace

void prepare_streams() {
  model::system_calls.read = read;
  model::system_calls.write = write;
  for (const int descriptor : {0, 1, 2}) {
    if (_get_osfhandle(descriptor) < 0) {
      was_closed[descriptor] = true;
      const int null = _wopen(L"NUL", _O_RDONLY);
      if (null != descriptor) _dup2(null, descriptor);
    }
    _setmode(descriptor, _O_BINARY);
    DWORD mode = 0;
    const HANDLE file = handle_of(descriptor);
    has_escapes[descriptor] = descriptor > 0 && GetConsoleMode(file, &mode) &&
                              SetConsoleMode(file, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  const UINT before = GetConsoleOutputCP();
  if (before != 0 && before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8)) code_page_before = before;
  std::atexit(restore_console);
}

namespace {

constinit std::atomic<void (*)(int)> signal_handler = nullptr;

// Runs on a thread of its own. If it returns after the event of a closing console, the process
// ends. So it waits for the main thread to save; Windows allows about five seconds.
BOOL WINAPI on_event(DWORD event) {
  const bool is_key = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  signal_handler.load()(is_key ? SIGINT : SIGTERM);
  if (!is_key) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

void handle_signals(void (*handler)(int)) {
  if (signal_handler.exchange(handler) == nullptr) SetConsoleCtrlHandler(on_event, TRUE);
}

bool is_notice(int) { return false; }

void end_by(int signal) { end_now(128 + signal); }
void end_now(int status) {
  restore_console();
  std::_Exit(status);
}

bool is_terminal(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(descriptor), &mode);
}

bool obeys_escapes(int descriptor) { return descriptor <= 2 && has_escapes[descriptor]; }

int terminal_width(int descriptor) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  return GetConsoleScreenBufferInfo(handle_of(descriptor), &info)
             ? info.srWindow.Right - info.srWindow.Left + 1
             : 0;
}

}  // namespace train::system
