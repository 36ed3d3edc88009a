// Whether a kernel overwrites its output, without reading it, or adds to it.
#pragma once

namespace engine::kernels {

enum class Write { overwrite, add };

}  // namespace engine::kernels
