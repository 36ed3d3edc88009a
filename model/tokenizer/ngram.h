// How well plain counting predicts a text: what a trained model's loss is to be compared with.
#pragma once

#include <vector>

#include "engine/base/real.h"
#include "model/tokenizer/token_ids.h"

namespace model {

// The mean loss, in nats per token, of the tokens from `train_size` on under n-gram models counted
// on the tokens before; element k is that of the model that sees the k tokens before the one it
// predicts, for k = 0 (frequencies alone) to max_context.
//
// Witten and Bell's interpolation: to start with every token has probability p = 1 / V. Then for
// j = 0 .. k, with h the last j tokens, if h was followed N times in the training part by any
// token, by U different ones, and c times by the token in question, then
//     p <- (c + U p) / (N + U):
// the more ways a context went on, the less its counts are trusted, the more the shorter one.
//
// Both parts must not be empty. Time is proportional to the text's length, 1 MB of characters
// takes well under a second; memory is at most about 100 bytes per token.
std::vector<double> ngram_losses(const TokenIds& ids, Index train_size, Index vocabulary_size,
                                 int max_context = 5);

}  // namespace model
