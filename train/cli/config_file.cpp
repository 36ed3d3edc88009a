#include "train/cli/config_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/number.h"
#include "model/base/files.h"
#include "model/base/utf8.h"
#include "train/cli/foreign_words.h"
#include "train/cli/suggestion.h"
#include "train/system/words.h"

namespace train {

using engine::Parsed;

namespace {

struct Assignment {
  std::string key;
  std::string value;  // in the form that the flag of that name accepts
  bool is_text;       // it was in quotes
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\f";
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

// Removes from `text` everything up to and including `end` (all of it if there is no `end`), and
// returns what came before `end`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

std::string_view take_name(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() &&
         (is_letter(text[size]) || (size > 0 && engine::is_digit(text[size]))))
    ++size;
  const std::string_view name = text.substr(0, size);
  text.remove_prefix(size);
  return name;
}

// A single number as it is written, or the value of a product: a whole number if all factors are.
std::string product(std::string_view text) {
  std::int64_t whole = 1;
  double real = 1;
  bool is_whole = true;
  std::string_view rest = text;
  for (bool more = true; more;) {
    more = rest.find('*') != std::string_view::npos;
    const std::string digits = std::string(trimmed(take_until(rest, '*')));
    double factor = 0;
    std::int64_t whole_factor = 0;
    check(engine::parse_number(digits, factor) == Parsed::ok,
          "expected a number, a product of numbers, a quoted string, True or False, found ",
          in_quotes(text));
    if (!more && digits.size() == text.size()) return digits;
    real *= factor;
    is_whole = is_whole && engine::parse_number(digits, whole_factor) == Parsed::ok &&
               !__builtin_mul_overflow(whole, whole_factor, &whole);
  }
  return is_whole ? std::to_string(whole) : engine::number_text(real);
}

// Reads what follows the equals sign: the text between quotes as it is, a truth, or a number.
Assignment read_value(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('\'') || text.starts_with('"')) {
    const std::size_t end = text.find(text[0], 1);
    check(end != text.npos, "expected ", text[0], " at the end of ", in_quotes(text));
    const std::string_view rest = trimmed(text.substr(end + 1));
    check(rest.empty() || rest[0] == '#', "expected nothing after the string, found ",
          in_quotes(rest));
    return {"", std::string(text.substr(1, end - 1)), true};
  }
  text = trimmed(take_until(text, '#'));
  return {"", text == "True" ? "true" : text == "False" ? "false" : product(text), false};
}

// The assignment in a line; none for comments, imports and keys that are skipped.
std::optional<Assignment> read_line(std::string_view line, std::vector<std::string>& skipped) {
  const auto skip = [&](std::string_view what) {
    if (std::find(skipped.begin(), skipped.end(), what) == skipped.end())
      skipped.emplace_back(what);
    return std::nullopt;
  };
  std::string_view rest = trimmed(line);
  if (rest.empty() || rest[0] == '#') return std::nullopt;
  const std::string_view key = take_name(rest);
  if ((key == "import" || key == "from") && !rest.empty() && rest[0] == ' ') return skip("import");
  rest = trimmed(rest);
  check(!key.empty() && rest.starts_with('=') && !rest.starts_with("=="),
        "expected key = value, found ", in_quotes(trimmed(line)));
  rest.remove_prefix(1);
  std::string_view value = rest;
  if (const ForeignWord* const foreign = find_foreign_flag(key, Command::train))
    if (foreign->is_skipped || trimmed(take_until(value, '#')) == "False") return skip(key);
  Assignment assignment = read_value(rest);
  assignment.key = key;
  return assignment;
}

void assign(const Assignment& assignment, Command command, Settings& settings, Notes& notes) {
  const std::string& key = assignment.key;
  const Flag* const flag = find_flag(key, command);
  if (key == "init_from") {
    check(assignment.value != "resume", key,
          ": \"resume\" is not supported in a config: --resume DIR continues a run");
    if (assignment.value == "scratch") return;
  }
  if (key == "dtype" && assignment.value == "float16") {
    notes.add("dtype: float16 in the config is computed as float32");
    return flag->give(settings, "float32", key);
  }
  if (!flag || !flag->is_for(command) || key == "config") {
    if (const ForeignWord* const foreign = find_foreign_flag(key, command))
      fail(key, ": ", what_to_say(*foreign, info_of(command).name));
    std::vector<std::string_view> keys = flag_names(command);
    std::erase(keys, "config");
    fail(printable(key), ": unknown key", suggestion(key, keys, ""));
  }
  const bool takes_text = flag->form == model::Form::text;
  check(flag->form == model::Form::either || takes_text == assignment.is_text, key, ": ",
        in_quotes(assignment.value),
        assignment.is_text ? " is a string, expected " : " is not a string, expected ",
        takes_text ? "one in quotes" : "none");
  flag->give(settings, assignment.value, key);
}

}  // namespace

void apply_config(const std::string& path, std::string_view contents, Command command,
                  Settings& settings, Notes& notes) {
  if (contents.starts_with("\xEF\xBB\xBF")) contents.remove_prefix(3);  // a byte-order mark
  std::vector<std::string> skipped;
  for (Index line = 1; !contents.empty(); ++line)
    model::within(
        [&] {
          const auto assignment = read_line(take_until(contents, '\n'), skipped);
          if (assignment) assign(*assignment, command, settings, notes);
        },
        printable(path), ": line ", line);
  std::string keys;
  for (const std::string& key : skipped) keys += (keys.empty() ? "" : ", ") + printable(key);
  if (!keys.empty()) notes.add(printable(path) + ": no meaning here, skipped: " + keys);
}

}  // namespace train
