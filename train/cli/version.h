// What `gradus --version` says: version, the commit it was built from, compiler, instruction set, real.
#pragma once

#include <string>

namespace train {

std::string version_text();

}  // namespace train
