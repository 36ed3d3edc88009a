// The loss of a model on a part of a text, without gradients.
#pragma once

#include "model/gpt/gpt.h"
#include "train/loop/corpus.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

// Mean loss over the tokens of a batch. Holds at most most_logits logits at once (2^28: 1 GiB of
// floats).
inline constexpr Index max_logits = Index(1) << 28;
double batch_loss(const model::GPT& gpt, const Batch& batch, Index most_logits = max_logits);

// Windows of block_size tokens to read at a time: many, so that the weights are read once for all
// of them, but their logits and a block's widest activations stay below about 64 MB.
Index windows_at_once(const model::Config& config);
// Bytes of memory for computing the loss of B windows of T tokens: weights, forward pass and
// logits. A double, since it may exceed 63 bits.
double evaluation_bytes(const model::Config& config, Index B, Index T);

// Mean loss over k random batches of the split: nanoGPT's estimate. Here and below, P processes
// that call it together compute every P-th batch each.
double random_batches_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index k,
                           Index batch_size, engine::Generator& generator,
                           Processes processes = {});

// The loss over consecutive windows of block_size tokens that do not overlap; the last may be
// shorter. All windows together predict every token of the text, except the first, once.
struct WindowLoss {
  double loss;   // mean over the tokens predicted, in nats
  Index tokens;  // predicted
};
// For tokens [begin, end), at least two. Reads at most max_windows windows (0: all), spread evenly.
WindowLoss window_loss(const model::GPT& gpt, const model::TokenIds& ids, Index begin, Index end,
                       Index batch_size, Index max_windows = 0, Processes processes = {});
WindowLoss window_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index batch_size,
                       Index max_windows = 0, Processes processes = {});

}  // namespace train
