#include "engine/check.h"
#include "train/commands.h"

namespace train {
int sample_command(const Settings&) { engine::fail("sample: comes with the next commit"); }
int eval_command(const Settings&) { engine::fail("eval: comes with the next commit"); }
int info_command(const Settings&) { engine::fail("info: comes with the next commit"); }
}  // namespace train
