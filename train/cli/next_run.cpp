#include "train/cli/next_run.h"

#include <algorithm>
#include <span>
#include <vector>

#include "model/base/path.h"
#include "train/cli/arguments.h"
#include "train/record/run_directory.h"
#include "train/system/files.h"

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

// The flags among the words of a command, without those of these names. (A value is never taken for
// a flag: the command line refuses values that look like one.)
std::vector<std::string> without_flags(std::span<const std::string> words,
                                       std::span<const std::string_view> names) {
  std::vector<std::string> kept;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const Flag* const flag = flag_in(*word, Command::train);
    if (flag == nullptr || std::ranges::find(names, flag->name) == names.end())
      kept.push_back(*word);
    else if (!flag->is_switch() && word->find('=') == word->npos)
      ++word;
  }
  return kept;
}

}  // namespace

std::string next_run(const SessionRow& began, const Change& change,
                     const std::string& directory) try {
  if (change.name.empty() || began.command.size() < 2) return "";
  std::vector<std::string_view> without{change.name, "out_dir", "force"};
  if (change.name == "max_iters")  // which follows from --minutes; the decay follows from it
    without.insert(without.end(), {"minutes", "lr_decay_iters"});
  const auto end_of_flags = std::ranges::find(began.command, "--");
  std::vector<std::string> words = without_flags({began.command.begin(), end_of_flags}, without);
  for (const std::string& word :
       {"--" + change.name, change.value, std::string("--out_dir"), free_directory(directory)})
    words.push_back(word);
  words.insert(words.end(), end_of_flags, began.command.end());
  const std::vector<std::string_view> arguments(words.begin() + 1, words.end());
  if (read_arguments(arguments).settings.train.resumes()) return "";
  return command_line(words, began.processes);
} catch (const Error&) {
  return "";
}

}  // namespace train
