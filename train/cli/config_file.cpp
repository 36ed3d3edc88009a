#include "train/cli/config_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "train/cli/arguments.h"
#include "train/cli/foreign_words.h"
#include "train/cli/suggestion.h"
#include "train/system/files.h"
#include "train/system/words.h"

namespace train {

using engine::Parsed;

namespace {

// The value of an expression, in the form that a flag accepts.
struct Value {
  std::string text;
  bool is_text = false;  // it was in quotes
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

// Removes a statement from the line, up to a semicolon or comment outside quotes.
std::string_view take_statement(std::string_view& line) {
  char quote = '\0';
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == ';' || c == '#')
      break;
  }
  const std::string_view statement = line.substr(0, end);
  line.remove_prefix(end < line.size() && line[end] == ';' ? end + 1 : line.size());
  return trimmed(statement);
}

std::string text_of(double number) {
  const bool is_whole = number == std::floor(number) && std::fabs(number) < 0x1p63;
  return is_whole ? std::to_string(static_cast<std::int64_t>(number)) : engine::number_text(number);
}

// Evaluates expressions as Python does:
//     sum     = product {(`+` | `-`) product}
//     product = factor {(`*` | `/`) factor}
//     factor  = {`-`} atom [`**` factor]
//     atom    = number | string | True | False | key | `(` sum `)`
class Expression {
 public:
  // A key stands for its value in these settings, if it was given.
  Expression(std::string_view text, const Settings& settings, Command command)
      : all_(trimmed(text)), rest_(all_), settings_(settings), command_(command) {}

  Value value() {
    Value value = sum();
    if (!rest_.empty()) refuse();
    return value;
  }

 private:
  [[noreturn]] void refuse() const {
    fail(
        "expected a number, a quoted string, True, False, a key set above, or these joined by "
        "+ - * / ** ( ), found ",
        in_quotes(all_), is_choice() ? "; if, else and comparisons are not read" : "");
  }

  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_ = trimmed(rest_.substr(sign.size()));
    return true;
  }
  bool is_choice() const {
    std::string_view rest = rest_;
    const std::string_view name = take_name(rest);
    return name == "if" || name == "else" ||
           (!rest.empty() && name.empty() && std::string_view("<>=!").find(rest[0]) != rest.npos);
  }

  double number(const Value& value) const {
    double number = 0;
    if (value.is_text) refuse();
    if (value.text == "true" || value.text == "false") return value.text == "true";
    if (engine::parse_number(value.text, number) == Parsed::malformed) refuse();
    return number;
  }

  // For whole numbers, the exact result as in Python, if it fits in 64 bits, as a seed does.
  std::string calculated(const Value& left, std::string_view sign, const Value& right) const {
    const double x = number(left), y = number(right);
    std::int64_t a = 0, b = 0, whole = 0;
    if (engine::parse_number(left.text, a) == Parsed::ok &&
        engine::parse_number(right.text, b) == Parsed::ok &&
        !(sign == "+"    ? __builtin_add_overflow(a, b, &whole)
          : sign == "-"  ? __builtin_sub_overflow(a, b, &whole)
          : sign == "*"  ? __builtin_mul_overflow(a, b, &whole)
          : sign == "**" ? power_overflows(a, b, whole)
                         : true))
      return std::to_string(whole);
    return text_of(sign == "+"    ? x + y
                   : sign == "-"  ? x - y
                   : sign == "*"  ? x * y
                   : sign == "**" ? std::pow(x, y)
                                  : x / y);
  }

  static bool power_overflows(std::int64_t base, std::int64_t exponent, std::int64_t& power) {
    power = 1;
    if (exponent < 0 || exponent > 64) return true;
    while (exponent-- > 0)
      if (__builtin_mul_overflow(power, base, &power)) return true;
    return false;
  }

  Value sum() {
    Value sum = product();
    for (;;)
      if (take("+"))
        sum.text = calculated(sum, "+", product());
      else if (take("-"))
        sum.text = calculated(sum, "-", product());
      else
        return sum;
  }

  Value product() {
    Value product = factor();
    for (;;)
      if (take("*"))
        product.text = calculated(product, "*", factor());
      else if (take("/"))
        product.text = calculated(product, "/", factor());
      else
        return product;
  }

  Value factor() {
    constexpr int deepest = 100;
    if (++depth_ > deepest) refuse();
    bool is_negative = false;
    while (take("-")) is_negative = !is_negative;
    Value value = atom();
    if (take("**")) value.text = calculated(value, "**", factor());
    if (is_negative)
      value.text = !value.is_text && engine::is_digit(value.text[0])
                       ? "-" + value.text
                       : calculated({"0"}, "-", value);
    --depth_;
    return value;
  }

  Value atom() {
    if (take("(")) {
      Value value = sum();
      if (!take(")")) refuse();
      return value;
    }
    if (rest_.empty()) refuse();
    if (rest_[0] == '\'' || rest_[0] == '"') return quoted();
    return is_letter(rest_[0]) ? key() : literal();
  }

  Value quoted() {
    const std::size_t end = rest_.find(rest_[0], 1);
    check(end != rest_.npos, "expected ", rest_[0], " at the end of ", in_quotes(rest_));
    Value value{std::string(rest_.substr(1, end - 1)), true};
    rest_ = trimmed(rest_.substr(end + 1));
    return value;
  }

