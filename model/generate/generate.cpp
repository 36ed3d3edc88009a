#include "model/generate/generate.h"

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace model {

std::int32_t first_token(const Tokenizer& tokenizer) {
  if (const std::optional<std::int32_t> separator = tokenizer.separator()) return *separator;
  for (const char* const text : {"\n", " "}) {
    Index skipped = 0;
    const TokenIds ids = tokenizer.encode(text, &skipped);
    if (skipped == 0 && ids.size() == 1) return ids[0];
  }
  return 0;
}

void generate(CachedGPT& gpt, Sampler& sampler, Index vocabulary, std::vector<std::int32_t>& text,
              Index count, const std::function<bool(std::int32_t)>& take) {
  engine::check(!text.empty(), "generate: the text is empty, expected at least one token");
  const Index block_size = gpt.config().block_size;
  Index start = std::max<Index>(std::ssize(text) - block_size, 0), read = start;
  text.reserve(text.size() + engine::unsigned_size(std::min<Index>(count, 1 << 20)));
  gpt.clear();
  for (Index i = 0; i < count; ++i) {
    if (const Index begin = context_start(start, std::ssize(text), block_size); begin != start) {
      gpt.clear();
      start = read = begin;
    }
    const std::span<const real> logits =
        gpt.read(std::span<const std::int32_t>(text).subspan(engine::unsigned_size(read)));
    read = std::ssize(text);
    text.push_back(sampler.choose(logits.first(engine::unsigned_size(vocabulary)), text));
    if (!take(text.back())) return;
  }
}

}  // namespace model
