// The weights of a GPT as the tensors of another program's file, and back from those of transformers.
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

// The tensors of the model in the order of the file. The model must be of the family. A tied head,
// which the files of transformers may have as well, is not among them.
std::vector<StoredTensor> foreign_tensors(GPT& gpt, Family family, Program program);

// A new model of the weights in a file of transformers, which may have no other tensors.
GPT read_weights(const Config& config, Family family, std::vector<TensorEntry> tensors);

}  // namespace model
