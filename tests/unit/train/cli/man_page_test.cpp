// The man page, as a reader of roff sees it, is the help.
#include <sstream>
#include <string>

#include "tests/catch.h"
#include "train/cli/arguments.h"

using namespace train;

namespace {

// What man shows of a page without filling: no requests, and each escape as the character it stands for.
std::string shown(const std::string& page) {
  std::string text;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line); text += '\n') {
    if (line[0] == '.' || line[0] == '\'') continue;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\\') {
        text += line[i];
        continue;
      }
      INFO(line);
      REQUIRE(++i < line.size());
      if (line[i] == 'e')
        text += '\\';
      else if (line[i] == '-')
        text += '-';
      else
        REQUIRE(line[i] == '&');
    }
  }
  return text;
}

}  // namespace

TEST_CASE("help: the man page shows every command's help, letter by letter") {
  const std::string page = shown(man_page());
  for (const CommandInfo& command : commands()) {
    INFO(command.name);
    CHECK_THAT(page, Catch::Contains("\n" + help_text(command.command, 80)));
  }
}
