#include "model/exchange/weights.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/utf8.h"

namespace model {

using engine::at;
using engine::Buffer;
using engine::check;
using engine::in_quotes;
using engine::real;
using engine::Tensor;

namespace {

struct Rows {
  Index first, count;
};

// The rows of a parameter that a slice of it is.
Rows rows_of(Slice slice, const Tensor& parameter, const Config& config) {
  const Index D = config.head_size(), queries = config.n_head * D, keys = config.heads().keys * D,
              hidden = config.hidden_size();
  switch (slice) {
    case Slice::all: return {0, parameter.shape()[0]};
    case Slice::queries: return {0, queries};
    case Slice::keys: return {queries, keys};
    case Slice::values: return {queries + keys, keys};
    case Slice::gates: return {0, hidden};
    case Slice::hidden: return {hidden, hidden};
  }
  return {0, 0};
}

// Lists the tensors of a model. A bias without a parameter of ours is 0, as long as its weight has
// rows, or for a norm's weight, elements.
class Lister {
 public:
  Lister(GPT& gpt, Family family, Program program)
      : config_(gpt.config), family_(family), program_(program) {
    for (const nn::NamedParameter& p : nn::parameters(gpt)) parameters_.emplace(p.name, p.tensor);
  }

  void add(const TensorName& row, const std::string& our_prefix, const std::string& their_prefix) {
    const std::string ours = our_prefix + std::string(row.ours);
    ForeignTensor tensor;
    tensor.name =
        their_prefix + std::string(program_ == Program::transformers ? row.transformers : row.gguf);
    tensor.parameter = find(ours);
    if (!tensor.parameter) {
      constexpr std::string_view bias = "bias";
      if (!ours.ends_with(bias)) return;  // a tied head; norms of queries and keys
      tensor.shape = {find(ours.substr(0, ours.size() - bias.size()) + "weight").shape()[0]};
    } else {
      const auto [first, count] = rows_of(row.slice, tensor.parameter, config_);
      tensor.row = first;
      tensor.shape = {tensor.parameter.shape().sizes().begin(),
                      tensor.parameter.shape().sizes().end()};
      tensor.shape[0] = count;
    }
    if (program_ == Program::transformers && family_ == Family::gpt2 && tensor.shape.size() == 2 &&
        ours.find(".c_") != ours.npos) {
      tensor.transposed = true;
      std::swap(tensor.shape[0], tensor.shape[1]);
    }
    if (program_ == Program::llama_cpp && family_ == Family::llama &&
        (row.slice == Slice::queries || row.slice == Slice::keys))
      tensor.interleaved_heads = tensor.shape[0] / config_.head_size();
    tensors_.push_back(std::move(tensor));
  }

  std::vector<ForeignTensor> take() { return std::move(tensors_); }

 private:
  Tensor find(const std::string& name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? Tensor{} : found->second;
  }

