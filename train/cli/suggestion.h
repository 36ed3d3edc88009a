// What a misspelled name was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace train {

// "; did you mean PREFIXname?" for the name most like the given one, if one is near: a letter or
// two apart, or with the given one as its beginning. --force destroys a run, and is never proposed.
std::string suggestion(std::string_view given, std::span<const std::string_view> names,
                       std::string_view prefix);

}  // namespace train
