// Cases of the ops on inputs with a structure: matrices, ids, masks, heads.
#pragma once

#include "tests/gradient/case.h"

namespace gradient {

std::vector<Case> matmul_cases(Maker make);
std::vector<Case> permute_cases(Maker make);
std::vector<Case> concat_cases(Maker make);
std::vector<Case> slice_cases(Maker make);
std::vector<Case> repeat_cases(Maker make);
std::vector<Case> embedding_cases(Maker make);
std::vector<Case> gather_cases(Maker make);
std::vector<Case> where_cases(Maker make);
std::vector<Case> masked_fill_cases(Maker make);
std::vector<Case> layer_norm_cases(Maker make);
std::vector<Case> rms_norm_cases(Maker make);
std::vector<Case> rope_cases(Maker make);
std::vector<Case> qk_norm_cases(Maker make);
std::vector<Case> swiglu_cases(Maker make);
std::vector<Case> dropout_cases(Maker make);
std::vector<Case> cross_entropy_cases(Maker make);
std::vector<Case> linear_cases(Maker make);
std::vector<Case> feed_forward_cases(Maker make);
std::vector<Case> attention_cases(Maker make);

}  // namespace gradient
