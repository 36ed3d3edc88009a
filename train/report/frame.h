// The frame of a report: an HTML document with its style and script inside, which needs nothing from
// anywhere.
#pragma once

#include <string>

namespace train {

// Without script every picture and number is there; the script adds
// the values under the pointer and the arrow keys.
std::string framed(const std::string& title, const std::string& html);

}  // namespace train
