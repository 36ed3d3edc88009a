// Names from the rooms below that all of train uses: errors, and text for messages.
#pragma once

#include "model/base/words.h"
#include "train/system/text.h"

namespace train {

using engine::check;
using engine::count_text;
using engine::counted;
using engine::Error;
using engine::fail;
using engine::Index;
using engine::joined;
using model::fixed_text;
using model::in_quotes;
using model::printable;
using model::short_text;

}  // namespace train
