// The program, run in a process of its own on Windows, which has no shell that all have. Tests that
// need one have the tag [shell].
#pragma once

#include <windows.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/program/result.h"

namespace program {

class Running {
 public:
  // A program, called by the first of the words, in `here`. What it writes goes to .out and .err in
  // `directory`.
  Running(const std::filesystem::path& directory, const std::filesystem::path& here,
          const std::filesystem::path& binary, const std::vector<std::string>& words,
          const std::filesystem::path& input)
      : out_(directory / ".out"), err_(directory / ".err") {
    SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
    const auto opened = [&](const std::filesystem::path& path, DWORD access, DWORD how) {
      return CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, how,
                         FILE_ATTRIBUTE_NORMAL, nullptr);
    };
    STARTUPINFOW start{};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = opened(input, GENERIC_READ, OPEN_EXISTING);
    start.hStdOutput = opened(out_, GENERIC_WRITE, CREATE_ALWAYS);
    start.hStdError = opened(err_, GENERIC_WRITE, CREATE_ALWAYS);
    PROCESS_INFORMATION process{};
    const auto begins = [&] {
      std::wstring command = quoted(words);
      return CreateProcessW(binary.c_str(), command.data(), nullptr, nullptr, TRUE,
                            CREATE_NEW_PROCESS_GROUP, nullptr, here.c_str(), &start, &process);
    };
    // Now and then Wine starts nothing, by an internal error.
    for (int tries = 1; !begins(); ++tries)
      if (const DWORD error = GetLastError(); error != ERROR_INTERNAL_ERROR || tries == 3)
        FAIL("cannot run " << binary << ": error " << error);
    for (const HANDLE handle :
         {start.hStdInput, start.hStdOutput, start.hStdError, process.hThread})
      CloseHandle(handle);
    process_ = process.hProcess;
    number_ = process.dwProcessId;
  }
  Running(const Running&) = delete;
  ~Running() {
    TerminateProcess(process_, 99);
    CloseHandle(process_);
  }

  bool wait_for(const std::string& text) {
    while (read(err_).find(text) == std::string::npos)
      if (has_ended()) return read(err_).find(text) != std::string::npos;
    return true;
  }
  // SIGINT: Ctrl-Break, the one key that can be sent to a process alone.
  void signal(int number) const {
    if (number != SIGINT) FAIL("there is no signal " << number);
    GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, number_);
  }
  void kill() const { TerminateProcess(process_, 137); }
  // After two milliseconds.
  bool has_ended() {
    if (++waited_ == 150'000) TerminateProcess(process_, 99);
    return WaitForSingleObject(process_, 2) == WAIT_OBJECT_0;
  }
  Result end() {
    while (!has_ended()) {
    }
    DWORD status = 0;
    GetExitCodeProcess(process_, &status);
    return {static_cast<int>(status), read(out_), read(err_)};
  }

 private:
  // Each word in double quotes, UTF-16; backslashes before a quote are doubled.
  static std::wstring quoted(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
      out += out.empty() ? "\"" : " \"";
      std::size_t backslashes = 0;
      for (const char c : word) {
        if (c == '"') out.append(backslashes + 1, '\\');
        backslashes = c == '\\' ? backslashes + 1 : 0;
        out += c;
      }
      out.append(backslashes, '\\');
      out += '"';
    }
    const std::u8string text(out.begin(), out.end());
    return std::filesystem::path(text).native();
  }

  std::filesystem::path out_, err_;
  HANDLE process_;
  DWORD number_;
  int waited_ = 0;
};

}  // namespace program
