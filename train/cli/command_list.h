// The commands of the program, one row each. Help, the man page, the completion and messages about
// a wrong command line are made from the rows.
#pragma once

#include <span>
#include <string_view>

namespace train {

enum class Command : unsigned {  // powers of two: the commands of a flag are a sum of them
  train = 1,
  sample = 2,
  eval = 4,
  info = 8,
  chat = 16,
  export_model = 32,
  report = 64
};
inline constexpr unsigned in_train = 1, in_sample = 2, in_eval = 4, in_info = 8, in_chat = 16,
                          in_export = 32, in_report = 64, in_all = 127;

struct CommandInfo {
  Command command;
  std::string_view name;
  std::string_view arguments;  // without a flag
  std::string_view summary;    // a line of gradus --help
  std::string_view work;       // what it spends its time on: "training: out of memory"
  std::string_view intro;      // the text of its --help before the flags
};

std::span<const CommandInfo> commands();
const CommandInfo& info_of(Command command);
const CommandInfo* find_command(std::string_view name);  // null if there is none

}  // namespace train
