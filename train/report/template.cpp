#include "train/report/template.h"

#include "train/report/page_files.h"
#include "train/report/sha256.h"
#include "train/report/text.h"
#include "train/system/words.h"

namespace train {
namespace {

constexpr std::string_view block_begin = "<!--each ", name_end = "-->", block_end = "<!--end-->";

// The part of `text` from its begin to the first `end`, which is removed with it.
std::string_view take(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  check(at != text.npos, "report.html: a block without its ", end);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return part;
}

// The same for the contents of a block that `text` is in, with the blocks that are inside.
std::string_view take_block(std::string_view& text) {
  const char* const begin = text.data();
  for (int depth = 1; depth > 0; --depth) {
    const std::string_view part = take(text, block_end);
    for (std::size_t at = part.find(block_begin); at != part.npos;
         at = part.find(block_begin, at + 1))
      ++depth;
  }
  return {begin, static_cast<std::size_t>(text.data() - begin) - block_end.size()};
}

// The contents of the element that a slot is in, as they are in the page.
std::string contents_around(std::string_view slot, const Slots& slots) {
  const std::size_t at = report_html.find(slot), begin = report_html.rfind('>', at) + 1;
  return filled(report_html.substr(begin, report_html.find('<', at) - begin), slots);
}

// Only what is in the page may run in it or change its looks.
std::string policy(const Slots& slots, bool watched) {
  const auto hash = [&](std::string_view slot) {
    return "'sha256-" + base64(sha256(contents_around(slot, slots))) + "'";
  };
  return joined("default-src 'none'; script-src ", hash("@SCRIPT@"), "; style-src ",
                hash("@STYLE@"), "; base-uri 'none'; form-action 'none'",
                watched ? "; frame-src 'self' file:" : "");
}

}  // namespace

std::string filled(std::string_view text, const Slots& slots) {
  std::string out;
  while (!text.empty()) {
    if (text.starts_with(block_begin)) {
      text.remove_prefix(block_begin.size());
      const auto block = slots.blocks.find(take(text, name_end));
      const std::string_view contents = take_block(text);
      if (block == slots.blocks.end()) continue;
      for (const Slots& each : block->second) out += filled(contents, each);
      continue;
    }
    const std::string_view name = text.substr(1, text.substr(1).find('@'));
    if (const auto slot = slots.html.find(name); text.front() == '@' && slot != slots.html.end()) {
      out += slot->second;
      text.remove_prefix(name.size() + 2);
      continue;
    }
    const std::size_t next = std::min(text.find_first_of("@<", 1), text.size());
    out += text.substr(0, next);
    text.remove_prefix(next);
  }
  return out;
}

std::string page(const std::string& title, std::string_view json, const std::vector<Slots>& runs,
                 bool watched) {
  Slots slots{{{"TITLE", escaped(title)},
               {"STYLE", joined(chart_css, report_css)},
               {"SCRIPT", joined(chart_js, report_js)},
               {"DATA", for_script(json)}},
              {{"run", runs}}};
  slots.html["POLICY"] = policy(slots, watched);
  // Without a script; with it the page is renewed in its place.
  slots.html["RENEWED"] =
      watched ? R"(<noscript><meta http-equiv="refresh" content="5"></noscript>)" : "";
  return filled(report_html, slots);
}

}  // namespace train
