// The frame of a report: an HTML document with its style and script inside, which needs nothing from
// anywhere.
#pragma once

#include <string>

namespace train {

// title: plain text. body: HTML. Without script every picture and number is there; the script adds
// the values under the pointer and the arrow keys.
std::string framed(const std::string& title, const std::string& body);

}  // namespace train
