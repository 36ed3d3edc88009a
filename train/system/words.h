// Names from the rooms below that all of train uses: errors, and text for messages.
#pragma once

#include "model/base/files.h"
#include "model/base/words.h"

namespace train {

using engine::check;
using engine::count_text;
using engine::counted;
using engine::Error;
using engine::fail;
using engine::Index;
using engine::joined;
using model::absolute_path;
using model::duration_text;
using model::file_exists;
using model::fixed_text;
using model::in_quotes;
using model::inside;
using model::is_directory;
using model::last_name;
using model::last_separator;
using model::printable;
using model::read_file;
using model::shell_quoted;
using model::shell_word;
using model::short_text;
using model::unbroken;
using model::write_file;

}  // namespace train
