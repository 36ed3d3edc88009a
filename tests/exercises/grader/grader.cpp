#include "tests/exercises/grader/grader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "engine/base/text.h"
#include "tests/gradient/check.h"

namespace exercises {

using engine::joined;

namespace {

// As in tests/gradient/main.cpp: differences are good to 1e-8.
bool agree(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || gradient::relative_error(a, b) < 1e-8;
}

std::string number(double x) { return std::isnan(x) ? "nan" : engine::short_text(x); }

double element(const Tensor& x, std::size_t i) { return double(x.values()[i]); }

// What a run of a trial gave: results, or what it threw.
struct Outcome {
  Results results;
  std::string error;
};

Outcome outcome(const Run& run) {
  try {
    return {run(), ""};
  } catch (const std::exception& error) {
    return {{}, error.what()};
  }
}

// Whether result k is the same, or both threw the same.
bool same(const Outcome& a, const Outcome& b, std::size_t k) {
  if (!a.error.empty() || !b.error.empty()) return a.error == b.error;
  const Tensor &x = a.results[k].value, &y = b.results[k].value;
  for (std::size_t i = 0; i < x.values().size(); ++i)
    if (!agree(element(x, i), element(y, i))) return false;
  return true;
}

// "  da[1, 0]: yours 0.31, by differences 0.93; ratio 0.333333", for up to four wrong elements.
std::string wrong_elements(const Result& yours, const Result& right, const std::string& truth) {
  std::string lines;
  std::size_t wrong = 0, zeros = 0;
  const std::size_t size = right.value.values().size();
  double first_ratio = 0;
  bool one_ratio = true;  // for all wrong elements
  for (std::size_t i = 0; i < size; ++i) {
    const double mine = element(yours.value, i), theirs = element(right.value, i);
    if (mine == 0) ++zeros;
    if (agree(mine, theirs)) continue;
    const double ratio = mine / theirs;
    if (wrong == 0) first_ratio = ratio;
    one_ratio = one_ratio && agree(first_ratio, ratio) && std::isfinite(ratio);
    if (++wrong > 4) continue;
    lines += joined("  ", right.name,
                    engine::gradient_check::index_text(right.value.shape(), static_cast<Index>(i)),
                    ": yours ", number(mine), ", ", truth, " ", number(theirs));
    if (std::isfinite(ratio) && ratio != 0) lines += "; ratio " + engine::short_text(ratio);
    lines += "\n";
  }
  if (wrong == 0) return joined("  ", right.name, " is right.\n");
  if (wrong > 4)
    lines += joined("  ", wrong, " of the ", size, " elements of ", right.name, " are wrong",
                    one_ratio ? ", all by this ratio.\n" : ".\n");
  if (zeros == size) lines += joined("  ", right.name, " is 0 everywhere, as it was at first.\n");
  return lines;
}

// The mistakes that explain why result k is wrong in `failed`, the first trial with a wrong result.
// First those that give yours in every trial; if there are none, as with two mistakes at once, those
// that do so up to there.
std::string named_mistakes(const Exercise& exercise, std::size_t failed, std::size_t k) {
  std::string certain, possible;
  for (std::size_t m = 0; m < exercise.mistakes.size(); ++m) {
    const auto as_yours = [&](std::size_t t) {
      const Trial& trial = exercise.trials[t];
      return same(outcome(trial.yours), outcome(trial.mistakes[m]), k);
    };
    std::size_t t = 0;
    while (t < exercise.trials.size() && as_yours(t)) ++t;
    if (t == exercise.trials.size())
      certain += "  It looks like this: " + exercise.mistakes[m] + "\n";
    else if (t > failed)
      possible += "  It may be this: " + exercise.mistakes[m] + "\n";
  }
  return certain.empty() ? possible : certain;
}

const std::vector<std::string> files = {"1_mul",           "2_softmax",     "3_layer_norm",
                                        "4_cross_entropy", "5_causal_mask", "6_attention",
                                        "7_top_p",         "8_matmul_tile"};

std::string path(const std::string& file) { return "tests/exercises/" + file + ".cpp"; }

std::string passed_text(const Exercise& exercise) {
  const auto next = std::ranges::find(files, exercise.file) + 1;
  return joined("exercise ", exercise.file[0], " passes (", path(exercise.file), "), ",
                next < files.end() ? "next: " + path(*next) : "it was the last one", "\n");
}

}  // namespace

Grade grade(const Exercise& exercise) try {
  const std::string head = joined("exercise ", exercise.file[0], " is not right yet: ");
  for (std::size_t t = 0; t < exercise.trials.size(); ++t) {
    const Trial& trial = exercise.trials[t];
    const Outcome yours = outcome(trial.yours);
    const std::string where = head + path(exercise.file) + ", with " + trial.what + "\n";
    if (!yours.error.empty())
      return {false, where + "  " + yours.error + "\n" + named_mistakes(exercise, t, 0)};
    std::string text, names;
    bool right = true;
    for (std::size_t k = 0; k < trial.right.size(); ++k) {
      text += wrong_elements(yours.results[k], trial.right[k], exercise.truth);
      if (same(yours, {trial.right, ""}, k)) continue;
      right = false;
      const std::string found = named_mistakes(exercise, t, k);
      if (names.find(found) == std::string::npos) names += found;
    }
    if (!right) return {false, where + text + names};
  }
  return {true, passed_text(exercise)};
} catch (const NotDone&) {
  return {false,
          joined("exercise ", exercise.file[0], " is not done yet: open ", path(exercise.file),
                 ", read its first lines and\n",
                 "write your code where it says so; then make exercise. make exercise HINT=1 "
                 "gives a hint.\n")};
}

int report(const Exercise& exercise) {
  const auto [passed, text] = grade(exercise);
  std::fputs(text.c_str(), stdout);
  return passed ? 0 : 1;
}

Exercise with_mistake(Exercise exercise, std::size_t mistake) {
  for (Trial& trial : exercise.trials) trial.yours = trial.mistakes[mistake];
  return exercise;
}

Results by_differences(const gradient::Case& c, const Tensor& dy,
                       std::initializer_list<const char*> names) {
  const gradient::Vector all = gradient::numeric_gradient(c, dy);
  Results results;
  std::size_t done = 0;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    results.push_back({names.begin()[k], Tensor::uninitialized(c.inputs[k].shape())});
    for (real& value : results[k].value.mutable_values()) value = static_cast<real>(all[done++]);
  }
  return results;
}

}  // namespace exercises
