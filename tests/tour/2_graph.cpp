// Tour, 2 of 8: a picture of a graph, and its memory: what forward keeps and when backward frees it.
//
// Nothing in the engine stores a graph: a tape is a list. But a tape tells its observer the slots
// of each op's result and inputs, so an observer can draw the graph. It is written to graph.dot (or
// the file named by the argument); dot -Tsvg graph.dot >graph.svg makes a picture of it.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/ops.h"
#include "engine/tape.h"

using namespace engine;

namespace {

class Graph : public Tape::Observer {
 public:
  // Names a tensor: a leaf before the forward pass, a result after it.
  void call(const std::string& name, const Tensor& x) { names_[index_of(x.gradient())] = name; }

  void recorded(const char* op, const Gradient& y, std::span<const Gradient> inputs) override {
    Node node{op, {}, 0};
    for (const Gradient& input : inputs)
      if (input) node.inputs.push_back(index_of(input));
    node.result = index_of(y);
    nodes_.push_back(node);
    print_memory("forward", op);
  }
  void ran_backward(const char* op, const Gradient&, const Tensor&) override {
    print_memory("backward", op);
  }

  void print() const {
    for (const Node& node : nodes_) {
      std::printf("  %s = %s(", names_[node.result].c_str(), node.op.c_str());
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        std::printf("%s%s", i > 0 ? ", " : "", names_[node.inputs[i]].c_str());
      std::printf(")\n");
    }
  }
  void write(const char* path) const {
    std::ofstream file(path);
    file << "digraph {\n  rankdir=LR\n";
    for (std::size_t i = 0; i < names_.size(); ++i)
      file << "  t" << i << " [shape=box, label=\"" << names_[i] << "\"]\n";
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      file << "  op" << n << " [shape=ellipse, label=\"" << nodes_[n].op << "\"]\n";
      for (const std::size_t input : nodes_[n].inputs)
        file << "  t" << input << " -> op" << n << "\n";
      file << "  op" << n << " -> t" << nodes_[n].result << "\n";
    }
    file << "}\n";
    std::printf("  written to %s\n\n", path);
  }

 private:
  // The memory of values, gradients and closures beyond `at_first_`, and a bar of a # per 256 KiB.
  void print_memory(const char* pass, const char* op) const {
    const auto kib = (pool::usage().live - at_first_) / 1024;
    std::printf("  %-8s  %-6s  %3.1f MiB  %s\n", pass, op, static_cast<double>(kib) / 1024,
                std::string(kib / 256, '#').c_str());
  }
  std::size_t at_first_ = pool::usage().live;
  struct Node {
    std::string op;
    std::vector<std::size_t> inputs;
    std::size_t result;
  };
  std::size_t index_of(const Gradient& slot) {
    const auto found = std::find(slots_.begin(), slots_.end(), slot);
    if (found != slots_.end()) return static_cast<std::size_t>(found - slots_.begin());
    slots_.push_back(slot);
    names_.push_back(std::string(1, 't').append(std::to_string(names_.size())));
    return names_.size() - 1;
  }

  std::vector<Gradient> slots_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_;
};

}  // namespace

int main(int argc, char** argv) {
  set_thread_count(1);  // each thread takes work memory for products
  Generator generator(1);
  const Tensor x = Tensor::randn({512, 512}, generator);
  Tensor w = 0.05 * Tensor::randn({512, 512}, generator);
  w.require_gradient();
  matmul(x, w);  // takes the work memory of products now, before counting
  Graph graph;
  graph.call("w", w);
  {
    Tape tape;
    tape.observe(&graph);
    std::printf(
        "three layers u = tanh(u w) from x, then loss = sum(u u); x is data, w a parameter, both\n"
        "(512, 512), so that each tensor of this size takes 1 MiB. Memory beyond x and w:\n");
    Tensor u = x;
    for (int layer = 1; layer <= 3; ++layer) {
      u = tanh(matmul(u, w));
      graph.call(std::string(1, 'u').append(std::to_string(layer)), u);
    }
    const Tensor loss = sum(u * u);
    u = {};  // from here on, only the tape keeps the last u
    graph.call("loss", loss);
    tape.backward(loss);
  }
  std::printf(
      "Forward: tanh saves its result u, since its derivative is 1 - u^2, and the matmul after it\n"
      "saves the same u, which costs nothing. Nothing saves the product u w: it is freed when "
      "tanh\n"
      "has run, just after its line. The tape's own nodes take 1 to 3 KiB, too little to be seen.\n"
      "Backward: an op hands on its gradient, then its closure goes and what it saved is freed.\n"
      "A line shows the memory when the op has run, before its closure goes. So it rises at "
      "first:\n"
      "the new gradients take more than has been freed. dw stays.\n");
  std::printf("\nas text (x is data, has no slot and so is not in the graph):\n");
  graph.print();
  std::printf("\nas a graph:\n");
  graph.write(argc > 1 ? argv[1] : "graph.dot");
  std::printf("next: make tour N=3 (tests/tour/3_two_moons.cpp)\n");
}
