#include "tests/program/proposals.h"

#include <algorithm>

#include "tests/catch.h"
#include "train/cli/arguments.h"

namespace program {

std::vector<std::string> words_of(const std::string& line, std::size_t at) {
  std::vector<std::string> words(1);
  for (char quote = 0; at < line.size() && (quote != 0 || (line[at] != '\n' && line[at] != ';'));
       ++at)
    if (line[at] == '\'' && (quote == 0 || quote == '\''))
      quote = quote == 0 ? '\'' : '\0';
    else if (line[at] == ' ' && quote == 0)
      words.emplace_back();
    else
      words.back() += line[at];
  return words;
}

void check_proposals(const std::string& err, const std::filesystem::path& directory) {
  const std::filesystem::path here = std::filesystem::current_path();
  for (const std::string before : {"to try it: ", "a longer run: ", "training of its model: "})
    for (std::size_t at = 0; (at = err.find(before, at)) != err.npos;) {
      at += before.size();
      std::vector<std::string> words = words_of(err, at);
      const auto train = std::ranges::find(words, "train");
      INFO(err.substr(at, 300));
      REQUIRE(train != words.end());
      const std::vector<std::string_view> arguments(train, words.end());
      std::filesystem::current_path(directory);  // where its files are
      CHECK_NOTHROW(train::read_arguments(arguments));
      std::filesystem::current_path(here);
    }
}

}  // namespace program
