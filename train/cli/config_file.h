// nanoGPT's config files, such as config/train_shakespeare_char.py. nanoGPT executes them as
// Python; gradus reads assignments:
//
//     # comments                      key = 'text' or "text"     import lines, which are skipped
//     key = 12 * 1024; key = True     min_lr = learning_rate / 10
//     max_iters = 5_000; lr_decay_iters = max_iters
#pragma once

#include <string>
#include <string_view>

#include "train/cli/settings.h"
#include "train/system/notes.h"

namespace train {

// Makes the assignments of a file with these contents, in order. Notes which keys are skipped: keys
// without a meaning in gradus (foreign_words.h), and imports. Throws Error listing everything that
// is wrong: `path: line 3: expected ...; line 5: ...`.
void apply_config(const std::string& path, std::string_view contents, Command command,
                  Settings& settings, Notes& notes);

std::string read_config(const std::string& path);  // its contents

}  // namespace train