  // The text as written, except that 5e3 becomes the whole number 5000.
  Value literal() {
    const auto is_part = [&](std::size_t i) {
      return engine::is_digit(rest_[i]) || is_letter(rest_[i]) || rest_[i] == '.' ||
             (i > 0 && (rest_[i - 1] == 'e' || rest_[i - 1] == 'E'));
    };
    std::size_t size = 0;
    while (size < rest_.size() && is_part(size)) ++size;
    Value value{std::string(rest_.substr(0, size))};
    for (std::size_t i = 1; i + 1 < value.text.size(); ++i)  // 1_000 is 1000
      if (value.text[i] == '_' && engine::is_digit(value.text[i - 1]) &&
          engine::is_digit(value.text[i + 1]))
        value.text.erase(i, 1);
    double number = 0;
    if (engine::parse_number(value.text, number) != Parsed::ok) refuse();
    if (value.text.find_first_of("eE.") != value.text.npos && number == std::floor(number))
      value.text = text_of(number);
    rest_ = trimmed(rest_.substr(size));
    return value;
  }

  Value key() {
    const std::string_view name = take_name(rest_);
    rest_ = trimmed(rest_);
    if (name == "True") return {"true"};
    if (name == "False") return {"false"};
    const Flag* const flag = find_flag(name, command_);
    if (flag == nullptr) refuse();
    check(settings_.train.given.has(flag->key), "no value was given to ", name, " before ",
          in_quotes(all_));
    double number = 0;
    Value value{flag->get(settings_)};
    value.is_text =
        flag->form == model::Form::text || (flag->form == model::Form::either &&
                                            engine::parse_number(value.text, number) != Parsed::ok);
    return value;
  }

  std::string_view all_, rest_;
  const Settings& settings_;
  Command command_;
  int depth_ = 0;
};

void assign(const std::string& key, const Value& value, Command command, Settings& settings,
            Notes& notes) {
  const Flag* const flag = find_flag(key, command);
  const Special special = flag ? flag->special : Special::none;
  if (special == Special::init_from) {
    check(value.text != "resume", key,
          ": \"resume\" is not supported in a config: --resume DIR continues a run");
    if (value.text == "scratch") return;
  }
  if (flag && flag->key == model::key_of<&Plan::dtype> && value.text == "float16") {
    notes.add("dtype: float16 in the config is computed as float32");
    return flag->give(settings, "float32", key);
  }
  if (!flag || !flag->is_for(command) || special == Special::config) {
    if (const ForeignWord* const foreign = find_foreign_flag(key, command))
      fail(key, ": ", what_to_say(*foreign, info_of(command).name));
    std::vector<std::string_view> keys = flag_names(command);
    std::erase(keys, "config");
    fail(printable(key), ": unknown key", suggestion(key, keys, ""));
  }
  const bool takes_text = flag->form == model::Form::text;
  check(flag->form == model::Form::either || takes_text == value.is_text, key, ": ",
        in_quotes(value.text),
        value.is_text ? " is a string, expected " : " is not a string, expected ",
        takes_text ? "it in quotes" : "a value without quotes");
  flag->give(settings, special == Special::escapes ? unescaped(key, value.text, notes) : value.text,
             key);
}

std::string listed(const std::vector<std::string>& parts, std::string_view between) {
  std::string all;
  for (const std::string& part : parts) all += joined(all.empty() ? "" : between, part);
  return all;
}

// Applies one statement. Comments, imports and skipped keys change nothing.
void apply(std::string_view statement, Command command, Settings& settings,
           std::vector<std::string>& skipped, Notes& notes) {
  const auto skip = [&](std::string_view what) {
    if (std::ranges::find(skipped, what) == skipped.end()) skipped.emplace_back(what);
  };
  std::string_view rest = statement;
  const std::string_view key = take_name(rest);
  if (rest.empty() && key.empty()) return;
  if ((key == "import" || key == "from") && rest.starts_with(' ')) return skip("import");
  rest = trimmed(rest);
  check(!key.empty() && rest.starts_with('=') && !rest.starts_with("=="),
        "expected key = value, found ", in_quotes(statement));
  rest = trimmed(rest.substr(1));
  if (const ForeignWord* const foreign = find_foreign_flag(key, Command::train))
    if (foreign->is_skipped || rest == "False") return skip(key);
  assign(std::string(key), Expression(rest, settings, command).value(), command, settings, notes);
}

}  // namespace

void apply_config(const std::string& path, std::string_view contents, Command command,
                  Settings& settings, Notes& notes) {
  constexpr std::size_t most = 5;
  if (contents.starts_with("\xEF\xBB\xBF")) contents.remove_prefix(3);  // a byte-order mark
  std::vector<std::string> skipped, refused;
  for (Index number = 1; !contents.empty(); ++number) {
    std::string_view line = take_until(contents, '\n');
    while (!line.empty()) {
      try {
        apply(take_statement(line), command, settings, skipped, notes);
      } catch (const Error& error) {
        refused.push_back(joined("line ", number, ": ", error.what()));
      }
    }
  }
  if (refused.size() > most) refused[most] = joined("and ", refused.size() - most, " more");
  refused.resize(std::min(refused.size(), most + 1));
  check(refused.empty(), printable(path), ": ", listed(refused, "; "));
  if (!skipped.empty())
    notes.add(printable(path), ": no meaning here, skipped: ", listed(skipped, ", "));
}

std::string read_config(const std::string& path) {
  constexpr std::int64_t max_bytes = 1 << 20;
  return read_file(path, max_bytes);
}

}  // namespace train
