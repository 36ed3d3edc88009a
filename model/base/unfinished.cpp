#include "model/base/unfinished.h"

#include <atomic>
#include <cerrno>

#include "model/base/system.h"

namespace model {

namespace {

constexpr int slot_count = 16;
enum State { unused, being_written, ready };

}  // namespace

// A signal handler may neither allocate nor wait: the paths lie in static memory.
struct Unfinished::Slot {
  std::atomic<int> state;
  char path[4096];
};
constinit Unfinished::Slot Unfinished::slots[slot_count] = {};
static_assert(std::atomic<int>::is_always_lock_free);

Unfinished::Unfinished(std::string_view path) {
  if (path.size() >= sizeof Slot::path) return;
  for (Slot& slot : slots) {
    int expected = unused;
    if (!slot.state.compare_exchange_strong(expected, being_written)) continue;
    slot.path[path.copy(slot.path, path.size())] = '\0';
    slot.state = ready;
    slot_ = &slot;
    return;
  }
}

Unfinished::~Unfinished() {
  if (slot_ != nullptr) slot_->state = unused;
}

void remove_unfinished() noexcept {
  const int error = errno;
  // A directory can be removed only when it is empty, so there is a round for each possible level.
  for (int round = 0; round < slot_count; ++round)
    for (const Unfinished::Slot& slot : Unfinished::slots)
      if (slot.state == ready && system::unlink(slot.path) == -1)
        system::remove_directory(slot.path);
  errno = error;
}

}  // namespace model
