// Chapter 1: a formula is recorded on a tape while it is read. It observes its ops; when an op's backward has run, what
// is in the slots of its inputs is noted.
#include <set>

#include "tests/book/live/formula.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject, live::json_array;

namespace {

struct Graph final : live::Formula {
  using Formula::Formula;
  void ran_backward(const char* op, const Gradient& y, const Tensor& slot) override {
    const Node& node = at(nodes, number_of(y));
    const double dy = double(slot.item());
    live::print(said, "  %-5s %-12.12s dy = %7.4g; slots now:", op, node.name.c_str(), dy);
    std::vector<JsonObject> slots;
    for (const Index i : std::set(node.inputs.begin(), node.inputs.end())) {
      const double sum = double(at(nodes, i).slot.value().item());
      slots.push_back(JsonObject().add("node", i, "sum", sum));
      live::print(said, "%s %.12s %.4g", slots.size() > 1 ? "," : "", at(nodes, i).name.c_str(),
                  sum);
    }
    said += "\n";
    steps.push_back(JsonObject().add("node", number_of(y), "dy", dy, "slots", json_array(slots)));
  }
  std::vector<JsonObject> steps;
  std::string said;
};

JsonObject answer(const live::Choices& choices) {
  Graph graph(choices.text("formula", 200), [&](std::string_view name) {
    return Tensor(choices.number(name, 1, -100, 100)).require_gradient();
  });
  Tape tape;
  tape.observe(&graph);
  const Tensor loss = graph.value();
  const Index last = graph.number_of(loss.gradient());
  check(last < std::ssize(graph.nodes),
        "formula: its last part has no leaf yet, a name such as x: backward has nowhere to go");
  check(at(graph.nodes, last).op != "leaf",
        "formula: its last part has no op yet, where backward begins: end with one, such as x * w");
  std::vector<JsonObject> nodes;
  for (const auto& [op, name, slot, value, inputs] : graph.nodes) {
    nodes.push_back(
        JsonObject().add("op", op, "name", name, "value", value, "inputs", json_array(inputs)));
    live::print(graph.said, "  %-5s %-12.12s  = %7.4g\n", op.c_str(), name.c_str(), value);
  }
  tape.backward(loss);
  return JsonObject().add("nodes", json_array(nodes), "steps", json_array(graph.steps), "said",
                          graph.said);
}

const live::Figure figure(answer, "formula=v = x * w + b; v * v\nx=3\nw=2\nb=1");

}  // namespace
