// What `gradus --version` says: version, commit, compiler, instruction set, real.
#pragma once

#include <string>

namespace train {

std::string version_text();

}  // namespace train
