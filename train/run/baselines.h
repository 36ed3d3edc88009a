// What counting reaches where a model was trained to do better: the losses of n-gram models
// (model/tokenizer/ngram.h), shown beside the model's own.
#pragma once

#include <string>
#include <vector>

#include "model/format/safetensors.h"

namespace train {

// What a run noted of them in its model file (RunFacts::notes); empty if nothing.
std::vector<double> noted_ngrams(const model::Metadata& metadata);

// "1-gram 3.3473\n2-gram 2.4858\n" and so on.
std::string ngram_lines(const std::vector<double>& losses);

}  // namespace train
