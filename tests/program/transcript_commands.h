// The commands of a transcript: gradus, and those that a shell would use for files, so that cases
// need no shell.
//
//     cat [FILE...]  cd DIR  cmp FILE FILE  cp [-r] FROM... TO  grep TEXT FILE
//     head -c N FILE  ln [-s] TO FILE  ls [DIR]  mkdir DIR...  mkfifo FILE  mv FROM TO  printf TEXT
//     rm FILE...  sed s/TEXT/OTHER/ FILE  truncate -s N FILE  wc -c|-l FILE
//     diff DIR DIR [FILE...]        files that are not the same in both, but those named
//     repeat N TEXT                 N times; in the i-th % is i * i % 97, # is i, {a|b} one in turn
//     utf16 FILE                    as Windows writes it, with a byte-order mark
//     metadata FILE KEY...          values of a .safetensors file
//     edit FILE KEY=VALUE           another value in the metadata of a .safetensors file, with the right
//                                   checksum; KEY-: none; TENSOR[I]=VALUE an element, [*] all of them
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/program/run.h"

namespace program {

// What a command did; nothing if it is none of those above.
struct Console {
  std::filesystem::path here;
  std::string input;  // of standard input
  std::string out;
};

// Whether the first word is one of the commands above.
bool is_command(const std::string& name);
// Its status; an Error is what it says on standard error.
int run_command(Console& console, const std::vector<std::string>& words);

}  // namespace program
