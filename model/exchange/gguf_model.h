// Writes a model as one file of llama.cpp: gguf_writer.h with the keys and names of its families.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/files.h"
#include "model/base/words.h"
#include "model/exchange/byte_level.h"
#include "model/exchange/gguf_writer.h"
#include "model/gpt/gpt.h"

namespace model {

// One line on what llama.cpp computes differently from gradus; empty if nothing. Throws Error if it
// cannot compute the model at all.
std::string difference_to_llama_cpp(const Config& config);

class GgufModel {
 public:
  // dtype: of the matrices; vectors and the position embedding stay float32. `end`: the token that
  // ends and begins a text. Keeps views of the model's weights.
  GgufModel(GPT& gpt, const ByteLevel& tokens, Index end, std::string_view title, Dtype dtype);

  // Whether some matrix is float16 instead of q8_0, because the length of its rows is not a
  // multiple of 32.
  bool fell_back() const { return fell_back_; }
  // The bytes of the file: views of this object and of the model.
  std::vector<std::string_view> pieces() { return writer_.pieces(); }

 private:
  GgufWriter writer_;
  std::deque<FileBytes> memory_;  // of weights that the file stores differently from the model
  bool fell_back_ = false;
};

}  // namespace model
