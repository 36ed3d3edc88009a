#include "tests/program/transcript.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "model/base/text.h"
#include "tests/program/result.h"

namespace program {

namespace {

// "[posix]" behind a title.
void split_tags(Case& of) {
  const std::size_t at = of.title.find(" [");
  if (at == of.title.npos) return;
  of.tags = of.title.substr(at + 1);
  of.title.resize(at);
}

// {1.85 ~ 0.01} at the beginning of a pattern; its length, or 0.
int number_at(std::string_view pattern, double& value, double& tolerance) {
  int length = 0;
  if (!pattern.starts_with('{')) return 0;
  std::sscanf(std::string(pattern.substr(0, 80)).c_str(), "{%lf ~ %lf}%n", &value, &tolerance,
              &length);
  return length;
}

std::string as_pattern(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '*' ? std::string("\\*") : std::string(1, c);
  return out;
}

std::vector<std::string> words_of_pattern(std::string_view line) {
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < line.size(); ++at) {
    double value, tolerance;
    const int length = number_at(line.substr(at), value, tolerance);
    if (line[at] == ' ')
      words.emplace_back();
    else
      words.back() += line.substr(at, std::max<std::size_t>(1, static_cast<std::size_t>(length)));
    if (length > 0) at += static_cast<std::size_t>(length) - 1;
  }
  return words;
}

// What may take the place of a pattern: other words than it has cost something.
double difference(const std::string& pattern, const std::string& line) {
  std::vector<std::string> old_words = words_of_pattern(pattern), words = words_of_pattern(line),
                           common;
  std::ranges::sort(old_words);
  std::ranges::sort(words);
  std::ranges::set_intersection(old_words, words, std::back_inserter(common));
  return 1 - static_cast<double>(common.size()) /
                 static_cast<double>(std::max(old_words.size(), words.size()));
}

std::string mended_line(const std::string& pattern, const std::string& line);

// The cheapest way from patterns to texts. A "*" takes any number of texts, a pattern that matches
// stays; replaced(pattern, text) makes another of it, at least at the cost of 1.
template <class Replaced>
std::vector<std::string> aligned(const std::vector<std::string>& patterns,
                                 const std::vector<std::string>& texts, Replaced replaced) {
  const std::size_t P = patterns.size(), T = texts.size();
  constexpr double never = 1e9, dropped = 3, added = 3;
  std::vector<std::vector<double>> cost(P + 1, std::vector<double>(T + 1, never));
  const auto pair = [&](std::size_t p, std::size_t t) {
    return matches(patterns[p], texts[t]) ? 0 : 1 + difference(patterns[p], texts[t]);
  };
  const auto taken = [&](std::size_t p) { return patterns[p] == "*" ? 0 : never; };
  const auto left_out = [&](std::size_t p) { return patterns[p] == "*" ? 0 : dropped; };
  for (std::size_t p = P + 1; p-- > 0;)
    for (std::size_t t = T + 1; t-- > 0;) {
      double& least = cost[p][t] = p == P && t == T ? 0 : never;
      if (t < T) least = std::min(least, added + cost[p][t + 1]);
      if (p < P) least = std::min(least, left_out(p) + cost[p + 1][t]);
      if (p < P && t < T) least = std::min(least, pair(p, t) + cost[p + 1][t + 1]);
      if (p < P && t < T) least = std::min(least, taken(p) + cost[p][t + 1]);
    }
  std::vector<std::string> out;
  for (std::size_t p = 0, t = 0; p < P || t < T;) {
    const double here = cost[p][t];
    if (p < P && t < T && here == pair(p, t) + cost[p + 1][t + 1]) {
      out.push_back(matches(patterns[p], texts[t]) ? patterns[p] : replaced(patterns[p], texts[t]));
      ++p, ++t;
    } else if (p < P && here == left_out(p) + cost[p + 1][t]) {
      if (patterns[p] == "*") out.push_back("*");
      ++p;
    } else if (p < P && t < T && here == taken(p) + cost[p][t + 1]) {
      ++t;
    } else {
      out.push_back(as_pattern(texts[t++]));
    }
  }
  return out;
}

std::string mended_line(const std::string& pattern, const std::string& line) {
  std::string out;
  for (const std::string& word :
       aligned(words_of_pattern(pattern), words_of_pattern(line),
               [](const std::string&, const std::string& text) { return as_pattern(text); }))
    out += ' ' + word;
  return out.substr(1);
}

}  // namespace

Transcript read_transcript(const std::filesystem::path& path) {
  Transcript transcript{path.generic_string(), {}, {}, {}};
  std::istringstream file(read(path));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("== ")) {
      transcript.cases.push_back({line.substr(3), "", number, {}, {}});
      split_tags(transcript.cases.back());
    } else if (transcript.cases.empty()) {
      transcript.head.push_back(line);
      if (!line.starts_with('#') && equals != line.npos)
        transcript.variables[line.substr(0, equals)] = line.substr(equals + 3);
    } else if (line.starts_with("$ ") || refusal_in(line)) {
      transcript.cases.back().blocks.push_back({number, {line}});
    } else {
      Case& last = transcript.cases.back();
      (last.blocks.empty() ? last.head : last.blocks.back().lines).push_back(line);
    }
  }
  return transcript;
}

