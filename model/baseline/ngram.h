// N-gram models: the losses of plain counting, a baseline for a trained model's loss.
#pragma once

#include <vector>

#include "engine/base/real.h"
#include "model/base/words.h"
#include "model/tokenizer/token_ids.h"

namespace model {

// Counts n-grams in the first train_size ids, the training part, and returns the mean loss, in nats
// per token, of predicting the other ids. Element k is the loss of the model with the last k
// tokens as context, for k = 0 (token frequencies only) .. max_context. Neither part may be empty.
//
// Witten-Bell interpolation: the probability of a token starts as p = 1 / V. Then, for j = 0 .. k,
// let h be the last j tokens. If a token follows h N times in the training part, among them U
// distinct tokens, and c times the token to predict, then
//     p <- (c + U p) / (N + U):
// the more distinct tokens follow h, the less its counts weigh against the shorter context.
//
// Time is linear in the text's length, well under a second for 1 MB of characters; memory is at
// most about 100 bytes per token.
std::vector<double> ngram_losses(const TokenIds& ids, Index train_size, Index vocabulary_size,
                                 int max_context = 5);

}  // namespace model
