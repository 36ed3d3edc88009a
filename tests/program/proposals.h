// The commands that a message proposes must be ones that gradus takes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace program {

// The words of a command in the quotes of sh, up to the end of the line or a semicolon.
std::vector<std::string> words_of(const std::string& line, std::size_t at);

// Each `train` after "to try it: ", "a longer run: " or "training of its model: " in `err` is parsed
// as the program would.
void check_proposals(const std::string& err, const std::filesystem::path& directory);

}  // namespace program
