// The tokens to train on and the tokens to validate on: one sequence, split in two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/random/generator.h"
#include "model/tokenizer/token_ids.h"
#include "train/loop/text_units.h"
#include "train/system/words.h"

namespace train {

// B sequences of T tokens and their targets, which are the tokens one position later; both (B, T),
// row-major.
struct Batch {
  Batch(Index B_, Index T_)
      : B(B_), T(T_), ids(static_cast<std::size_t>(B * T)), targets(ids.size()) {}
  Index B, T;
  std::vector<std::int32_t> ids, targets;
};

// Fills the batch with the sequences of `ids` that begin at `offset` + each of the starts.
void fill(const model::TokenIds& ids, Index offset, std::span<const std::int64_t> starts,
          Batch& batch);

enum class Split { train, validation };

class Corpus {
 public:
  // The first train_size tokens are for training, the rest for validation. units: of the validation
  // part.
  Corpus(model::TokenIds ids, Index train_size, TextUnits units = {})
      : ids_(std::move(ids)), train_size_(train_size), units_(units) {}

  Index size(Split split) const {
    return split == Split::train ? train_size_ : ids_.size() - train_size_;
  }
  // The longest T for which both parts have a sequence with its target; less than 1 if there is
  // none.
  Index longest_context() const { return std::min(train_size_, ids_.size() - train_size_) - 1; }
  Index begin(Split split) const { return split == Split::train ? 0 : train_size_; }
  const model::TokenIds& ids() const { return ids_; }  // training, then validation
  const TextUnits& units() const { return units_; }    // of the validation part

  // Draws start positions of sequences within the split, as nanoGPT does: any position that leaves
  // room for T tokens and a target.
  void draw(Split split, Index T, engine::Generator& generator,
            std::span<std::int64_t> starts) const;
  // Fills the batch with the sequences that start there.
  void fill(Split split, std::span<const std::int64_t> starts, Batch& batch) const {
    train::fill(ids_, begin(split), starts, batch);
  }

 private:
  model::TokenIds ids_;
  Index train_size_;
  TextUnits units_;
};

}  // namespace train
