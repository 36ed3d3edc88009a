#include "train/cli/next_run.h"

#include <vector>

#include "model/base/files.h"
#include "model/base/path.h"
#include "train/cli/arguments.h"
#include "train/record/run_directory.h"

namespace train {

namespace {

// out/a_2 for out/a and, if that exists, out/a_3; also out/a_3 for out/a_2.
std::string free_directory(const std::string& directory) {
  std::string name = model::without_separators(directory);
  const std::string last = name.substr(last_separator(name) + 1);  // npos + 1 is 0
  if (last.empty() || last == "." || last == "..")
    name = model::without_separators(absolute_path(name));
  const std::size_t mark = name.find_last_not_of("0123456789");
  if (mark != name.npos && name[mark] == '_' && name.size() - mark <= 3) name.erase(mark);
  return free_name(name + '_');
}

}  // namespace

std::string next_run(const SessionRow& began, const Change& change,
                     const std::string& directory) try {
  if (change.name.empty() || began.command.size() < 2) return "";
  std::vector<std::string_view> without{change.name, "out_dir", "force"};
  if (change.name == "max_iters") without.push_back("minutes");
  if (change.name == "minutes") without.push_back("max_iters");
  const std::vector<std::string> added{"--" + change.name, change.value, "--out_dir",
                                       free_directory(directory)};
  const std::vector<std::string> words = edited(began.command, without, added);
  const std::vector<std::string_view> arguments(words.begin() + 1, words.end());
  // The contents of a --config file do not matter for whether the command is valid.
  if (read_arguments(arguments, unread).settings.train.resumes()) return "";
  return command_line(words, began.processes);
} catch (const UsageError&) {
  return "";
}

}  // namespace train
