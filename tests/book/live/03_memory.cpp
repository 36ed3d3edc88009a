// Chapter 3: the nodes of a tape and the bytes of tensors while a small network's forward records and backward unwinds.
#include "engine/base/storage.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/layers.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject;

namespace {

// The memory at each moment of a pass.
struct Watch final : Tape::Observer {
  struct Moment {
    const char *what, *op;
    Index nodes, bytes;
  };
  void note(const char* what, const char* op, Index now) {
    const auto bytes = static_cast<Index>(pool::usage().live - before);
    moments.push_back({.what = what, .op = op, .nodes = now, .bytes = bytes});
  }
  void recorded(const char* op, const Gradient&, std::span<const Gradient>) override {
    note("forward", op, ++nodes);
  }
  void ran_backward(const char* op, const Gradient&, const Tensor&) override {
    note("backward", op, nodes--);
  }
  Index nodes = 0;
  std::size_t before = pool::usage().live;
  std::vector<Moment> moments;
};

std::vector<Watch::Moment> moments_of(Index rows, Index width, bool is_relu) {
  const auto bend = [&](const Tensor& x) { return is_relu ? relu(x) : tanh(x); };
  Generator generator(1);
  const Tensor points = Tensor::randn({rows, 2}, generator);
  const std::vector<Id> classes(unsigned_size(rows), 0);
  Watch watch;
  nn::Linear in(2, width), middle(width, width), out(width, 2);
  for (nn::Linear* layer : {&in, &middle, &out}) layer->initialize(generator);
  Tape tape;
  tape.observe(&watch);
  Tensor x = bend(in(points));  // frees the result before, unless an op saved it
  x = bend(middle(x));
  x = cross_entropy(out(x), classes);
  tape.backward(x);
  return watch.moments;
}

JsonObject answer(const live::Choices& choices) {
  const auto rows = static_cast<Index>(choices.number("rows", 200, 1, 1000)),
             width = static_cast<Index>(choices.number("width", 16, 1, 256));
  const bool is_relu = choices.number("relu", 0, 0, 1) == 1;
  moments_of(rows, width, is_relu);  // the engine takes memory that it keeps, for products
  // Nodes and slots are as large with one point and one feature, and of another size in a browser.
  const auto least = moments_of(1, 1, is_relu), all = moments_of(rows, width, is_relu);
  std::vector<JsonObject> moments;
  std::string said;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [what, op, nodes, bytes] = all[i];
    const Index tensors = bytes - least[i].bytes;
    live::print(said, "  %-9s%-14s nodes %d %8.1f KB\n", what, op, static_cast<int>(nodes),
                double(tensors) / 1000);
    moments.push_back(JsonObject().add("what", what, "op", op, "nodes", nodes, "bytes", tensors));
  }
  return JsonObject().add("moments", live::json_array(moments), "said", said);
}

const live::Figure figure(answer, "rows=200\nwidth=16\nrelu=0");

}  // namespace
