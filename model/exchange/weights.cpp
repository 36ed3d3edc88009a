#include "model/exchange/weights.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "model/base/words.h"

namespace model {

using engine::Tensor;

namespace {

struct Rows {
  Index first, count;
};

// The rows of a parameter in a slice.
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

// Lists the tensors of a model. A bias without a parameter of ours is 0; its length is the number
// of its weight's rows or, for a norm, elements.
class Lister {
 public:
  Lister(GPT& gpt, Family family, Program program)
      : config_(gpt.config), family_(family), program_(program) {
    for (const nn::NamedParameter& p : nn::parameters(gpt)) parameters_.emplace(p.name, p.tensor);
  }

  void add(const TensorName& row, const std::string& our_prefix, const std::string& their_prefix) {
    const std::string ours = our_prefix + std::string(row.ours);
    const bool is_gguf = program_ == Program::llama_cpp;
    StoredTensor tensor;
    tensor.name = their_prefix + std::string(is_gguf ? row.gguf : row.transformers);
    tensor.parameter = find(ours);
    if (!tensor.parameter) {
      constexpr std::string_view bias = "bias";
      if (!ours.ends_with(bias)) return;  // a tied head; norms of queries and keys
      tensor.shape = {find(ours.substr(0, ours.size() - bias.size()) + "weight").shape()[0]};
    } else {
      const auto [first, count] = rows_of(row.slice, tensor.parameter, config_);
      tensor.first_row = first;
      tensor.shape = {tensor.parameter.shape().sizes().begin(),
                      tensor.parameter.shape().sizes().end()};
      tensor.shape[0] = count;
    }
    if (row.layout == Layout::transposed && !is_gguf) {
      tensor.transposed = true;
      std::swap(tensor.shape[0], tensor.shape[1]);
    }
    if (row.layout == Layout::interleaved && is_gguf && tables(family_).interleaved)
      tensor.interleaved_heads = tensor.shape[0] / config_.head_size();
    tensors_.push_back(std::move(tensor));
  }

  std::vector<StoredTensor> take() { return std::move(tensors_); }

 private:
  Tensor find(const std::string& name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? Tensor{} : found->second;
  }

  const Config& config_;
  Family family_;
  Program program_;
  std::map<std::string, Tensor> parameters_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace

std::vector<StoredTensor> foreign_tensors(GPT& gpt, Family family, Program program) {
  const FamilyTables& names = tables(family);
  Lister lister(gpt, family, program);
  for (const TensorName& row : names.tensors) lister.add(row, "", "");
  for (Index i = 0; i < gpt.config.n_layer; ++i) {
    const std::string theirs =
        joined(program == Program::llama_cpp ? "blk." : names.block_prefix, i, '.');
    for (const TensorName& row : names.block)
      lister.add(row, joined("transformer.h.", i, '.'), theirs);
  }
  return lister.take();
}

namespace {

// The smallest architecture with the same names of tensors: these depend on no size but n_layer.
Config smallest(Config config) {
  config.vocab_size = config.block_size = config.n_embd = config.n_head = config.n_inner = 1;
  config.n_kv_head = 0;
  config.head_dim = 2;
  return config;
}

}  // namespace

GPT read_weights(const Config& config, Family family, std::vector<TensorEntry> tensors) {
  config.validate();
  // Some programs write a tied head as well.
  const auto tied = std::stable_partition(tensors.begin(), tensors.end(), [&](const auto& entry) {
    return !config.tie_weights || entry.name != "lm_head.weight";
  });
  const std::vector<TensorEntry> heads(tied, tensors.end());
  tensors.erase(tied, tensors.end());
  const TensorSet set(std::move(tensors));
  GPT named(smallest(config));
  check_names(foreign_tensors(named, family, Program::transformers), set);
  // The file may have zeros for biases that our model lacks.
  config.check_holds(set.count(), true);
  GPT gpt(config);
  fill(foreign_tensors(gpt, family, Program::transformers), set);
  for (const TensorEntry& head : heads) {
    const Tensor weight = Tensor::zeros(gpt.wte.weight.shape());
    copy_values(head, weight.mutable_values());
    check(std::ranges::equal(weight.values(), gpt.wte.weight.values()), titled(head.name),
          " is not the token embedding, though config.json says tie_word_embeddings");
  }
  return gpt;
}

}  // namespace model
