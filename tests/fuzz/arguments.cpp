// Command lines: the input's lines are the words, which end at a NUL.
#include "train/cli/arguments.h"

#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string_view> words;
  for (std::string_view rest = fuzz::bytes_of(data, size); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    words.push_back(rest.substr(0, std::min(end, rest.find('\0'))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  fuzz::demand(train::speaker(words).starts_with("gradus"));
  fuzz::accepts([&] {
    const train::Invocation invocation = train::read_arguments(words);
    if (invocation.help)
      fuzz::demand(!train::help_text(invocation.command, 80).empty());
    else
      fuzz::demand(invocation.command.has_value() || invocation.print != nullptr);
    for (const train::Flag& flag : train::flags()) (void)flag.get(invocation.settings);
    for (const std::string& note : invocation.notes.waiting())
      fuzz::accepts([&] { throw engine::Error(note); });
  });
  return 0;
}
