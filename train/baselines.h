// What counting reaches where the model was trained to do better: the losses of n-gram models
// (model/ngram.h), shown beside a model's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/safetensors.h"

namespace train {

// Under which a run notes them (RunFacts::notes), and how: exact, with spaces between them.
inline constexpr std::string_view ngram_note = "ngram_losses";
std::string note_of_ngrams(const std::vector<double>& losses);
// What the metadata of a model file say of them; empty if nothing.
std::vector<double> noted_ngrams(const model::Metadata& metadata);

// "1-gram 3.3473\n2-gram 2.4858\n" and so on.
std::string ngram_lines(const std::vector<double>& losses);

}  // namespace train
