#include "model/exchange/nanogpt.h"

#include <algorithm>
#include <set>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/utf8.h"
#include "model/exchange/config_keys.h"
#include "model/exchange/weights.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/factory.h"

namespace model {

using engine::check;
using engine::in_quotes;
using engine::joined;
using engine::real;

namespace {

constexpr std::string_view tied_head = "lm_head.weight", tokenizer_key = "gradus_tokenizer";

// model_args, for read_keys.
struct Arguments {
  bool has(std::string_view key) const { return dict.find(key).has_value(); }
  void read(std::string_view key, Index& value) const { value = dict.at(key).integer(); }
  void read(std::string_view key, bool& value) const { value = dict.at(key).boolean(); }

  Pickle::Value dict;
};

// torch.compile puts a prefix before every name.
std::string_view without_prefix(std::string_view name) {
  constexpr std::string_view prefix = "_orig_mod.";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

}  // namespace

GPT read_nanogpt(std::string_view ckpt) {
  const TorchFile file(ckpt);
  const Pickle::Value root = file.root();
  Config config;
  read_keys(nanogpt_keys, Arguments{root.at("model_args")}, config);
  config.validate();
  std::vector<TensorEntry> tensors;
  std::size_t bytes = 0;
  for (const auto [key, value] : root.at("model").members()) {
    const std::string name(without_prefix(key.text()));
    if (name.ends_with(".attn.bias")) continue;  // the mask of models before PyTorch 2
    tensors.push_back(file.tensor(value, name));
    if (name != tied_head) bytes += tensors.back().data.size();
  }
  // Tensors may share a storage: without this check a small file could ask for any amount of memory.
  check(bytes <= ckpt.size(), "the tensors of the model take ", bytes, " bytes, the file has ",
        ckpt.size());
  return read_weights(config, Family::gpt2, Program::nanogpt, std::move(tensors));
}

TokenizerHandle read_nanogpt_meta(std::string_view meta_pkl) {
  const Pickle pickle(meta_pkl);
  const Pickle::Value root = pickle.root();
  if (const auto saved = root.find(tokenizer_key)) return load_tokenizer(saved->text());
  const Pickle::Value itos = root.at("itos");
  const Index size = itos.size();
  std::vector<std::string_view> characters(engine::unsigned_size(size));
  for (const auto [key, value] : itos.members()) {
    const std::int64_t id = key.integer();
    check(0 <= id && id < size && engine::at(characters, id).empty(), "itos: id ", id,
          ", expected each of 0..", size - 1);
    const std::string_view text = value.text();
    check(!text.empty() && engine::count_characters(text) == 1, "itos: id ", id, " is ",
          in_quotes(text), ", expected one character; a vocabulary of longer tokens has the key ",
          tokenizer_key);
    engine::at(characters, id) = text;
  }
  std::string joined_characters;
  for (const std::string_view character : characters) joined_characters += character;
  return std::make_shared<CharTokenizer>(joined_characters);
}

// --- Writing -------------------------------------------------------------------------------------

void check_is_nanogpt(const Config& config, std::string& note) {
  check(family_of(config) == Family::gpt2, "a model of the family ", name(family_of(config)),
        ": nanoGPT's is GPT-2's, --arch gpt2");
  const auto demand = [](bool condition, std::string_view setting, const auto& value,
                         const auto& expected) {
    check(condition, setting, ' ', value, ": nanoGPT's model.py has ", expected);
  };
  demand(config.tie_weights, "tie_weights", "false", "tied weights only");
  demand(config.hidden_size() == 4 * config.n_embd, "n_inner", config.n_inner, 4 * config.n_embd);
  demand(config.norm_eps == 1e-5, "norm_eps", config.norm_eps, "1e-5");
  const bool tanh = config.activation == nn::Activation::gelu_tanh;
  demand(tanh || config.activation == nn::Activation::gelu, "activation",
         nn::name(config.activation), "gelu");
  if (tanh)
    note =
        "nanoGPT computes GELU exactly, the model was trained with its tanh form: logits differ "
        "in the third or fourth digit";
}

namespace {

std::vector<Index> shape_of(const engine::Tensor& tensor) {
  return {tensor.shape().sizes().begin(), tensor.shape().sizes().end()};
}

// The settings of the parameters of these numbers.
void write_group(TorchWriter& out, const NanogptCheckpoint& checkpoint, double weight_decay,
                 Index begin, Index end) {
  const auto number = [&](std::string_view key, double value) {
    out.text(key);
    out.number(value);
  };
  out.begin_dict();
  number("lr", checkpoint.learning_rate);
  out.text("betas");
  out.begin_tuple();
  out.number(checkpoint.adamw.beta1);
  out.number(checkpoint.adamw.beta2);
  out.end_tuple();
  number("eps", checkpoint.adamw.epsilon);
  number("weight_decay", weight_decay);
  for (const std::string_view key : {"amsgrad", "maximize", "capturable", "differentiable"}) {
    out.text(key);
    out.boolean(false);
  }
  for (const std::string_view key : {"foreach", "fused"}) {
    out.text(key);
    out.none();
  }
  out.text("params");
  out.begin_list();
  for (Index i = begin; i < end; ++i) out.integer(i);
  out.end_list();
  out.end_dict();
}

// torch.optim.AdamW's state_dict. Parameters are numbered group by group: first those with two axes
// or more, which decay, then the others.
void write_optimizer(TorchWriter& out, const std::vector<nn::NamedParameter>& parameters,
                     const NanogptCheckpoint& checkpoint) {
  const auto decays = [](const nn::NamedParameter& p) { return p.tensor.shape().rank() >= 2; };
  std::vector<std::size_t> order;
  for (const bool decaying : {true, false})
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (decays(parameters[i]) == decaying) order.push_back(i);
  const Index decaying = std::ranges::count_if(parameters, decays);

  const bool has_state = !checkpoint.moments.empty();
  out.begin_dict();
  out.text("state");
  out.begin_dict();
  for (std::size_t number = 0; has_state && number < order.size(); ++number) {
    const engine::Tensor& tensor = parameters[order[number]].tensor;
    const auto [first, second] = checkpoint.moments[order[number]];
    const auto moment = [&](std::string_view key, const real* values) {
      out.text(key);
      out.tensor(shape_of(tensor), std::span(values, engine::unsigned_size(tensor.size())));
    };
    out.integer(static_cast<Index>(number));
    out.begin_dict();
    out.text("step");
    out.tensor({}, std::span(&checkpoint.steps, 1));
    moment("exp_avg", first);
    moment("exp_avg_sq", second);
    out.end_dict();
  }
  out.end_dict();
  out.text("param_groups");
  out.begin_list();
  write_group(out, checkpoint, checkpoint.adamw.weight_decay, 0, decaying);
  write_group(out, checkpoint, 0, decaying, std::ssize(order));
  out.end_list();
  out.end_dict();
}

void write_value(TorchWriter& out, const NanogptValue& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return out.boolean(*boolean);
  if (const auto* integer = std::get_if<Index>(&value)) return out.integer(*integer);
  if (const auto* number = std::get_if<double>(&value)) return out.number(*number);
  out.text(std::get<std::string>(value));
}

}  // namespace

void write_nanogpt(TorchWriter& out, GPT& gpt, const NanogptCheckpoint& checkpoint) {
  const std::vector<nn::NamedParameter> parameters = nn::parameters(gpt);
  out.begin_dict();
  out.text("model");
  out.begin_ordered_dict();
  for (const nn::NamedParameter& p : parameters) {
    out.text(p.name);
    out.tensor(shape_of(p.tensor), p.tensor.values());
  }
  out.text(tied_head);
  out.tensor(shape_of(gpt.wte.weight), gpt.wte.weight.values());
  out.end_dict();
  out.text("optimizer");
  write_optimizer(out, parameters, checkpoint);
  out.text("model_args");
  out.begin_dict();
  write_keys(nanogpt_keys, gpt.config, [&](std::string_view key, auto value) {
    out.text(key);
    if constexpr (std::is_constructible_v<NanogptValue, decltype(value)>) write_value(out, value);
  });
  out.end_dict();
  out.text("iter_num");
  out.integer(checkpoint.iter_num);
  out.text("best_val_loss");
  out.number(checkpoint.best_val_loss);
  out.text("config");
  out.begin_dict();
  for (const auto& [key, value] : checkpoint.config) {
    out.text(key);
    write_value(out, value);
  }
  out.end_dict();
  out.end_dict();
}

bool is_characters(const Tokenizer& tokenizer) {
  if (tokenizer.separator() || tokenizer.kind() != "char") return false;
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (engine::first_code_point(tokenizer.token_bytes(id)).bytes == 0) return false;
  return true;
}

std::string nanogpt_meta(const Tokenizer& tokenizer) {
  PickleWriter out;
  const Index size = tokenizer.vocabulary_size();
  const auto text_of = [&](Index id) {
    const std::string_view token = tokenizer.token_bytes(id);
    return engine::valid_utf8_prefix(token) == token.size() ? token : "\xEF\xBF\xBD";
  };
  out.begin_dict();
  out.text("vocab_size");
  out.integer(size);
  out.text("itos");
  out.begin_dict();
  for (Index id = 0; id < size; ++id) {
    out.integer(id);
    out.text(text_of(id));
  }
  out.end_dict();
  out.text("stoi");
  out.begin_dict();
  std::set<std::string_view> written;
  for (Index id = 0; id < size; ++id) {
    if (!written.insert(text_of(id)).second) continue;
    out.text(text_of(id));
    out.integer(id);
  }
  out.end_dict();
  if (!is_characters(tokenizer)) {
    out.text(tokenizer_key);
    out.text(tokenizer.save());
  }
  out.end_dict();
  return out.finish();
}

}  // namespace model
