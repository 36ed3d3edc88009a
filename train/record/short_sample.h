// A short sample of what a model writes at some step of its training.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"
#include "train/system/words.h"

namespace train {

// The prompt and `length` more characters, or fewer if the model ends its document, chosen as
// `gradus sample` does by default. Of several spaces and line feeds in a row only the first counts;
// at most 4 `length` tokens are drawn. Its random numbers depend on seed and step alone, so that
// nothing else in a run depends on whether samples are drawn. Takes the memory of the weights once
// more.
std::string short_sample(const model::GPT& gpt, const model::Tokenizer& tokenizer,
                         std::uint64_t seed, Index step, Index length,
                         std::span<const std::int32_t> prompt = {});

// The length of the samples of a run that trains on `tokens` tokens between two of them: a
// thousandth of those, but 40 to 200. Writing a token takes as long as training on 2 to 9 (models
// of 0.8 to 124 M parameters), so that samples take less than 1 % of the time if 40,000 tokens or
// more lie between them. A model that is not causal reads the whole context for each token: 40.
Index sample_length(double tokens, bool causal);

}  // namespace train
