// Files of torch.save, of PyTorch 1.6 and later: a zip archive of
//
//     NAME/data.pkl   a pickle: the value that was saved, with a call for each tensor:
//
//         torch._utils._rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks)
//
//                     where storage is the persistent id
//                     ("storage", torch.FloatStorage, "0", "cpu", number of elements)
//     NAME/data/0     storage "0": the elements, little-endian
//     NAME/data/1     ...
//     NAME/byteorder  "little"; optional
//     NAME/version    "3\n"
//
// and other entries, ignored here. Two tensors may share a storage, as tied weights do. No code in
// the file is run: see pickle.h. Errors are engine::Error and name the tensor.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/exchange/container/pickle.h"
#include "model/exchange/container/zip.h"
#include "model/format/safetensors.h"

namespace model {

class TorchFile {
 public:
  // Checks the archive and parses its pickle. Keeps views of `file`.
  explicit TorchFile(std::string_view file);
  TorchFile(const TorchFile&) = delete;
  TorchFile& operator=(const TorchFile&) = delete;

  Pickle::Value root() const { return pickle_.root(); }
  static bool is_tensor(Pickle::Value value);  // or a torch.nn.Parameter
  // `name`: of the entry, and of the tensor in messages.
  TensorEntry tensor(Pickle::Value value, std::string_view name) const;

 private:
  const ZipFile zip_;
  const std::string folder_;  // NAME
  const Pickle pickle_;
};

// Writes a file that torch.load opens, also with weights_only=True: the value that was saved with
// the functions of PickleWriter, but finish, and its tensors with `tensor`.
class TorchWriter : public PickleWriter {
 public:
  // Keeps a view of the values, which must stay valid until the pieces are written. Tensors of the
  // same values in memory share a storage.
  void tensor(std::span<const Index> shape, std::span<const float> values);
  void tensor(std::span<const Index> shape, std::span<const double> values);

  // The bytes of the file in pieces: views of this writer's headers and of the tensors' values.
  // torch.save takes the file's name, without .pt, as the name of the archive. Call it once.
  std::vector<std::string_view> pieces(std::string_view archive_name);

 private:
  template <class Number>
  void write_tensor(std::span<const Index> shape, std::span<const Number> values);

  std::vector<std::string_view> storages_;
  std::string pickle_;
  ZipWriter zip_;
};

}  // namespace model
