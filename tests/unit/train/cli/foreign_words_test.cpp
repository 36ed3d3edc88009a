#include "train/cli/foreign_words.h"

#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "tests/catch.h"

using namespace train;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}
std::vector<std::string> names_of(const ForeignWord& word) { return words_of(word.names); }

constexpr Command all[] = {Command::train, Command::sample, Command::eval,        Command::info,
                           Command::chat,  Command::report, Command::export_model};

}  // namespace

TEST_CASE("foreign words: each can be reached, and the flags that are named are there") {
  std::set<std::string> known_commands;
  for (const ForeignWord& word : foreign_words())
    for (const std::string& name : names_of(word)) {
      INFO(name << ": " << word.say);
      if (word.commands == 0) {
        CHECK(find_foreign_command(name) == &word);
        CHECK(known_commands.insert(name).second);
      }
      CHECK((name[0] != '-' || name.size() == 2));
      for (const Command command : all) {
        if (!(word.commands & static_cast<unsigned>(command))) continue;
        const std::string typed = name.ends_with('*') ? name + "x" : name;
        const Flag* const own = find_flag(typed, command);
        CHECK_FALSE((own != nullptr && own->is_for(command)));
        CHECK(find_foreign_flag(typed, command) == &word);
        // "--flag" alone, or at the beginning of a sentence.
        if (!word.say.starts_with("--")) continue;
        const std::string flag(word.say.substr(2, word.say.find(' ') - 2));
        const Flag* const ours = find_flag(flag, command);
        CHECK((ours != nullptr && ours->is_for(command)));
      }
    }
  CHECK(find_foreign_flag("wandb", Command::train) == nullptr);
  CHECK(find_foreign_flag("", Command::train) == nullptr);
  CHECK(find_foreign_flag("generate", Command::train) == nullptr);
  CHECK(find_foreign_command("epochs") == nullptr);
}
