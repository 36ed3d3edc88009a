// Exercise 16: a step of stochastic gradient descent with momentum.
//
// The velocity v adds up the gradients of the steps so far, older ones with less and less weight;
// the parameters w move against it. In PyTorch's form, with the weight decay as part of the
// gradient:
//
//     v_j = momentum v_j + g_j + decay w_j
//     w_j = w_j - lr v_j
//
// Given g_j = d loss / d w_j, update v and w, which hold the values of the step before. On the
// right v and w are these old values, except v in the second line: that is the new one.
//
// Derive: if g is the same at every step, what does v come to in the end?
//
// Read before: nn/sgd.h, nn/optimizer.h. `SGD::apply` in nn/sgd.cpp has the result.
#include "tests/exercises/exercise.h"

using namespace exercises;

void momentum_step(MutableVector w, MutableVector v, Vector g, real lr, real momentum, real decay) {
  // --- your code instead of the next line: v[j] = ..., w[j] ..., j < w.size ---
  not_done(w, v, g, lr, momentum, decay);
}

int main() { return grade_momentum(momentum_step); }
