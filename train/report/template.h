// A page from its template, report.html: an HTML document with its style and its script inside, which
// needs nothing from anywhere.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace train {

// What stands for @NAME@, as HTML; and the slots of each time that the block
// <!--each name-->...<!--end--> is repeated.
struct Slots {
  std::map<std::string, std::string, std::less<>> html = {};
  std::map<std::string, std::vector<Slots>, std::less<>> blocks = {};
};

// The template with all of them filled. What has been put in is not looked at again; a slot that has no
// name in `slots` is text, a block without a name there is left out.
std::string filled(std::string_view text, const Slots& slots);

// The whole page of this title, with data for its script. runs: the slots of the block `run`, which is
// read where no script runs. watched: the block `watched` is there, and the page may read itself again.
std::string page(const std::string& title, std::string_view json, const std::vector<Slots>& runs,
                 bool watched);

}  // namespace train
