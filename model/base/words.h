// Names from engine that all of model uses: errors, text for messages, the type of an index.
#pragma once

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "model/base/text.h"

namespace model {

using engine::check;
using engine::count_text;
using engine::counted;
using engine::Error;
using engine::fail;
using engine::Index;
using engine::joined;
using engine::unsigned_size;

}  // namespace model
