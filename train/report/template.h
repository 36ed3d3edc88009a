// A page made from its template, report.html: an HTML document that contains its style and script
// and loads nothing else.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace train {

// The HTML that replaces each @NAME@; and for each block <!--each name-->...<!--end-->, the slots
// of each repetition.
struct Slots {
  std::map<std::string, std::string, std::less<>> html = {};
  std::map<std::string, std::vector<Slots>, std::less<>> blocks = {};
};

// The template with all slots filled. Inserted text is not searched for slots again. A slot that is
// not in `slots` is left as text; a block that is not there is left out.
std::string filled(std::string_view text, const Slots& slots);

// The whole page with this title and the data for its script. runs: the slots of the block `run`,
// for readers without JavaScript. watched: includes the block `watched`, and allows the page to
// reload itself.
std::string page(const std::string& title, std::string_view json, const std::vector<Slots>& runs,
                 bool watched);

}  // namespace train
