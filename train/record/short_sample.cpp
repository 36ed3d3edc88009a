#include "train/record/short_sample.h"

#include <vector>

#include "engine/base/utf8.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"

namespace train {

std::string short_sample(const model::GPT& gpt, const model::Tokenizer& tokenizer,
                         std::uint64_t seed, engine::Index step) {
  // Tokens, and characters. A model that is not causal reads all before each token again.
  const engine::Index length = gpt.config.causal ? 200 : 40;
  model::CachedGPT cached(gpt);
  model::Sampler sampler({}, (seed ^ 0x73616d70) + static_cast<std::uint64_t>(step));  // "samp"
  model::TextStream stream({});
  std::vector<std::int32_t> ids{model::first_token(tokenizer)};
  std::string text;
  model::generate(cached, sampler, tokenizer.vocabulary_size(), ids, length, [&](std::int32_t id) {
    if (id == tokenizer.separator()) return false;
    text += stream.add(tokenizer.token_bytes(id));
    return engine::count_characters(text) < length;
  });
  return text + stream.flush();
}

}  // namespace train
