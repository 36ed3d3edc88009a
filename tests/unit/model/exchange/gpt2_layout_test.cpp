// GPT-2 as the hub has it, computed by plain loops from the file's own tensors. Its linear layers are
// Conv1D: y = x W + b with W (in, out), so a matrix that is transposed once too often or too seldom, a
// square one too, gives other logits than the engine's.
#include <cmath>
#include <deque>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/unit/model/exchange/exchange.h"
#include "tests/unit/model/format/encoded.h"
#include "tests/unit/model/models.h"

using engine::Index;
using namespace model;

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// The tensors of a file under transformers' names, as rows.
struct File {
  std::map<std::string, Rows> tensors;
  Index heads;
  double epsilon;

  const Row& vector(const std::string& name) const { return tensors.at(name).at(0); }
  Rows conv1d(const Rows& x, const std::string& name) const {
    const Rows& W = tensors.at(name + ".weight");
    Rows y(x.size(), vector(name + ".bias"));
    for (std::size_t t = 0; t < x.size(); ++t)
      for (std::size_t i = 0; i < W.size(); ++i)
        for (std::size_t j = 0; j < W[i].size(); ++j) y[t][j] += x[t].at(i) * W[i][j];
    return y;
  }
  Rows layer_norm(Rows x, const std::string& name) const {
    for (Row& row : x) {
      double mean = 0, variance = 0;
      for (const double v : row) mean += v / double(row.size());
      for (const double v : row) variance += (v - mean) * (v - mean) / double(row.size());
      for (std::size_t j = 0; j < row.size(); ++j)
        row[j] = (row[j] - mean) / std::sqrt(variance + epsilon) * vector(name + ".weight")[j] +
                 vector(name + ".bias")[j];
    }
    return x;
  }
  // Each position reads itself and those before it; q, k and v lie side by side in a row.
  Rows attention(const Rows& qkv) const {
    const std::size_t C = qkv[0].size() / 3, D = C / std::size_t(heads);
    Rows y(qkv.size(), Row(C));
    for (std::size_t h = 0; h < std::size_t(heads); ++h)
      for (std::size_t t = 0; t < qkv.size(); ++t) {
        Row weights(t + 1);
        double sum = 0;
        for (std::size_t s = 0; s <= t; ++s) {
          double score = 0;
          for (std::size_t d = 0; d < D; ++d) score += qkv[t][h * D + d] * qkv[s][C + h * D + d];
          sum += weights[s] = std::exp(score / std::sqrt(double(D)));
        }
        for (std::size_t s = 0; s <= t; ++s)
          for (std::size_t d = 0; d < D; ++d)
            y[t][h * D + d] += weights[s] / sum * qkv[s][2 * C + h * D + d];
      }
    return y;
  }
  Row logits(const std::vector<std::int32_t>& ids, Index layers) const {
    const auto add = [](Rows& x, const Rows& y) {
      for (std::size_t t = 0; t < x.size(); ++t)
        for (std::size_t j = 0; j < x[t].size(); ++j) x[t][j] += y[t][j];
    };
    Rows x;
    for (const std::int32_t id : ids)
      x.push_back(tensors.at("transformer.wte.weight").at(std::size_t(id)));
    Rows positions = tensors.at("transformer.wpe.weight");
    positions.resize(ids.size());
    add(x, positions);
    for (Index i = 0; i < layers; ++i) {
      const std::string layer = "transformer.h." + std::to_string(i) + '.';
      add(x, conv1d(attention(conv1d(layer_norm(x, layer + "ln_1"), layer + "attn.c_attn")),
                    layer + "attn.c_proj"));
      Rows hidden = conv1d(layer_norm(x, layer + "ln_2"), layer + "mlp.c_fc");
      for (Row& row : hidden)
        for (double& v : row)  // gelu_new
          v = 0.5 * v *
              (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
      add(x, conv1d(hidden, layer + "mlp.c_proj"));
    }
    Row all;
    for (const Row& row : layer_norm(x, "transformer.ln_f"))
      for (const Row& embedding : tensors.at("transformer.wte.weight")) {
        double logit = 0;
        for (std::size_t j = 0; j < row.size(); ++j) logit += row[j] * embedding[j];
        all.push_back(logit);
      }
    return all;
  }
};

// Layers, heads, width, hidden width, context and vocabulary: all other numbers.
Config gpt2() {
  return models::sized(
      13, 7, 3, 2, 10,
      {.bias = true, .activation = nn::Activation::gelu_tanh, .n_inner = 22, .norm_eps = 1e-3});
}
const std::vector<std::int32_t> ids = {12, 0, 7, 7, 3, 11};

void check_same(const GPT& gpt, const File& file) {
  const engine::Tensor logits = gpt.logits(ids, 1, std::ssize(ids));
  const Row expected = file.logits(ids, gpt.config.n_layer);
  REQUIRE(logits.size() == std::ssize(expected));
  double off = 0, size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    off += std::pow(double(logits.values()[i]) - expected[i], 2);
    size += expected[i] * expected[i];
  }
  CHECK(std::sqrt(off / size) < 1e-5);  // files hold float32
}

