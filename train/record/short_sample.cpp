#include "train/record/short_sample.h"

#include <vector>

#include "engine/base/utf8.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"

namespace train {

std::string short_sample(const model::GPT& gpt, const model::Tokenizer& tokenizer,
                         std::uint64_t seed, engine::Index step) {
  constexpr engine::Index length = 200;  // tokens, and characters
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
