#include "model/generate/generate.h"

#include <cstdint>
#include <optional>
#include <span>

namespace model {

std::int32_t first_token(const Tokenizer& tokenizer) {
  if (const std::optional<std::int32_t> end = tokenizer.end_of_text()) return *end;
  for (const char* const text : {"\n", " "}) {
    UnknownSymbols unknown;
    const TokenIds ids = tokenizer.encode(text, &unknown);
    if (unknown.count == 0 && ids.size() == 1) return ids[0];
  }
  return 0;
}

void generate(const GPT& gpt, Sampler& sampler, Index vocabulary, std::vector<std::int32_t>& text,
              Index count, const std::function<bool(std::int32_t)>& take) {
  check(!text.empty(), "generate: the text is empty, expected at least one token");
  check(0 < vocabulary && vocabulary <= gpt.config.vocab_size, "generate: a vocabulary of ",
        vocabulary, ", expected 1 to the model's ", gpt.config.vocab_size);
  check(count >= 0, "generate: count ", count, ", expected 0 or more");
  const Index block_size = gpt.config.block_size;
  Index start = std::max<Index>(std::ssize(text) - block_size, 0), read = start;
  text.reserve(text.size() + unsigned_size(std::min<Index>(count, 1 << 20)));
  Cache cache(gpt.config);
  for (Index i = 0; i < count; ++i) {
    const Index begin = context_start(start, std::ssize(text), block_size);
    if (begin != start || !gpt.config.causal) {
      cache.clear();
      start = read = begin;
    }
    const std::span<const std::int32_t> unread = std::span(text).subspan(unsigned_size(read));
    const Tensor logits = gpt.next_logits(unread, cache);
    read = std::ssize(text);
    text.push_back(sampler.choose(logits.values().first(unsigned_size(vocabulary)), text));
    if (!take(text.back())) return;
  }
}

}  // namespace model
