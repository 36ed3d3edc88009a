// --config's files, and the settings they lead to.
#include "tests/fuzz/fuzz.h"
#include "train/cli/arguments.h"

namespace {

std::string contents;

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  contents = fuzz::bytes_of(data, size);
  const std::string_view words[] = {"train", "text", "--config", "file"};
  fuzz::accepts([&] {
    const train::Invocation invocation =
        train::read_arguments(words, [](const std::string&) { return contents; });
    // Each setting, written as a flag, is accepted and the same again.
    train::Settings again;
    for (const train::Flag& flag : train::flags()) {
      if (!flag.is_for(train::Command::train) || !invocation.settings.train.given.has(flag.key))
        continue;
      const std::string value = flag.get(invocation.settings);
      flag.give(again, value, flag.name);
      fuzz::demand(flag.get(again) == value);
    }
  });
  return 0;
}
