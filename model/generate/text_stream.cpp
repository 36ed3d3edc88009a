#include "model/generate/text_stream.h"

#include <algorithm>

#include "model/base/utf8.h"

namespace model {

namespace {

// The length of the longest proper prefix of `stop` that `text` ends with.
std::size_t overlap(std::string_view text, std::string_view stop) {
  if (stop.empty()) return 0;
  for (std::size_t n = std::min(text.size(), stop.size() - 1); n > 0; --n)
    if (text.substr(text.size() - n) == stop.substr(0, n)) return n;
  return 0;
}

}  // namespace

std::string TextStream::add(std::string_view bytes) {
  if (stopped_) return {};
  pending_ += bytes;
  std::size_t end = std::string::npos;
  for (const std::string& stop : stops_)
    if (!stop.empty()) end = std::min(end, pending_.find(stop));
  if (end != std::string::npos) {
    stopped_ = true;
    pending_.resize(end);
    return flush();
  }
  std::size_t held = 0;
  for (const std::string& stop : stops_) held = std::max(held, overlap(pending_, stop));
  const std::string_view free = std::string_view(pending_).substr(0, pending_.size() - held);
  std::string shown(free.substr(0, complete_utf8_prefix(free)));
  pending_.erase(0, shown.size());
  return shown;
}

std::string TextStream::flush() {
  std::string shown = std::move(pending_);
  pending_.clear();
  shown.resize(complete_utf8_prefix(shown));
  return shown;
}

}  // namespace model
