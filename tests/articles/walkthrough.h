// What the articles have in common. Each is one file that follows a tutorial on self-attention:
// its steps in its order, in this engine, and every number it prints. `make test` checks them;
// `make articles` shows them as well, for reading.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "engine/tape.h"
#include "nn/attention.h"
#include "tests/catch.h"

namespace articles {

using namespace engine;

// --- the page --------------------------------------------------------------------------------

// Standard output, or nowhere without GRADUS_WALKTHROUGH.
inline std::ostream& page() {
  static std::ostream nowhere(nullptr);
  return std::getenv("GRADUS_WALKTHROUGH") != nullptr ? std::cout : nowhere;
}

inline void title(std::string_view words) {
  page() << "\n\n" << words << '\n' << std::string(words.size(), '=') << '\n';
}

inline void section(std::string_view words) {
  page() << '\n' << words << '\n' << std::string(words.size(), '-') << '\n';
}

template <class... Parts>
void say(const Parts&... parts) {
  page() << joined(parts...) << '\n';
}

// A value under the name that the article gives it; of a large tensor its corners.
inline void show_text(std::string_view name, const std::string& shown) {
  page() << name << (shown.find('\n') == std::string::npos ? ": " : ":\n") << shown << '\n';
}
inline void show(std::string_view name, const Tensor& x) {
  show_text(name, format(x, {.threshold = 100}));
}
inline void show(std::string_view name, const Shape& shape) { show_text(name, joined(shape)); }

// --- numbers that an article prints ----------------------------------------------------------

// Shows x, and checks it to the printed digits: half a unit of the last.
inline void prints(const char* name, const Tensor& x, const Tensor& printed, int digits = 4) {
  show(name, x);
  INFO(name << ": " << x << "\nthe article prints " << printed);
  REQUIRE(x.shape() == printed.shape());
  const double half_a_unit = 0.5 * std::pow(10, -digits);
  for (Index i = 0; i < x.size(); ++i) {
    INFO("element " << i);
    CHECK(x.data()[i] == Approx(printed.data()[i]).epsilon(0).margin(half_a_unit));
  }
}
inline void prints(const char* name, const Tensor& x, std::initializer_list<double> printed) {
  prints(name, x, Tensor::of({std::ssize(printed)}, printed));
}
inline void prints(const char* name, const Tensor& x,
                   std::initializer_list<std::initializer_list<double>> printed) {
  prints(name, x, Tensor::of(printed));
}

// Numbers from PyTorch, to all their digits. Float arithmetic in another order of
// summation may differ from them by a hundred roundings, no more.
struct Numbers {
  Shape shape;
  std::vector<double> values;
};
inline void prints(const char* name, const Tensor& x, const Numbers& by_pytorch) {
  show(name, x);
  INFO(name << ": " << x);
  REQUIRE(x.shape() == by_pytorch.shape);
  for (Index i = 0; i < x.size(); ++i) {
    INFO("element " << i);
    const double value = by_pytorch.values[static_cast<std::size_t>(i)];
    CHECK(x.data()[i] == Approx(value).epsilon(0).margin(6e-6 * std::max(1.0, std::abs(value))));
  }
}

inline void prints(const char* name, const Shape& shape, const Shape& printed) {
  show(name, shape);
  INFO(name);
  CHECK(shape == printed);
}

// --- words and weights -----------------------------------------------------------------------

// The words of a sentence: what stands between spaces, without commas.
inline std::vector<std::string> words_of(std::string sentence) {
  std::erase(sentence, ',');
  std::istringstream in(sentence);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline std::size_t longest(const std::vector<std::string>& words) {
  std::size_t length = 0;
  for (const std::string& word : words) length = std::max(length, word.size());
  return length;
}

// Attention weights (queries, keys) as numbers between the words they belong to.
inline std::string labeled(const Tensor& weights, const std::vector<std::string>& queries,
                           const std::vector<std::string>& keys) {
  check(weights.shape() == Shape{std::ssize(queries), std::ssize(keys)}, "labeled: weights ",
        weights.shape(), " for ", queries.size(), " and ", keys.size(), " words");
  const auto left = static_cast<int>(longest(queries));
  const auto column = static_cast<int>(std::max<std::size_t>(longest(keys), 4)) + 2;
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << std::string(static_cast<std::size_t>(left), ' ');
  for (const std::string& key : keys) out << std::setw(column) << key;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    out << '\n' << std::left << std::setw(left) << queries[q] << std::right;
    const Tensor row = weights[static_cast<Index>(q)];
    for (const real weight : row.values()) out << std::setw(column) << weight;
  }
  return out.str();
}

// The same as shades, one row for each query. A weight of exactly 0, as a causal mask leaves above
// the diagonal, stays blank.
inline std::string heat_map(const Tensor& weights, const std::vector<std::string>& words) {
  const auto n = std::ssize(words);
  check(weights.shape() == Shape{n, n}, "heat map: weights ", weights.shape(), " for ", n,
        " words");
  static constexpr const char* shades[] = {"░░", "▒▒", "▓▓", "██"};
  std::ostringstream out;
  for (Index q = 0; q < n; ++q) {
    const Tensor row = weights[q];
    out << (q > 0 ? "\n" : "") << std::setw(static_cast<int>(longest(words)))
        << words[static_cast<std::size_t>(q)] << " |";
    for (const real weight : row.values())
      out << (weight == 0 ? "  " : shades[std::min(3, static_cast<int>(weight * 4))]);
    out << '|';
  }
  return out.str();
}

// --- comparing -------------------------------------------------------------------------------

// The largest difference of two tensors of one shape. Of the same values computed in two ways it is
// some roundings of the largest, of 1.2e-7 each in float: below 1e-6 for a handful of sums of values
// near 1, below 1e-5 for sums of up to some ten terms or values up to 10, below 1e-4 for gradients
// that pass several of these or values near 1000.
inline double difference(const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "difference: shapes ", a.shape(), " and ", b.shape());
  double largest = 0;
  for (Index i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a.data()[i] - b.data()[i])));
  return largest;
}

}  // namespace articles
