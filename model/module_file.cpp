#include "model/module_file.h"

#include <set>

#include "engine/kernels/reduce.h"
#include "model/base/files.h"
#include "model/base/utf8.h"
#include "model/base/words.h"
#include "model/format/stored_tensor.h"

namespace model {

namespace {

void check_names(const std::vector<nn::NamedParameter>& parameters) {
  std::set<std::string_view> names;
  for (const nn::NamedParameter& p : parameters)
    check(names.insert(p.name).second, "two parameters have the name ", in_quotes(p.name));
}

}  // namespace

void add_parameters(SafetensorsWriter& writer, const std::vector<nn::NamedParameter>& parameters) {
  check(!parameters.empty(), "the module has no parameters, as after a move; expected 1 or more");
  for (const StoredTensor& tensor : stored(parameters))
    writer.add(tensor.name, tensor.shape, tensor.parameter.values());
}

void save_parameters(const std::vector<nn::NamedParameter>& parameters, const std::string& path) {
  SafetensorsWriter writer;
  const auto add = [&] {
    check_names(parameters);
    for (const nn::NamedParameter& p : parameters)
      check(engine::kernels::parallel_all_finite(p.tensor.size(), p.tensor.data()), titled(p.name),
            " is not finite, and could not be loaded");
    writer.add_metadata("format", "pt");
    add_parameters(writer, parameters);
    return writer.pieces();
  };
  write_file(path, within(add, printable(path)));
}

void load_parameters(const std::vector<nn::NamedParameter>& parameters, const std::string& path) {
  const FileBytes bytes = read_large_file(path, max_file_size(), look_at_safetensors);
  const auto read = [&] {
    const SafetensorsFile file(view(bytes), FileOf::others);
    check_names(parameters);
    for (const TensorEntry& entry : file.tensors()) {
      const engine::Tensor trial = engine::Tensor::uninitialized({entry.count()});
      copy_values(entry, trial.mutable_values());
    }
    fill(stored(parameters), file.set(), "the module");
  };
  within(read, printable(path));
}

}  // namespace model
