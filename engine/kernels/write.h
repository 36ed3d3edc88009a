// Write: whether a kernel overwrites its output or adds to it.
#pragma once

namespace engine::kernels {

// overwrite: out = result; what out held before is not read. add: out += result.
enum class Write { overwrite, add };

}  // namespace engine::kernels
