#include "model/generate/sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/kernels/softmax.h"

namespace model {

std::int32_t Sampler::choose(std::span<const real> logits, std::span<const std::int32_t> text) {
  check(!logits.empty(), "sampler: no logits, expected one for each token, 1 or more");
  for (const real logit : logits)
    check(std::isfinite(logit), "the model's logits are not finite numbers");
  p_.assign(logits.begin(), logits.end());
  if (sampling_.repetition_penalty != 1) penalize(text);
  const auto likeliest = std::ranges::max_element(p_);
  const real t = static_cast<real>(sampling_.temperature);
  // t is 0, or so small that x / t overflows.
  if (!std::isfinite(*likeliest / t) || !std::isfinite(std::ranges::min(p_) / t))
    return static_cast<std::int32_t>(likeliest - p_.begin());
  for (real& x : p_) x /= t;
  if (0 < sampling_.top_k && sampling_.top_k < std::ssize(p_)) keep_top_k();
  softmax();
  if (sampling_.top_p < 1) keep_top_p();
  if (sampling_.min_p > 0) keep_min_p();
  return draw();
}

void Sampler::penalize(std::span<const std::int32_t> text) {
  const real r = static_cast<real>(sampling_.repetition_penalty);
  seen_.assign(p_.size(), false);
  for (const std::int32_t id : text) {
    check(0 <= id && id < std::ssize(p_), "sampler: token ", id, " of the text, but ",
          counted(std::ssize(p_), "logit"));
    const std::size_t i = unsigned_size(id);
    if (!seen_[i]) p_[i] = p_[i] > 0 ? p_[i] / r : p_[i] * r;
    seen_[i] = true;
  }
}

void Sampler::keep_top_k() {
  scratch_ = p_;
  real* const kth = scratch_.data() + sampling_.top_k - 1;
  std::nth_element(scratch_.data(), kth, scratch_.data() + scratch_.size(), std::greater());
  for (real& x : p_)
    if (x < *kth) x = -std::numeric_limits<real>::infinity();
}

void Sampler::softmax() {
  const Index n = std::ssize(p_);
  const auto [max, sum] = engine::kernels::exp_row(n, p_.data(), p_.data());
  engine::kernels::scale_row(n, p_.data(), 1 / sum);
}

void Sampler::keep_top_p() {
  order_.clear();
  for (std::size_t i = 0; i < p_.size(); ++i)
    if (p_[i] > 0) order_.push_back(static_cast<std::int32_t>(i));
  std::ranges::sort(order_, [&](std::int32_t a, std::int32_t b) {
    const real pa = engine::at(p_, a), pb = engine::at(p_, b);
    return pa > pb || (pa == pb && a < b);
  });
  double sum = 0;  // of the more likely tokens
  for (const std::int32_t id : order_) {
    real& p = engine::at(p_, id);
    const double with = sum + static_cast<double>(p);
    if (sum >= sampling_.top_p) p = 0;
    sum = with;
  }
}

void Sampler::keep_min_p() {
  const double min = sampling_.min_p * static_cast<double>(std::ranges::max(p_));
  for (real& p : p_)
    if (static_cast<double>(p) < min) p = 0;
}

// torch.multinomial: argmax_i p_i / q_i, where the q_i are exponentially distributed. A token with
// p_i = 0 cannot win: the two random words of its q_i are discarded.
std::int32_t Sampler::draw() {
  const std::size_t n = p_.size();
  scratch_.resize(n);
  std::size_t best = 0;
  real max = 0;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const bool possible = p_[begin] > 0;
    while (end < n && (p_[end] > 0) == possible) ++end;
    if (!possible) {
      generator_.discard_uniform(static_cast<Index>(2 * (end - begin)));
      continue;
    }
    generator_.exponential(std::span(scratch_).subspan(begin, end - begin));
    for (std::size_t i = begin; i < end; ++i)
      if (const real x = p_[i] / scratch_[i]; x > max) {
        max = x;
        best = i;
      }
  }
  return static_cast<std::int32_t>(best);
}

}  // namespace model
