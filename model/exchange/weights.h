// The weights of a GPT as the tensors of another program's file; and weights read from files of
// transformers.
//
//     gpt2, transformers    the linear layers' weights are transposed: (in, out)
//     llama, qwen3          queries, keys, values and the two halves of SwiGLU are tensors of their
//                           own
//     llama, gguf           the rotated pairs of features lie side by side, ours half a head apart:
//                           the rows (H, 2, D/2) of queries and keys are stored as (H, D/2, 2)
//     gpt2                  every layer has biases: 0 where ours has none
#pragma once

#include <vector>

#include "model/exchange/family.h"
#include "model/format/stored_tensor.h"
#include "model/gpt/gpt.h"

namespace model {

enum class Program { transformers, llama_cpp };

// The tensors of the model in the order of the file. The model must belong to the family. A tied
// head is left out (files of transformers may have it).
std::vector<StoredTensor> foreign_tensors(GPT& gpt, Family family, Program program);

// A new model with the weights of a file of transformers, which must have no other tensors.
GPT read_weights(const Config& config, Family family, std::vector<TensorEntry> tensors);

}  // namespace model
