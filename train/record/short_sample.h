// A short sample of what a model writes at some step of its training.
#pragma once

#include <string>

#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"

namespace train {

// 200 characters or tokens (40 if the model is not causal and so slow), or up to the model's end of a document, chosen as `gradus sample` does by
// default. Its random numbers are its own: they depend on seed and step alone, so that nothing else
// of a run depends on whether samples are drawn. Takes the memory of the weights once more.
std::string short_sample(const model::GPT& gpt, const model::Tokenizer& tokenizer,
                         std::uint64_t seed, engine::Index step);

}  // namespace train
