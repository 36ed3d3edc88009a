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
  // Keys that have no meaning in gradus (foreign_words.h), and "import"; each once.
  std::vector<std::string> skipped;
};

// Throws engine::Error, `line 3: expected ...`.
ConfigText parse_config(std::string_view text);

}  // namespace train
