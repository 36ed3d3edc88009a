// The loss of a model on a part of a text, without gradients.
#pragma once

#include "model/gpt/gpt.h"
#include "train/loop/corpus.h"

namespace train {

// Mean loss over the tokens of a batch. At most so many logits, 1 GiB of floats, are there at once.
inline constexpr Index max_logits = Index(1) << 28;
double batch_loss(const model::GPT& gpt, const Batch& batch, Index most_logits = max_logits);

// Mean loss over k random batches of the split: nanoGPT's estimate.
struct BatchesLoss {
  double loss;
  double error;  // the mean's standard error, by how much the batches differ; infinite if k is 1
};
BatchesLoss random_batches_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index k,
                                Index batch_size, engine::Generator& generator);

// Consecutive windows of block_size tokens, not overlapping, the last one shorter: every token of
// the part but the first is predicted once.
struct WindowLoss {
  double loss;    // mean over the tokens predicted, in nats
  Index tokens;   // predicted
  Index windows;  // read, of ...
  Index all_windows;
};
// Of tokens [begin, end), two at least. At most max_windows of them (0: all), spread evenly.
WindowLoss window_loss(const model::GPT& gpt, const model::TokenIds& ids, Index begin, Index end,
                       Index batch_size, Index max_windows = 0);
WindowLoss window_loss(const model::GPT& gpt, const Corpus& corpus, Split split, Index batch_size,
                       Index max_windows = 0);

}  // namespace train
