// nanoGPT's config files, config/train_shakespeare_char.py and its like. Python executes them; here
// they are read, line by line:
//
//     # comments                               key = True                   import lines, which are
//     key = 12 * 1024   # products of numbers   key = 'text' or "text"       skipped
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/real.h"

namespace train {

struct Assignment {
  engine::Index line;
  std::string key;
  std::string value;  // as the flag of that name would have it
  bool is_text;       // it was in quotes
};

struct ConfigText {
  std::vector<Assignment> assignments;
  std::vector<std::string> skipped;  // keys without meaning here, and "import": each once
};

// Throws engine::Error, `line 3: expected ...`.
ConfigText parse_config(std::string_view text);

// nanoGPT's keys for what gradus has no choice of (device, compile, wandb_log, ...).
bool is_without_meaning(std::string_view key);

}  // namespace train
