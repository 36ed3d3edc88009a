// nanoGPT's config files, such as config/train_shakespeare_char.py. nanoGPT executes them as
// Python; gradus reads assignments, one per line:
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
  std::string value;  // in the form that the flag of that name accepts
  bool is_text;       // it was in quotes
};

struct ConfigText {
  std::vector<Assignment> assignments;
  std::vector<std::string> skipped;  // keys that have no meaning in gradus, and "import"; each once
};

// Throws engine::Error, `line 3: expected ...`.
ConfigText parse_config(std::string_view text);

// Whether the key is one of nanoGPT's that have no meaning in gradus (device, compile, wandb_log,
// ...).
bool is_without_meaning(std::string_view key);
// Why it has none, in a few words.
std::string_view reason_to_skip(std::string_view key);

}  // namespace train
