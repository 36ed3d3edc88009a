#include "model/module_file.h"

#include <algorithm>
#include <set>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/utf8.h"
#include "engine/kernels/reduce.h"

namespace model {

using engine::check;
using engine::in_quotes;
using engine::printable;

namespace {

// Errors of `body` begin with the path.
template <class Body>
void naming(const std::string& path, Body body) {
  try {
    body();
  } catch (const engine::Error& error) {
    engine::fail(printable(path), ": ", error.what());
  }
}

std::set<std::string_view> names_of(const std::vector<nn::NamedParameter>& parameters) {
  std::set<std::string_view> names;
  for (const nn::NamedParameter& p : parameters)
    check(names.insert(p.name).second, "two parameters have the name ", in_quotes(p.name));
  return names;
}

}  // namespace

void add_parameters(SafetensorsWriter& writer, const std::vector<nn::NamedParameter>& parameters) {
  for (const nn::NamedParameter& p : parameters) {
    const auto sizes = p.tensor.shape().sizes();
    writer.add(p.name, {sizes.begin(), sizes.end()}, p.tensor.values());
  }
}

const TensorEntry& entry_of(const SafetensorsFile& file, const nn::NamedParameter& parameter) {
  const TensorEntry* const entry = file.find(parameter.name);
  check(entry != nullptr, "tensor ", in_quotes(parameter.name), " is missing");
  const engine::Shape& shape = parameter.tensor.shape();
  check(std::ranges::equal(entry->shape, shape.sizes()), "tensor ", in_quotes(parameter.name),
        " has shape ", shape_text(entry->shape), " but the module asks for ", shape);
  return *entry;
}

void save_parameters(const std::vector<nn::NamedParameter>& parameters, const std::string& path) {
  SafetensorsWriter writer;
  naming(path, [&] {
    names_of(parameters);
    for (const nn::NamedParameter& p : parameters)
      check(engine::kernels::parallel_all_finite(p.tensor.size(), p.tensor.data()), "tensor ",
            in_quotes(p.name), " is not finite, and could not be loaded");
    writer.add_metadata("format", "pt");
    add_parameters(writer, parameters);
  });
  engine::write_file(path, writer.pieces());
}

void load_parameters(const std::vector<nn::NamedParameter>& parameters, const std::string& path) {
  const engine::FileBytes bytes =
      engine::read_large_file(path, engine::max_file_size(), look_at_safetensors);
  naming(path, [&] {
    const SafetensorsFile file(view(bytes), ChecksumRule::if_present);
    const std::set<std::string_view> names = names_of(parameters);
    for (const nn::NamedParameter& p : parameters) {
      const engine::Tensor trial = engine::Tensor::uninitialized(p.tensor.shape());
      copy_values(entry_of(file, p), trial.mutable_values());
    }
    for (const TensorEntry& entry : file.tensors())
      check(names.contains(entry.name), "tensor ", in_quotes(entry.name),
            " is not part of the module");
    for (const nn::NamedParameter& p : parameters)
      copy_values(entry_of(file, p), p.tensor.mutable_values());
  });
}

}  // namespace model
