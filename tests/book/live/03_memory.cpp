// Chapter 3: the nodes of a tape and the bytes of tensors while a small network's forward records and backward unwinds.
#include "engine/base/storage.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/layers.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject;

namespace {

struct Watch final : Tape::Observer {
  void note(const char* what, const char* op) {
    const auto bytes = static_cast<Index>(pool::usage().live - before);
    live::print(said, "  %-9s%-14s nodes %d %8.1f KB\n", what, op, static_cast<int>(tape->size()),
                double(bytes) / 1000);
    moments.push_back(
        JsonObject().add("what", what, "op", op, "nodes", tape->size(), "bytes", bytes));
  }
  void recorded(const char* op, const Gradient&, std::span<const Gradient>) override {
    note("forward", op);
  }
  void ran_backward(const char* op, const Gradient&, const Tensor&) override {
    note("backward", op);
  }
  const Tape* tape = nullptr;
  std::size_t before = pool::usage().live;
  std::vector<JsonObject> moments;
  std::string said;
};

JsonObject answer(const live::Choices& choices) {
  const auto rows = static_cast<Index>(choices.number("rows", 200, 1, 1000)),
             width = static_cast<Index>(choices.number("width", 16, 1, 256));
  const bool is_relu = choices.number("relu", 0, 0, 1) == 1;
  const auto bend = [&](const Tensor& x) { return is_relu ? relu(x) : tanh(x); };
  Generator generator(1);
  const Tensor points = Tensor::randn({rows, 2}, generator);
  const std::vector<Id> classes(unsigned_size(rows), 0);
  const auto backward = [&](Watch* watch) {
    nn::Linear in(2, width), middle(width, width), out(width, 2);
    for (nn::Linear* layer : {&in, &middle, &out}) layer->initialize(generator);
    Tape tape;
    tape.observe(watch);
    if (watch != nullptr) watch->tape = &tape;
    tape.backward(cross_entropy(out(bend(middle(bend(in(points))))), classes));
  };
  backward(nullptr);  // the engine takes memory that it keeps, for products
  Watch watch;
  backward(&watch);
  return JsonObject().add("moments", live::json_array(watch.moments), "said", watch.said);
}

const live::Figure figure(answer, "rows=200\nwidth=16\nrelu=0");

}  // namespace
