#include "engine/kernels/counter_hash.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/engine/kernels/counter_rule.h"

using engine::Index;
using engine::kernels::CounterHash;
using engine::kernels::lanes;

namespace {

// +p where kept, p - 1 where dropped: mean 0, variance p (1 - p).
std::vector<float> centered_mask(std::uint64_t key, Index n, double p) {
  std::vector<float> mask(static_cast<std::size_t>(n));
  const CounterHash hash(key);
  for (Index i = 0; i < n; i += lanes) {
    const auto k = hash.kept(static_cast<std::uint32_t>(i), CounterHash::threshold(p));
    for (int j = 0; j < lanes; ++j)
      mask[static_cast<std::size_t>(i + j)] = static_cast<float>(k[j] != 0 ? p : p - 1);
  }
  return mask;
}

// Of independent masks: sum of x_i y_(i + lag), in standard deviations.
double correlation(const std::vector<float>& x, const std::vector<float>& y, std::size_t lag,
                   double p) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < x.size(); i += 1024) {  // short float sums, long double ones
    float part = 0;
    for (std::size_t k = i; k < std::min(i + 1024, x.size() - lag); ++k) part += x[k] * y[k + lag];
    sum += static_cast<double>(part);
  }
  return sum / (p * (1 - p)) / std::sqrt(static_cast<double>(x.size() - lag));
}

}  // namespace

// The largest of N independent standard normal numbers is above z with probability
// N erfc(z / sqrt 2): for 5000 of them and z = 5.5, 2e-4.
TEST_CASE("masks have the right mean and no correlation within them or between keys") {
  constexpr Index n = Index(1) << 18;
  constexpr double limit = 5.5;
  std::vector<std::size_t> lags;
  for (std::size_t lag = 1; lag <= 20; ++lag) lags.push_back(lag);
  for (std::size_t lag = 32; lag < n; lag *= 2) lags.insert(lags.end(), {lag, 3 * lag / 2 + 1});
  // Similar keys, among them those of a counter and of a shifted counter.
  const std::vector<std::uint64_t> keys = {
      0, 1, 2, 3, 1ull << 31, 1ull << 32, 2ull << 32, 1ull << 63, ~0ull, 0x9e3779b97f4a7c15};
  for (const double p : {0.1, 0.5}) {
    std::vector<std::vector<float>> masks;
    double squares = 0;
    int count = 0;
    const auto add = [&](double z) {
      CHECK(std::abs(z) < limit);
      squares += z * z;
      ++count;
    };
    for (const std::uint64_t key : keys) {
      masks.push_back(centered_mask(key, n, p));
      const std::vector<float>& mask = masks.back();
      INFO("p " << p << ", key " << key);
      double sum = 0;
      for (const float m : mask) sum += static_cast<double>(m);
      CHECK(std::abs(sum / std::sqrt(static_cast<double>(n) * p * (1 - p))) < limit);
      for (const std::size_t lag : lags) {
        INFO("lag " << lag);
        add(correlation(mask, mask, lag, p));
      }
      for (std::size_t other = 0; other + 1 < masks.size(); ++other)
        for (const std::size_t lag : {0u, 1u, 64u}) {
          INFO("with key " << keys[other] << ", lag " << lag);
          add(correlation(masks[other], mask, lag, p));
        }
    }
    // The mean square of `count` of them is 1 +- sqrt(2 / count); small correlations everywhere
    // would raise it.
    INFO("mean square " << squares / count << " of " << count);
    CHECK(std::abs(squares / count - 1) < 5 * std::sqrt(2.0 / count));
  }
}
