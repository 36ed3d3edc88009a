#include "train/record/short_sample.h"

#include <algorithm>
#include <vector>

#include "engine/base/storage.h"
#include "model/base/utf8.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"

namespace train {

namespace {

// Counts characters, but only the first of several spaces and line feeds in a row, so that indented
// text is not shorter.
Index visible_characters(std::string_view text) {
  Index blanks = 0;
  for (std::size_t i = 1; i < text.size(); ++i)
    blanks += (text[i] == ' ' || text[i] == '\n') && (text[i - 1] == ' ' || text[i - 1] == '\n');
  return model::count_characters(text) - blanks;
}

}  // namespace

std::string short_sample(const model::GPT& gpt, const model::Tokenizer& tokenizer,
                         std::uint64_t seed, Index step, Index length,
                         std::span<const std::int32_t> prompt) {
  // Training does not use blocks of the size of packed weights, and a sample does not use
  // training's blocks.
  const struct TrimBeforeAndAfter {
    TrimBeforeAndAfter() { engine::pool::trim(); }
    ~TrimBeforeAndAfter() { engine::pool::trim(); }
  } pool;
  model::GPT packed = gpt;
  packed.pack();
  model::Sampler sampler({}, (seed ^ 0x73616d70) + static_cast<std::uint64_t>(step));  // "samp"
  model::TextStream stream({});
  std::vector<std::int32_t> ids(prompt.begin(), prompt.end());
  std::string text = tokenizer.decode(prompt);
  length += visible_characters(text);
  if (ids.empty()) ids.push_back(model::first_token(tokenizer));
  model::generate(packed, sampler, tokenizer.vocabulary_size(), ids, 4 * length,
                  [&](std::int32_t id) {
                    if (id == tokenizer.end_of_text()) return false;
                    text += stream.add(tokenizer.token_bytes(id));
                    return visible_characters(text) < length;
                  });
  return text + stream.flush();
}

Index sample_length(double tokens, bool causal) {
  return causal ? static_cast<Index>(std::clamp(tokens / 1000, 40.0, 200.0)) : 40;
}

}  // namespace train
