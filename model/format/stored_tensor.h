// A parameter as a tensor of a file: in our layout or in another program's. Our own files and those
// of other programs are written and read here.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/files.h"
#include "model/base/words.h"
#include "model/format/tensor_entry.h"
#include "nn/module.h"

namespace model {

struct StoredTensor {
  std::string name;
  std::vector<Index> shape;  // in the file
  engine::Tensor parameter;  // the parameter that holds these rows; absent: all values are 0
  Index first_row = 0;       // of the parameter
  bool transposed = false;
  Index interleaved_heads = 0;  // heads with pairs of features side by side; 0: none

  Index count() const;
  bool is_plain() const { return parameter && !transposed && interleaved_heads == 0; }
};

// The parameters under their own names, in our layout.
std::vector<StoredTensor> stored(const std::vector<nn::NamedParameter>& parameters);

// The tensor's values, in the order of the file.
void copy_values(const StoredTensor& from, std::span<engine::real> to);
// The bytes of the tensor's values in the file: the parameter's own memory if the bytes are the
// same, else a copy kept in `memory`.
std::string_view bytes_of(const StoredTensor& tensor, Dtype dtype, std::deque<FileBytes>& memory);

// Throws Error unless the file's tensors have exactly these names; it names the first that is
// missing or in excess. Tensors that are all 0 may be missing. `whole`: what the tensors belong to,
// for messages.
void check_names(const std::vector<StoredTensor>& tensors, const TensorSet& from,
                 std::string_view whole = "this architecture");

// Sets the parameters to the values of the file's tensors, which must have these names and shapes.
// Names and shapes are checked before the first value is set. Errors name the tensor.
void fill(const std::vector<StoredTensor>& tensors, const TensorSet& from,
          std::string_view whole = "this architecture");

}  // namespace model
