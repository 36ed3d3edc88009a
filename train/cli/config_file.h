// nanoGPT's config files, such as config/train_shakespeare_char.py. nanoGPT executes them as
// Python; gradus reads assignments, one per line:
//
//     # comments                               key = True                   import lines, which are
//     key = 12 * 1024   # products of numbers   key = 'text' or "text"       skipped
#pragma once

#include <string>
#include <string_view>

#include "train/cli/settings.h"
#include "train/system/notes.h"

namespace train {

// Sets what a file with these contents assigns, in its order. Notes which keys are skipped: those
// that have no meaning in gradus (foreign_words.h), and imports. Throws Error,
// `path: line 3: expected ...`.
void apply_config(const std::string& path, std::string_view contents, Command command,
                  Settings& settings, Notes& notes);

}  // namespace train
