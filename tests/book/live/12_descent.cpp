// Chapter 12: optimizers from one place: down a valley, and to a matrix. Its gradient has large and small singular values.
#include <cmath>

#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/adamw.h"
#include "nn/muon.h"
#include "nn/sgd.h"
#include "tests/book/live/live.h"

using namespace engine;
using live::JsonObject, live::json_array;

namespace {

// 25 times as steep across as along. p: (2, ...)
Tensor valley(const Tensor& p) { return pow(p[0], 2) * 0.5 + pow(p[1], 2) * 12.5; }

// Sixty updates of p to make f(p) small; fewer if it diverges, which is when the loss has grown a hundredfold. Losses,
// and of two numbers where they were.
template <class Optimizer>
JsonObject walk(const char* name, Tensor p, auto f, auto options, double rate, std::string& said) {
  p = p.clone().require_gradient();
  Optimizer optimizer(std::vector<Tensor>{p}, options);
  std::vector<double> losses;
  std::vector<model::JsonText> places;
  live::print(said, "    %-9s", name);
  for (int i = 0; i <= 60; ++i) {
    Tape tape;
    const Tensor loss = f(p);
    losses.push_back(double(loss.item()));
    if (p.size() == 2) places.push_back(live::rows(p));
    if (!(losses.back() < 100 * losses[0])) break;
    // Muon makes the rounding of a small gradient as large as the rest: below 0.01 computers differ.
    if (i % 20 == 0) live::print(said, "%11.3g", std::fmax(losses.back(), 0.01));
    tape.backward(loss);
    optimizer.step(rate);
  }
  said += losses.size() < 61 ? "   diverged\n" : "\n";
  return JsonObject().add("name", name, "losses", json_array(losses), "places", json_array(places),
                          "diverged", losses.size() < 61);
}

JsonObject answer(const live::Choices& choices) {
  const double rate = std::pow(10, choices.number("rate", -0.8, -4, 1)),
               beta = choices.number("momentum", 0.8, 0, 0.99);
  Generator generator(1);
  // Small along some directions, and these are not the axes.
  const Tensor turned = Tensor::randn({8, 8}, generator),
               x = matmul(Tensor::randn({32, 8}, generator) * pow(0.5, Tensor::arange(8)), turned),
               y = matmul(x, Tensor::randn({8, 8}, generator));
  const auto fit = [&](const Tensor& w) { return mean_squared_error(matmul(x, w), y); };
  std::string said = "  valley, updates    0         20         40         60 (0.01: or less)\n";
  const nn::AdamWOptions adamw{.beta1 = beta, .weight_decay = 0, .grad_clip = 0};
  const nn::MuonOptions muon{.momentum = beta, .weight_decay = 0, .grad_clip = 0};
  const auto ways = [&](const Tensor& p, auto loss) {
    return std::vector{
        walk<nn::SGD>("SGD", p, loss, nn::SGDOptions{}, rate, said),
        walk<nn::SGD>("momentum", p, loss, nn::SGDOptions{.momentum = beta}, rate, said),
        walk<nn::AdamW>("AdamW", p, loss, adamw, rate, said)};
  };
  const std::vector<JsonObject> down = ways(Tensor::of({-8, 2}), valley);
  said += "  matrix\n";
  std::vector<JsonObject> matrix = ways(Tensor::zeros({8, 8}), fit);
  matrix.push_back(walk<nn::Muon>("Muon", Tensor::zeros({8, 8}), fit, muon, rate, said));
  // Heights of the valley from -10 to 10 and from -2.5 to 2.5.
  const Tensor cells = broadcast_to(Tensor::arange(40) - 19.5, {40, 40}),
               heights = valley(stack({cells / 2, transpose(cells) / 8}));
  return JsonObject().add("rate", rate, "heights", live::rows(heights), "valley", json_array(down),
                          "matrix", json_array(matrix), "said", said);
}

const live::Figure figure(answer, "rate=-0.8\nmomentum=0.8");

}  // namespace
