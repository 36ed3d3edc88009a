// The weights of a GPT as the tensors of another program's file, and back.
//
//     gpt2, transformers    the linear layers' weights are transposed: (in, out)
//     llama, qwen3          queries, keys, values and the two halves of SwiGLU are tensors of their
//                           own
//     llama, gguf           the rotated pairs of features lie side by side, ours half a head apart:
//                           the rows (H, 2, D/2) of queries and keys are stored as (H, D/2, 2)
//     gpt2                  every layer has biases: 0 where ours has none
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "model/exchange/family.h"
#include "model/format/tensor_entry.h"
#include "model/gpt/gpt.h"

namespace model {

enum class Program { transformers, llama_cpp };

struct ForeignTensor {
  std::string name;
  std::vector<Index> shape;  // in the file
  engine::Tensor parameter;  // ours, of which it is some rows; absent: its values are 0
  Index row = 0;             // the first of them
  bool transposed = false;
  Index interleaved_heads = 0;  // not 0: so many heads, whose pairs of features lie side by side

  Index count() const;
};

// The tensors of the model in the order of the file. The model must be of the family.
std::vector<ForeignTensor> foreign_tensors(GPT& gpt, Family family, Program program);

// The tensor's values, in the order of the file.
void copy_values(const ForeignTensor& from, std::span<engine::real> to);
// The bytes of the tensor's values in the file: those of the parameter itself where they are the
// same, else kept in `memory`.
std::string_view bytes_of(const ForeignTensor& tensor, Dtype dtype,
                          std::deque<engine::FileBytes>& memory);
// Sets the parameter's values to those of the file. Errors name the tensor.
void set_values(const ForeignTensor& to, const TensorEntry& from);

// A new model of the weights in a file. find: the file's tensor of that name, null if there is none.
// held: the number of elements in the file, which bounds the memory that the model takes.
GPT read_weights(const Config& config, Family family, Program program, Index held,
                 const std::function<const TensorEntry*(const std::string&)>& find);

}  // namespace model