  const Config& config_;
  Family family_;
  Program program_;
  std::map<std::string, Tensor> parameters_;
  std::vector<ForeignTensor> tensors_;
};

// Calls visit(ours, theirs, n) for runs of n neighbouring elements in both: the element's index in
// the parameter, and in the file, with steps of 1 in both but in a transposed tensor, where n is 1.
template <class Visit>
void for_each_run(const ForeignTensor& tensor, Visit visit) {
  const Index cols = tensor.parameter.shape().rank() == 2 ? tensor.parameter.shape()[1] : 1;
  const Index rows = tensor.count() / cols, begin = tensor.row * cols;
  if (tensor.transposed) {
    for (Index col = 0; col < cols; ++col)
      for (Index row = 0; row < rows; ++row) visit(begin + row * cols + col, col * rows + row, 1);
  } else if (tensor.interleaved_heads > 0) {
    const Index D = rows / tensor.interleaved_heads;
    for (Index row = 0; row < rows; ++row) {
      const Index head = row / D * D, feature = row % D;
      const Index theirs = head + feature % (D / 2) * 2 + feature / (D / 2);
      visit(begin + row * cols, theirs * cols, cols);
    }
  } else {
    visit(begin, Index(0), tensor.count());
  }
}

}  // namespace

Index ForeignTensor::count() const {
  Index count = 1;
  for (const Index n : shape) count *= n;
  return count;
}

std::vector<ForeignTensor> foreign_tensors(GPT& gpt, Family family, Program program) {
  const bool gpt2 = family == Family::gpt2;
  Lister lister(gpt, family, program);
  for (const TensorName& row : gpt2 ? std::span<const TensorName>(gpt2_tensors)
                                    : std::span<const TensorName>(llama_tensors))
    lister.add(row, "", "");
  for (Index i = 0; i < gpt.config.n_layer; ++i) {
    const std::string ours = engine::joined("transformer.h.", i, '.');
    const std::string theirs = program == Program::llama_cpp ? engine::joined("blk.", i, '.')
                               : gpt2                        ? ours
                                      : engine::joined("model.layers.", i, '.');
    for (const TensorName& row :
         gpt2 ? std::span<const TensorName>(gpt2_block) : std::span<const TensorName>(llama_block))
      lister.add(row, ours, theirs);
  }
  return lister.take();
}

void copy_values(const ForeignTensor& from, std::span<real> to) {
  if (!from.parameter) {
    std::ranges::fill(to, real(0));
    return;
  }
  for_each_run(from, [&](Index ours, Index theirs, Index n) {
    std::copy_n(from.parameter.data() + ours, n, to.data() + theirs);
  });
}

std::string_view bytes_of(const ForeignTensor& tensor, Dtype dtype,
                          std::deque<engine::FileBytes>& memory) {
  const Index count = tensor.count();
  const bool as_it_is = tensor.parameter && !tensor.transposed && tensor.interleaved_heads == 0;
  const Buffer copied(as_it_is ? 0 : count);
  std::span<const real> values(copied.data(), engine::unsigned_size(count));
  if (as_it_is)
    values = {tensor.parameter.data() + tensor.row * (count / tensor.shape[0]),
              engine::unsigned_size(count)};
  else
    copy_values(tensor, {copied.data(), engine::unsigned_size(count)});
  if (as_it_is && dtype == Dtype::f32 && std::is_same_v<real, float>)
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  engine::FileBytes& bytes = memory.emplace_back();
  bytes.resize(engine::unsigned_size(bytes_of(tensor.name, tensor.shape, dtype).value()));
  encode(tensor.name, dtype, values, bytes);
  return view(bytes);
}

void set_values(const ForeignTensor& to, const TensorEntry& from) {
  check(from.shape == to.shape, "tensor ", in_quotes(from.name), " has shape ",
        shape_text(from.shape), ", expected ", shape_text(to.shape));
  const auto count = static_cast<std::size_t>(to.count());
  if (!to.transposed && to.interleaved_heads == 0 && to.parameter) {
    const Index cols = to.count() / to.shape[0];
    return copy_values(from, to.parameter.mutable_values().subspan(
                                 static_cast<std::size_t>(to.row * cols), count));
  }
  const Buffer memory(to.count());
  const std::span<real> values(memory.data(), count);
  copy_values(from, values);
  if (!to.parameter) {
    const auto other = std::ranges::find_if(values, [](real value) { return value != 0; });
    check(other == values.end(), "tensor ", in_quotes(from.name), ": element ",
          other - values.begin(), " is ", other == values.end() ? real(0) : *other,
          ", but the file says that the model has no biases");
    return;
  }
  for_each_run(to, [&](Index ours, Index theirs, Index n) {
    std::copy_n(values.data() + theirs, n, to.parameter.mutable_data() + ours);
  });
}

GPT read_weights(const Config& config, Family family, Program program, Index held,
                 const std::function<const TensorEntry*(const std::string&)>& find) {
  config.validate();
  // A damaged architecture could ask for any amount of memory.
  check(held >= config.parameter_count(), "the file holds ", held,
        " weights but its architecture (", config.n_layer, " layers, ", config.n_embd,
        " channels) has ", config.parameter_count());
  GPT gpt(config);
  for (const ForeignTensor& tensor : foreign_tensors(gpt, family, program)) {
    const TensorEntry* const entry = find(tensor.name);
    check(entry != nullptr || !tensor.parameter, "tensor ", in_quotes(tensor.name), " is missing");
    if (entry != nullptr) set_values(tensor, *entry);
  }
  return gpt;
}

}  // namespace model
