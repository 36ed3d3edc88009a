// Grades exercise 3, the backward loop of a tape: the leaves' gradients by differences, and which
// nodes have run, in which order.
#include <cmath>
#include <deque>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// An op on numbers that are counted from the leaves on: a + b, a * b or ln a.
struct Step {
  char op;
  std::size_t a, b;
};

template <class Number>
Number result(const Step& step, const std::vector<Number>& x) {
  using std::log;
  if (step.op == 'l') return log(x[step.a]);
  return step.op == '+' ? x[step.a] + x[step.b] : x[step.a] * x[step.b];
}

constexpr real earlier = 0.5;  // what leaves hold of an earlier backward pass

// The forward pass, then f.
Results run(TapeRun* f, const Tensor& leaves, const std::vector<Step>& steps, std::size_t loss) {
  std::vector<real> x(leaves.values().begin(), leaves.values().end());
  std::deque<Slot> slots(x.size(), {earlier, true});
  const Results out = {{"gradient", Tensor::zeros(leaves.shape())},
                       {"order", Tensor::zeros({std::ssize(steps)})},
                       {"uncleared", Tensor::zeros({std::ssize(steps)})}};
  const MutableVector gradient = mutable_vector(out[0]), order = mutable_vector(out[1]),
                      uncleared = mutable_vector(out[2]);
  std::vector<Node> nodes;
  real ran = 0;
  for (const Step& step : steps) {
    const real a = x[step.a], b = x[step.b];
    Slot &da = slots[step.a], &db = slots[step.b];
    x.push_back(result(step, x));
    nodes.push_back({&slots.emplace_back(), [=, &da, &db, &ran, i = std::ssize(nodes)](real dy) {
                       order[i] = ++ran;
                       da.add(step.op == 'l' ? dy / a : step.op == '+' ? dy : dy * b);
                       if (step.op != 'l') db.add(step.op == '+' ? dy : dy * a);
                     }});
  }
  f({"tape", nodes.data(), std::ssize(nodes)}, slots[loss]);
  for (Index i = 0; i < gradient.size; ++i) gradient[i] = slots[engine::unsigned_size(i)].sum;
  for (Index i = 0; i < uncleared.size; ++i)
    uncleared[i] = nodes[engine::unsigned_size(i)].result->written;
  return out;
}

void run_node(const Node& node) {
  if (!node.result->written) return;
  const real dy = node.result->sum;
  node.result->clear();
  node.backward(dy);
}

// From the last node to the first.
template <class F>
void backwards(Nodes tape, F f) {
  for (Index i = tape.size - 1; i >= 0; --i) f(tape[i]);
}

const std::vector<Mistake<TapeRun>> tape_run_mistakes = {
    {"the loop goes from the first node to the last; a node has to wait for all that use its "
     "result",
     [](Nodes tape, Slot& loss) {
       loss.add(1);
       for (Index i = 0; i < tape.size; ++i) run_node(tape[i]);
     }},
    {"every dy is 0: the slot of the loss gets no 1, or a slot is cleared before its sum is read",
     [](Nodes tape, Slot&) { backwards(tape, run_node); }},
    {"the seed is added to the slot of the last node; the loss may be an earlier result",
     [](Nodes tape, Slot&) {
       tape[tape.size - 1].result->add(1);
       backwards(tape, run_node);
     }},
    {"nodes without a gradient run too, with dy = 0: that costs time, and 0 / 0 is nan",
     [](Nodes tape, Slot& loss) {
       loss.add(1);
       backwards(tape, [](const Node& node) {
         node.result->written = true;
         run_node(node);
       });
     }},
    {"the first node is left out: does the loop end at 1 instead of 0?",
     [](Nodes tape, Slot& loss) {
       loss.add(1);
       for (Index i = tape.size - 1; i > 0; --i) run_node(tape[i]);
     }},
    {"the slots of results are not cleared: their gradients stay in memory",
     [](Nodes tape, Slot& loss) {
       loss.add(1);
       backwards(tape, [](const Node& node) {
         if (node.result->written) node.backward(node.result->sum);
       });
     }},
};

}  // namespace

Exercise tape_run(TapeRun* yours) {
  Exercise exercise{"3_tape_run", "expected", {}, {}};
  const auto trial = [&](const char* what, std::initializer_list<double> x,
                         const std::vector<Step>& steps, std::size_t loss,
                         std::initializer_list<double> order) {
    const Tensor leaves = Tensor::of({std::ssize(x)}, x);
    const gradient::Case c{what, {leaves}, [=] {
                             std::vector<Tensor> numbers;
                             for (Index i = 0; i < leaves.size(); ++i) numbers.push_back(leaves[i]);
                             for (const Step& step : steps)
                               numbers.push_back(result(step, numbers));
                             return numbers[loss];
                           }};
    Results right = by_differences(c, Tensor(1), {"gradient"});
    right[0].value = right[0].value + earlier;
    right.push_back({"order", Tensor::of({std::ssize(order)}, order)});
    right.push_back({"uncleared", Tensor::zeros({std::ssize(order)})});
    add_trial(exercise, yours, tape_run_mistakes, what, right,
              [=](TapeRun* f) { return run(f, leaves, steps, loss); });
  };
  // x, w, b are numbers 0, 1, 2; results follow.
  trial("u = x w, v = u + b, loss = v u", {3, 2, 1}, {{'*', 0, 1}, {'+', 3, 2}, {'*', 4, 3}}, 5,
        {3, 2, 1});
  trial("u = x w, s = ln b, loss = u + x, so that s is not used; b = 0", {3, 2, 0},
        {{'*', 0, 1}, {'l', 2, 2}, {'+', 3, 0}}, 5, {2, 0, 1});
  trial("u = x w, loss = u + b, s = u loss, so that the loss is not last", {3, 2, 1},
        {{'*', 0, 1}, {'+', 3, 2}, {'*', 3, 4}}, 4, {2, 1, 0});
  trial("loss = x x", {3}, {{'*', 0, 0}}, 1, {1});
  return exercise;
}

int grade_tape_run(TapeRun* yours) { return report(tape_run(yours)); }

}  // namespace exercises