Rows rows_of(const std::vector<Index>& shape, std::span<const engine::real> values) {
  const std::size_t width = std::size_t(shape.back());
  Rows rows;
  for (std::size_t i = 0; i < values.size(); i += width)
    rows.emplace_back(values.begin() + std::ptrdiff_t(i),
                      values.begin() + std::ptrdiff_t(i + width));
  return rows;
}

}  // namespace

TEST_CASE("exchange: a GPT-2 of the hub, written by hand, computes what plain loops do") {
  const Index C = 10, inner = 22;
  std::vector<std::pair<std::string, std::vector<Index>>> names = {{"wte.weight", {13, C}},
                                                                   {"wpe.weight", {7, C}}};
  const auto add = [&](const std::string& module, const std::vector<Index>& weight) {
    names.emplace_back(module + ".weight", weight);
    names.emplace_back(module + ".bias", std::vector<Index>{weight.back()});
  };
  for (const std::string layer : {"h.0.", "h.1.", "h.2."}) {
    add(layer + "ln_1", {C});
    add(layer + "attn.c_attn", {C, 3 * C});
    add(layer + "attn.c_proj", {C, C});
    add(layer + "ln_2", {C});
    add(layer + "mlp.c_fc", {C, inner});
    add(layer + "mlp.c_proj", {inner, C});
  }
  add("ln_f", {C});
  File file{{}, 2, 1e-3};
  std::deque<std::string> bytes;
  SafetensorsWriter writer(FileOf::others);
  Index k = 0;
  for (const auto& [name, shape] : names) {
    Index size = 1;
    for (const Index n : shape) size *= n;
    std::vector<engine::real> values;
    for (Index i = 0; i < size; ++i)
      values.push_back(engine::real(float(0.6 * golden::formula(i, k))));
    ++k;
    file.tensors["transformer." + name] = rows_of(shape, values);
    bytes.push_back(encoded(name, Dtype::f32, values));
    writer.add(name, shape, Dtype::f32, bytes.back());
  }
  const std::string written = joined_pieces(writer.pieces());
  const TransformersConfig config = read_transformers_config(
      R"({"model_type": "gpt2", "n_embd": 10, "n_head": 2, "n_layer": 3, "n_positions": 7,
          "n_inner": 22, "vocab_size": 13, "layer_norm_epsilon": 0.001})");
  check_same(read_transformers_weights(config, {SafetensorsFile(written, FileOf::others)}), file);
}

TEST_CASE("exchange: an exported GPT-2, computed by plain loops, has the engine's logits") {
  GPT gpt = exchange::random_gpt(gpt2());
  File file{{}, 2, 1e-3};
  for (const StoredTensor& tensor : foreign_tensors(gpt, Family::gpt2, Program::transformers)) {
    Index size = 1;
    for (const Index n : tensor.shape) size *= n;
    std::vector<engine::real> values(std::size_t(size), 0);
    copy_values(tensor, values);
    file.tensors[tensor.name] = rows_of(tensor.shape, values);
  }
  check_same(gpt, file);
}
