#include "tests/exercises/grader/grader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "engine/base/text.h"
#include "model/base/text.h"
#include "tests/gradient/check.h"

namespace exercises {

using engine::joined;

namespace {

// As in tests/gradient/main.cpp: differences are good to 1e-8.
bool agree(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || gradient::relative_error(a, b) < 1e-8;
}

// `precise` for numbers that differ where the usual six digits do not show it.
std::string number(double x, bool precise) {
  if (std::isnan(x)) return "nan";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.12g", x);
  return precise ? digits : model::short_text(x);
}

double element(const Tensor& x, std::size_t i) { return double(x.values()[i]); }

// What a run of a trial gave: results, or what it threw.
struct Outcome {
  Results results;
  std::string error;
};

Outcome outcome(const Run& run) {
  try {
    return {run(), ""};
  } catch (const NotDone&) {
    throw;
  } catch (const engine::Error& error) {
    return {{}, error.what()};
  } catch (const std::exception& error) {
    return {{}, joined("your code has thrown an exception: ", error.what())};
  } catch (...) {
    return {{}, "your code has thrown something that is not a std::exception"};
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

bool is_zero(const Tensor& x) {
  return std::ranges::all_of(x.values(), [](real value) { return value == 0; });
}

// "  da[1, 0]: yours 0.31, by differences 0.93; ratio 0.333333", for up to four wrong elements, and
// what all wrong ones have in common.
std::string wrong_elements(const Result& yours, const Result& right, const std::string& truth) {
  const auto mine = [&](std::size_t i) { return element(yours.value, i); };
  const auto theirs = [&](std::size_t i) { return element(right.value, i); };
  const auto ratio = [&](std::size_t i) {
    const double exact = mine(i) / theirs(i);
    return std::abs(exact) < 1e-12 ? 0 : exact;  // where terms cancel, all but rounding
  };
  const std::size_t size = right.value.values().size();
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < size; ++i)
    if (!agree(mine(i), theirs(i))) wrong.push_back(i);
  if (wrong.empty()) return joined("  ", right.name, " is right.\n");

  const bool nearly = std::ranges::all_of(
      wrong, [&](std::size_t i) { return gradient::relative_error(mine(i), theirs(i)) < 1e-4; });
  const bool untouched = std::ranges::all_of(wrong, [&](std::size_t i) { return mine(i) == 0; });
  const bool one_ratio = std::ranges::all_of(wrong, [&](std::size_t i) {
    return std::isfinite(ratio(i)) && ratio(i) != 0 && agree(ratio(i), ratio(wrong[0]));
  });
  std::string lines;
  for (std::size_t n = 0; n < std::min<std::size_t>(wrong.size(), 4); ++n) {
    const std::size_t i = wrong[n];
    lines +=
        joined("  ", right.name,
               right.value.shape().rank() == 0
                   ? ""
                   : engine::gradient_check::index_text(right.value.shape(), static_cast<Index>(i)),
               ": yours ", number(mine(i), nearly), ", ", truth, " ", number(theirs(i), nearly));
    if (std::isfinite(ratio(i)) && mine(i) != 0) lines += "; ratio " + number(ratio(i), nearly);
    lines += "\n";
  }
  if (wrong.size() > 4)
    lines += joined("  ", wrong.size(), " of the ", size, " elements of ", right.name, " are wrong",
                    one_ratio ? ", all by this ratio.\n" : ".\n");
  if (untouched) lines += "  these are still 0: does your loop reach them?\n";
  if (nearly) lines += "  nearly right: is there a float in your code, or an epsilon left out?\n";
  return lines;
}

// The mistakes that explain why result k is wrong in `failed`, the first trial with a wrong result.
// First those that give yours in every trial; if there are none, as with two mistakes at once,
// those that do so up to there.
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

const std::vector<std::string> files = {
    "1_divide",    "2_accumulate",      "3_tape_run",    "4_mul",         "5_softmax",
    "6_sum_to",    "7_cross_entropy",   "8_record",      "9_causal_mask", "10_attention",
    "11_rope",     "12_block_backward", "13_layer_norm", "14_swiglu",     "15_embedding",
    "16_momentum", "17_matmul_tile",    "18_same_sum",   "19_merge",      "20_top_p"};

std::string path(const std::string& file) { return "tests/exercises/" + file + ".cpp"; }

// "exercise 20"
std::string title(const Exercise& exercise) {
  return "exercise " + exercise.file.substr(0, exercise.file.find('_'));
}

std::string passed_text(const Exercise& exercise) {
  // tests/tour/README.md reads the engine between exercises 8 and 9, and the model after the last.
  const auto next = std::ranges::find(files, exercise.file) + 1;
  const std::string what = exercise.file == "8_record" ? "part 1, step 3 of tests/tour/README.md"
                           : next < files.end()        ? path(*next)
                                                       : "part 2, step 3 of tests/tour/README.md";
  return joined(title(exercise), " passes: compare ", path(exercise.file), " with ",
                path(joined("solutions/", exercise.file)), "; next: ", what, "\n");
}

std::string not_done_text(const Exercise& exercise) {
  // The command that the reader ran; make exercise passes it.
  const char* const command = std::getenv("EXERCISE_COMMAND");
  return joined(title(exercise), " is not done yet: open ", path(exercise.file),
                " and read its first lines;\n",
                "the line not_done(...) is still there; put your code in its place. Then ",
                command != nullptr ? command : "make exercise", ".\n");
}

}  // namespace

Grade grade(const Exercise& exercise) try {
  const std::string head = title(exercise) + " is not right yet: ";
  for (std::size_t t = 0; t < exercise.trials.size(); ++t) {
    const Trial& trial = exercise.trials[t];
    const Outcome yours = outcome(trial.yours);
    const std::string where = head + path(exercise.file) + ", with " + trial.what + "\n";
    if (!yours.error.empty())
      return {false, where + "  " + yours.error + "\n" + named_mistakes(exercise, t, 0)};
    std::string text, unwritten, names;
    bool right = true;
    for (std::size_t k = 0; k < trial.right.size(); ++k) {
      const bool as_it_should_be = same(yours, {trial.right, ""}, k);
      right = right && as_it_should_be;
      if (!as_it_should_be && is_zero(yours.results[k].value)) {
        unwritten += (unwritten.empty() ? "" : ", ") + trial.right[k].name;
        continue;
      }
      text += wrong_elements(yours.results[k], trial.right[k], exercise.truth);
      if (as_it_should_be) continue;
      const std::string found = named_mistakes(exercise, t, k);
      if (names.find(found) == std::string::npos) names += found;
    }
    if (!unwritten.empty()) text += "  nothing has been written to " + unwritten + "\n";
    if (!right) return {false, where + text + names};
  }
  return {true, passed_text(exercise)};
} catch (const NotDone&) {
  return {false, not_done_text(exercise)};
}

int report(const Exercise& exercise, int seconds) {
  guard(title(exercise), seconds);
  const auto [passed, text] = grade(exercise);
  std::fputs(text.c_str(), stdout);
  return passed ? 0 : 1;
}

void bad_index(const std::string& access, const std::string& what, const char* which, Index i,
               Index size, const char* other) {
  if (i < 0) engine::fail(access, ": ", which, " is 0 at least");
  engine::fail(access, ": ", what, ", so ", which, " is ", size - 1,
               " at most; does a loop say <= for <, ", other, "?");
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
