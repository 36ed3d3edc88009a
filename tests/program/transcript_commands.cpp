#include "tests/program/transcript_commands.h"

#if __has_include(<sys/wait.h>)
#include <sys/stat.h>
#endif

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/base/check.h"
#include "tests/program/rewrite.h"
#include "tests/program/transcript.h"
#include "train/system/text.h"

namespace fs = std::filesystem;

namespace program {

namespace {

using Words = std::vector<std::string>;

fs::path path_of(const Console& console, const std::string& name) {
  return console.here / std::u8string(name.begin(), name.end());
}

// A file that must be there.
fs::path file_of(const Console& console, const std::string& name) {
  const fs::path path = path_of(console, name);
  engine::check(fs::exists(fs::symlink_status(path)), name, ": is not there");
  return path;
}

std::string contents(const Console& console, const std::string& name) {
  return read(file_of(console, name));
}

std::set<std::string> names_in(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::u8string name = entry.path().filename().u8string();
    if (name[0] != u8'.') names.emplace(name.begin(), name.end());
  }
  return names;
}

// What `repeat` writes for the i-th time.
std::string one_of(std::string_view pattern, std::size_t i) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '{') {
      const std::size_t end = pattern.find('}', at);
      Words choices = alternatives(std::string(pattern.substr(at, end - at + 1)));
      out += choices[i % choices.size()];
      at = end;
    } else if (pattern[at] == '%' || pattern[at] == '#') {
      out += std::to_string(pattern[at] == '%' ? i * i % 97 : i);
    } else {
      out += pattern[at];
    }
  }
  return out;
}

// KEY=VALUE, KEY- or TENSOR[I]=VALUE.
std::string edited(const std::string& bytes, const std::string& change) {
  const std::size_t equals = std::min(change.find('='), change.size()),
                    bracket = change.substr(0, equals).find('[');
  const std::string key = change.substr(0, std::min(equals, bracket)),
                    value = change.substr(std::min(equals + 1, change.size()));
  bool found = false;
  const auto of_key = [&](const std::string& name, const std::string& text) {
    if (bracket != key.npos || (name != key && name + '-' != key)) return std::optional(text);
    found = true;
    return name == key ? std::optional(value) : std::nullopt;
  };
  const auto of_tensor = [&](const std::string& name, std::vector<float>& values) {
    if (bracket == key.npos || !matches(key, name)) return;
    found = true;
    const std::string index = change.substr(bracket + 1, equals - bracket - 2);
    const float number = std::strtof(value.c_str(), nullptr);
    if (index == "*")
      std::ranges::fill(values, number);
    else
      values.at(std::stoul(index)) = number;
  };
  std::string out = rewritten(bytes, of_key, of_tensor);
  engine::check(found, change, ": there is none");
  return out;
}

int cat(Console& console, const Words& words) {
  if (words.size() == 1) console.out = console.input;
  for (std::size_t i = 1; i < words.size(); ++i) console.out += contents(console, words[i]);
  return 0;
}

int cd(Console& console, const Words& words) {
  console.here = file_of(console, words.at(1));
  return 0;
}

int cmp(Console& console, const Words& words) {
  return contents(console, words.at(1)) == contents(console, words.at(2)) ? 0 : 1;
}

