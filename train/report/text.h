// Texts from outside (a corpus, a prompt, a name, what a model wrote) as parts of a page.
#pragma once

#include <string>
#include <string_view>

namespace train {

// Bytes that are not UTF-8 and characters that HTML forbids become U+FFFD; a carriage return before
// a line feed is removed. A text of more than 10,000 characters (a token can be of any length) is
// cut there, with an ellipsis.
std::string clean(std::string_view text);

// A sample without the blank lines at its head.
std::string_view without_blank_head(std::string_view sample);

// The same as clean() for the contents of an element or a quoted attribute, with HTML's special
// characters escaped.
std::string escaped(std::string_view text);

// JSON as the contents of a <script>, without `</script>`, `<!--` or characters that end a line of
// JavaScript.
std::string for_script(std::string_view json);

// A token as a label, plain text on one line: a space is ␣, a line feed ⏎, a tab ⇥, a carriage
// return ␍; other invisible characters are shown by number, U+200E, and bytes that belong to no
// character as \xd0; a long token is cut after 40 characters, with an ellipsis.
std::string label_of(std::string_view token);

}  // namespace train
