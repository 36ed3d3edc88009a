// Chapter 1: a formula is recorded on a tape while it is read. An observer sees each op, and what is in the slots of its
// inputs when its backward has run.
#include <algorithm>
#include <set>

#include "engine/tape.h"
#include "tests/book/live/formula.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject, live::json_array;

namespace {

struct Graph final : Tape::Observer {
  struct Node {
    std::string op, name;
    Gradient slot;
    double value = 0;
    std::vector<Index> inputs = {};
    std::string text() const {
      return JsonObject()
          .add("op", op, "name", name, "value", value, "inputs", json_array(inputs))
          .text();
    }
  };
  void recorded(const char* op, const Gradient& y, std::span<const Gradient> inputs) override {
    check(nodes.size() < 40, "formula: more than 40 values are too many for a picture");
    nodes.push_back({op, "", y});
    for (const Gradient& x : inputs)
      if (x)
        nodes.back().inputs.push_back(std::ranges::find(nodes, x, &Node::slot) - nodes.begin());
  }
  void ran_backward(const char* op, const Gradient& y, const Tensor& dy) override {
    const Node& node = *std::ranges::find(nodes, y, &Node::slot);
    live::print(said, "  %-5s %-12.12s dy = %7.4g; slots now:", op, node.name.c_str(),
                double(dy.item()));
    std::vector<JsonObject> slots;
    for (const Index i : std::set(node.inputs.begin(), node.inputs.end())) {
      slots.push_back(JsonObject().add("node", i, "sum", double(at(nodes, i).slot.value().item())));
      live::print(said, " %.12s %.4g", at(nodes, i).name.c_str(),
                  double(at(nodes, i).slot.value().item()));
    }
    said += "\n";
    steps.push_back(JsonObject().add("node", &node - nodes.data(), "dy", double(dy.item()), "slots",
                                     json_array(slots)));
  }
  std::vector<Node> nodes;
  std::vector<JsonObject> steps;
  std::string said;
};

JsonObject answer(const live::Choices& choices) {
  check(choices.text("formula").size() <= 200, "formula: more than 200 letters are too many");
  Graph graph;
  Tape tape;
  tape.observe(&graph);
  const auto leaf = [&](std::string_view name) {
    Tensor x = choices.number(name, 1, -100, 100);
    graph.recorded("leaf", x.require_gradient().gradient(), {});
    graph.nodes.back().name = name;
    graph.nodes.back().value = double(x.item());
    return x;
  };
  const auto made = [&](std::string_view part, const Tensor& y) {
    const auto node = std::ranges::find(graph.nodes, y.gradient(), &Graph::Node::slot);
    if (node == graph.nodes.end() || node->op == "leaf") return;
    node->name = part;
    node->value = double(y.item());
  };
  const Tensor loss = live::Formula(choices.text("formula"), leaf, made).value();
  check(tape.size() > 0, "The formula needs at least one op, such as x * w");
  for (const Graph::Node& node : graph.nodes)
    live::print(graph.said, "  %-5s %-12.12s  = %7.4g\n", node.op.c_str(), node.name.c_str(),
                node.value);
  tape.backward(loss);
  return JsonObject().add("nodes", json_array(graph.nodes), "steps", json_array(graph.steps),
                          "said", graph.said);
}

const live::Figure figure(answer, "formula=v = x * w + b; v * v\nx=3\nw=2\nb=1");

}  // namespace