void write_transcript(const Transcript& transcript) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += line + '\n';
  };
  add(transcript.head);
  for (const Case& each : transcript.cases) {
    add({"== " + each.title + (each.tags.empty() ? "" : ' ' + each.tags)});
    add(each.head);
    for (const Block& block : each.blocks) add(block.lines);
  }
  if (text != read(transcript.path)) write(transcript.path, text);
}

std::vector<std::string> lines_of_output(std::string_view output) {
  if (output == "\n") return {"\\n"};  // "1>" alone is no line at all
  std::vector<std::string> lines;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string line;
    for (const char c : output.substr(0, end))
      if (static_cast<unsigned char>(c) < 32 || c == 127)
        line += "\\x" + model::hex(static_cast<unsigned char>(c), 2);
      else
        line += c;
    if (line.ends_with(' ')) line.replace(line.size() - 1, 1, "\\x20");
    if (end == output.size()) line += "\\c";
    lines.push_back(line);
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return lines;
}

bool matches(std::string_view pattern, std::string_view line) {
  if (pattern.empty()) return line.empty();
  double expected, tolerance;
  if (pattern[0] == '*') {
    pattern.remove_prefix(1);
    for (std::size_t at = 0; at <= line.size(); ++at)
      if (matches(pattern, line.substr(at))) return true;
    return false;
  }
  if (const int length = number_at(pattern, expected, tolerance); length > 0) {
    const std::string text(line);
    char* end = nullptr;
    const double found = std::strtod(text.c_str(), &end);
    return end != text.c_str() && std::abs(found - expected) <= tolerance &&
           matches(pattern.substr(static_cast<std::size_t>(length)),
                   line.substr(static_cast<std::size_t>(end - text.c_str())));
  }
  if (pattern.starts_with("\\*")) pattern.remove_prefix(1);
  return !line.empty() && pattern[0] == line[0] && matches(pattern.substr(1), line.substr(1));
}

bool matches(const std::vector<std::string>& patterns, const std::vector<std::string>& lines) {
  // from[p]: the first p patterns can be the lines so far.
  std::vector<bool> can(patterns.size() + 1, false);
  can[0] = true;
  const auto skip = [&] {
    for (std::size_t p = 0; p < patterns.size(); ++p)
      if (can[p] && patterns[p] == "*") can[p + 1] = true;
  };
  skip();
  for (const std::string& line : lines) {
    for (std::size_t p = patterns.size() + 1; p-- > 0;) {
      const bool by_match = p > 0 && can[p - 1] && matches(patterns[p - 1], line);
      const bool stays = p < patterns.size() && can[p] && patterns[p] == "*";
      can[p] = by_match || stays;
    }
    skip();
  }
  return can.back();
}

std::vector<std::string> mended(const std::vector<std::string>& patterns,
                                const std::vector<std::string>& lines) {
  return aligned(patterns, lines, mended_line);
}

std::optional<Refusal> refusal_in(const std::string& line) {
  const std::size_t mark = line.rfind("  ! "), status = mark + 4;
  if (!line.starts_with("gradus ") || mark == line.npos || line.size() < status + 3) return {};
  return Refusal{line.substr(0, mark), line.substr(status, 1), line.substr(status + 2)};
}

std::optional<std::pair<std::string, std::string>> file_in(const std::string& line) {
  const std::size_t bar = line.find("| ");
  if (bar == 0 || bar == line.npos || line.find(' ') < bar) return {};
  return std::pair(line.substr(0, bar), line.substr(bar + 2));
}

bool is_known(const std::string& line) {
  if (line.empty() || line[0] == '#' || file_in(line)) return true;
  const std::string first = line.substr(0, line.find(' '));
  return std::ranges::count(
             std::array{"uses", "|", "signal", "!", "1>", "2>", "1!", "2!", "unchanged"}, first) ==
         1;
}

std::vector<std::string> alternatives(const std::string& line) {
  char quote = 0;
  std::vector<std::size_t> bars;  // of the first group: {, each |, }
  for (std::size_t at = 0; at < line.size() && (bars.empty() || line[bars.back()] != '}'); ++at) {
    const char c = line[at];
    if (quote != 0 ? c == quote : c == '\'' || c == '"')
      quote = quote != 0 ? '\0' : c;
    else if (quote == 0 && (bars.empty() ? c == '{' : c == '|' || c == '}'))
      bars.push_back(at);
  }
  if (bars.size() < 2) return {line};
  std::vector<std::string> all;
  for (std::size_t i = 0; i + 1 < bars.size(); ++i) {
    const std::string one = line.substr(bars[i] + 1, bars[i + 1] - bars[i] - 1);
    std::ranges::copy(alternatives(line.substr(0, bars[0]) + one + line.substr(bars.back() + 1)),
                      std::back_inserter(all));
  }
  return all;
}

}  // namespace program
