// --config's files, and the settings they lead to.
#include "train/cli/config_file.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepts([&] {
    train::Settings settings;
    train::Notes notes;
    train::apply_config("file", fuzz::bytes_of(data, size), train::Command::train, settings, notes);
    // Each setting, written as a flag, is accepted and the same again.
    train::Settings again;
    for (const train::Flag& flag : train::flags()) {
      if (!flag.is_for(train::Command::train) || !settings.train.given.has(flag.key)) continue;
      const std::string value = flag.get(settings);
      flag.give(again, value, flag.name);
      fuzz::demand(flag.get(again) == value);
    }
  });
  return 0;
}
