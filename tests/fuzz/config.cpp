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
    for (const std::string_view name : invocation.settings.given) {
      const train::Flag& flag = *train::find_flag(name);
      const std::string value = flag.get(invocation.settings);
      flag.give(again, value, name);
      fuzz::demand(flag.get(again) == value);
    }
  });
  return 0;
}
