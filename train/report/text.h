// Texts of strangers (a corpus, a prompt, a name, what a model wrote) as parts of a page.
#pragma once

#include <string>
#include <string_view>

namespace train {

// Bytes that are not UTF-8, and characters that no page may hold, become U+FFFD; a carriage return
// before a line feed goes.
std::string clean(std::string_view text);

// The same for the contents of an element or a quoted attribute: what has a meaning in HTML is
// escaped.
std::string escaped(std::string_view text);

// JSON as the contents of a <script>: neither `</script>` nor `<!--` is in it, and no character that
// ends a line of JavaScript.
std::string for_script(std::string_view json);

// A token as a label, on one line, as plain text: a space is ␣, a line feed ⏎, a tab ⇥, a carriage
// return ␍, other characters that cannot be seen by their numbers, U+200E, bytes of no character as
// \xd0.
std::string label_of(std::string_view token);

}  // namespace train
