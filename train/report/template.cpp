#include "train/report/template.h"

#include <algorithm>

#include "model/format/checksum.h"
#include "train/report/page_files.h"
#include "train/report/text.h"
#include "train/system/words.h"

namespace train {
namespace {

constexpr std::string_view block_begin = "<!--each ", name_end = "-->", block_end = "<!--end-->";

// Whether `text` begins with `begin`; then removes it.
bool take(std::string_view& text, std::string_view begin) {
  const bool begins = text.starts_with(begin);
  if (begins) text.remove_prefix(begin.size());
  return begins;
}

// Fills the rest of the block that `text` is in, and removes it and the block's end from `text`.
std::string fill(std::string_view& text, const Slots& slots) {
  std::string out;
  while (!text.empty() && !take(text, block_end)) {
    const std::size_t next = std::min(text.find_first_of("@<", 1), text.size());
    const std::string_view part = text.substr(0, next);
    const auto slot = slots.html.find(part.substr(1));
    if (take(text, block_begin)) {
      const auto block = slots.blocks.find(text.substr(0, text.find(name_end)));
      const std::string_view contents = text.substr(text.find(name_end) + name_end.size());
      fill(text, {});
      if (block == slots.blocks.end()) continue;
      for (const Slots& each : block->second) out += filled(contents, each);
    } else if (part.front() == '@' && slot != slots.html.end() && text.substr(next, 1) == "@") {
      out += slot->second;
      text.remove_prefix(next + 1);
    } else {
      out += part;
      text.remove_prefix(next);
    }
  }
  return out;
}

// Only elements with this nonce, the page's own script and style, are allowed.
std::string policy(std::string_view nonce, bool watched) {
  return joined("default-src 'none'; script-src 'nonce-", nonce, "'; style-src 'nonce-", nonce,
                "'; base-uri 'none'; form-action 'none'",
                watched ? "; frame-src 'self' file:" : "");
}

}  // namespace

std::string filled(std::string_view text, const Slots& slots) { return fill(text, slots); }

std::string page(const std::string& title, std::string_view json, const std::vector<Slots>& runs,
                 bool watched) {
  // No text in the data can hold the checksum of the data but by chance.
  const std::string nonce = model::checksum_text(model::checksum(json));
  return filled(report_html, {{{"TITLE", escaped(title)},
                               {"NONCE", nonce},
                               {"POLICY", policy(nonce, watched)},
                               {"STYLE", joined(chart_css, report_css)},
                               {"SCRIPT", joined(chart_js, report_js)},
                               {"DATA", for_script(json)}},
                              {{"run", runs}, {"watched", std::vector<Slots>(watched ? 1 : 0)}}});
}

}  // namespace train
