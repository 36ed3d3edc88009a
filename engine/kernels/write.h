// Whether a kernel replaces what is in its output or adds to it. overwrite never reads.
#pragma once

namespace engine::kernels {

enum class Write { overwrite, add };

}  // namespace engine::kernels