int cp(Console& console, const Words& words) {
  const bool whole = words.at(1) == "-r";
  const fs::path to = path_of(console, words.back());
  for (std::size_t i = whole ? 2 : 1; i + 1 < words.size(); ++i) {
    const fs::path from = file_of(console, words[i]);
    const fs::path place = fs::is_directory(to) ? to / from.filename() : to;
    if (whole)
      fs::copy(from, place, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    else if (fs::exists(place))  // MinGW's copy_file replaces nothing
      write(place, read(from));
    else
      fs::copy_file(from, place);
  }
  return 0;
}

int diff(Console& console, const Words& words) {
  const fs::path one = file_of(console, words.at(1)), other = file_of(console, words.at(2));
  std::set<std::string> names = names_in(one);
  names.merge(names_in(other));
  for (const std::string& name : names)
    if (std::ranges::find(words, name) == words.end() &&
        (!fs::exists(one / name) || !fs::exists(other / name) ||
         read(one / name) != read(other / name)))
      console.out += name + " differs\n";
  return console.out.empty() ? 0 : 1;
}

int edit(Console& console, const Words& words) {
  const fs::path file = file_of(console, words.at(1));
  for (std::size_t i = 2; i < words.size(); ++i) write(file, edited(read(file), words[i]));
  return 0;
}

int grep(Console& console, const Words& words) {
  std::istringstream lines(contents(console, words.at(2)));
  for (std::string line; std::getline(lines, line);)
    if (line.find(words[1]) != line.npos) console.out += line + '\n';
  return console.out.empty() ? 1 : 0;
}

int head(Console& console, const Words& words) {
  const std::string all = contents(console, words.at(3));
  const long count = std::stol(words[2]);  // below 0: all but the last ones
  console.out =
      all.substr(0, static_cast<std::size_t>(count < 0 ? std::ssize(all) + count : count));
  return 0;
}

int mkfifo(Console& console, const Words& words) {
  const fs::path path = path_of(console, words.at(1));
#if __has_include(<sys/wait.h>)
  return ::mkfifo(path.c_str(), 0666);
#else
  throw engine::Error(path.string() + ": there are no pipes with a name here");
#endif
}

int repeat(Console& console, const Words& words) {
  const std::string text = train::unescaped(words.at(2));
  for (std::size_t i = 0; i < std::stoul(words.at(1)); ++i) console.out += one_of(text, i);
  return 0;
}

int ln(Console& console, const Words& words) {
  const fs::path place = path_of(console, words.back());
  words.at(1) == "-s" ? fs::create_symlink(words.at(2), place)
                      : fs::create_hard_link(file_of(console, words[1]), place);
  return 0;
}

int ls(Console& console, const Words& words) {
  const fs::path path = words.size() == 1 ? console.here : file_of(console, words[1]);
  if (!fs::is_directory(path))
    console.out = words[1] + '\n';
  else
    for (const std::string& name : names_in(path)) console.out += name + '\n';
  return 0;
}

int metadata(Console& console, const Words& words) {
  for (std::size_t i = 2; i < words.size(); ++i)
    console.out += words[i] + ": " + setting_of(file_of(console, words[1]), words[i]) + '\n';
  return 0;
}

int mkdir(Console& console, const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) fs::create_directories(path_of(console, words[i]));
  return 0;
}

int mv(Console& console, const Words& words) {
  fs::rename(file_of(console, words.at(1)), path_of(console, words.at(2)));
  return 0;
}

int printf(Console& console, const Words& words) {
  console.out = train::unescaped(words.at(1));
  return 0;
}

int rm(Console& console, const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) fs::remove_all(file_of(console, words[i]));
  return 0;
}

// The first place of every line, as sed has it.
int sed(Console& console, const Words& words) {
  const std::string& rule = words.at(1);  // s/text/other/
  const std::size_t middle = rule.find('/', 2);
  const std::string text = rule.substr(2, middle - 2),
                    other = rule.substr(middle + 1, rule.size() - middle - 2);
  std::istringstream lines(contents(console, words.at(2)));
  for (std::string line; std::getline(lines, line); console.out += line + '\n')
    if (const std::size_t at = line.find(text); at != line.npos)
      line.replace(at, text.size(), other);
  return 0;
}

int truncate(Console& console, const Words& words) {
  fs::resize_file(file_of(console, words.at(3)), std::stoull(words[2]));
  return 0;
}

int utf16(Console& console, const Words& words) {
  console.out = "\xff\xfe";
  for (const char c : contents(console, words.at(1))) console.out += {c, '\0'};
  return 0;
}

int wc(Console& console, const Words& words) {
  const std::string text = contents(console, words.at(2));
  console.out =
      std::to_string(words[1] == "-c" ? std::ssize(text) : std::ranges::count(text, '\n'));
  console.out += '\n';
  return 0;
}

const std::map<std::string, int (*)(Console&, const Words&)> commands = {
    {"cat", cat},       {"cd", cd},     {"cmp", cmp},           {"cp", cp},
    {"diff", diff},     {"edit", edit}, {"grep", grep},         {"head", head},

    {"ln", ln},         {"ls", ls},     {"metadata", metadata}, {"mkdir", mkdir},
    {"mkfifo", mkfifo}, {"mv", mv},     {"printf", printf},     {"repeat", repeat},
    {"rm", rm},         {"sed", sed},   {"truncate", truncate}, {"utf16", utf16},
    {"wc", wc}};

}  // namespace

bool is_command(const std::string& name) { return commands.contains(name); }

int run_command(Console& console, const std::vector<std::string>& words) {
  return commands.at(words[0])(console, words);
}

}  // namespace program
