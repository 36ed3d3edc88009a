// make gradcheck: the gradient of every op, of every layer and of whole models, held against what
// the definition of a derivative says (engine/gradient_check.h), and printed as a table.
//
// The double build compares with central differences and writes values and gradients to a file.
// The float build, too coarse for differences, compares with that file. Both hold fused ops
// against their compositions. Exit status 1 if anything is off.
//
// A check that cannot fail proves nothing, so every gradient is also broken on purpose (zeroed,
// its sign flipped, a thousandth too large, one element missing, assigned instead of added), and
// every such mutant must be caught.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>

#include "engine/base/check.h"
#include "tests/gradient/check.h"

namespace gradient {
namespace {

using engine::gradient_check::element_name;
using engine::gradient_check::slope_along;

constexpr bool in_double = sizeof(engine::real) == 8;
constexpr double op_tolerance = 1e-8, layer_tolerance = 1e-7;  // relative, see relative_error
constexpr double float_tolerance = 1e-5;                       // relative, of the L2 norm
// Two orders of summation differ by a few roundings of 1.1e-16 (6e-8) a term.
constexpr double composed_tolerance = in_double ? 1e-13 : 1e-5;
constexpr int directions = 20;

int failures = 0;
std::string first_failure;
int mutants_made = 0, mutants_caught = 0;

template <class... Parts>
void complain(const Parts&... parts) {
  const std::string text = engine::joined(parts...);
  if (failures++ == 0) first_failure = text;
  std::printf("FAILED  %s\n", text.c_str());
}

Vector to_vector(const Tensor& t) { return {t.values().begin(), t.values().end()}; }

// Distance of two vectors over the norm of the second, or over `least` if that is larger.
double relative_distance(const Vector& a, const Vector& b, double least) {
  const double d = a.size() == b.size() ? distance(a, b) / std::max(norm(b), least) : HUGE_VAL;
  return std::isnan(d) ? HUGE_VAL : d;
}

// --- what the double build hands to the float build --------------------------------------------

class Exchange {
 public:
  explicit Exchange(const char* path)
      : file_(path, std::ios::binary | (in_double ? std::ios::out : std::ios::in)) {
    engine::check(file_.good(), "gradcheck: cannot open ", path);
  }
  void write(const Vector& x) {
    const std::size_t size = x.size();
    file_.write(reinterpret_cast<const char*>(&size), sizeof size);
    file_.write(reinterpret_cast<const char*>(x.data()),
                static_cast<std::streamsize>(size * sizeof(double)));
  }
  Vector read() {
    std::size_t size = 0;
    file_.read(reinterpret_cast<char*>(&size), sizeof size);
    engine::check(file_.good() && size < 1u << 24, "gradcheck: the double build wrote no more");
    Vector x(size);
    file_.read(reinterpret_cast<char*>(x.data()),
               static_cast<std::streamsize>(size * sizeof(double)));
    return x;
  }

 private:
  std::fstream file_;
};

// --- checks that both builds make --------------------------------------------------------------

// Value and gradient against those of the composition; returns the larger relative distance.
double check_composed(const std::string& name, const Case& c, const Backward& fused) {
  if (!c.composed) return 0;
  const Backward composed = run_backward(c.composed, c.inputs, nullptr, false);
  const double least = 1e-3 * norm(to_vector(weights_like(fused.y)));
  const double error = std::max(relative_distance(to_vector(fused.y), to_vector(composed.y), least),
                                relative_distance(fused.gradient, composed.gradient, least));
  if (!(error <= composed_tolerance))
    complain(name, " ", c.what, ": fused and composed differ by ", error);
  return error;
}

// The float build: distance of values and gradients from those of the double build, over all
// cases of an op together, relative to their norm.
class Comparison {
 public:
  void add(const Case& c, const Backward& got, Exchange& exchange) {
    add(c, to_vector(got.y), exchange.read(), values_);
    add(c, got.gradient, exchange.read(), gradients_);
  }
  double error() const { return std::max(values_.relative(), gradients_.relative()); }
  const std::string& farthest() const { return farthest_; }  // the case that is off most

 private:
  struct Squares {
    double difference = 0, size = 0;
    double relative() const { return difference == 0 ? 0 : std::sqrt(difference / size); }
  };
  void add(const Case& c, const Vector& got, const Vector& expected, Squares& sums) {
    engine::check(got.size() == expected.size(), "gradcheck: other cases in the double build");
    const double d = distance(got, expected), n = norm(expected);
    sums.difference += d * d;
    sums.size += n * n;
    if (farthest_.empty() || d > most_) most_ = d, farthest_ = c.what;
  }
  Squares values_, gradients_;
  double most_ = 0;
  std::string farthest_;
};

// --- checks of the double build ----------------------------------------------------------------

// Broken copies of a gradient. `caught(mutant)` says whether the check notices.
template <class Caught>
void check_mutants(const std::string& name, const Vector& gradient, Caught caught) {
  const auto size_of = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto largest = std::ranges::max_element(gradient, size_of) - gradient.begin();
  if (std::abs(gradient[static_cast<std::size_t>(largest)]) < 1e-9) return;  // 0 cannot be broken
  Vector zeroed(gradient.size()), flipped = gradient, scaled = gradient, dropped = gradient,
                                  assigned = gradient;
  for (double& g : flipped) g = -g;
  for (double& g : scaled) g *= 1.001;
  dropped[static_cast<std::size_t>(largest)] = 0;
  for (double& g : assigned) g -= 0.5;  // what the slot held before is lost
  const std::pair<const char*, const Vector&> mutants[] = {{"zeroed", zeroed},
                                                           {"sign flipped", flipped},
                                                           {"times 1.001", scaled},
                                                           {"one element dropped", dropped},
                                                           {"assigned, not added", assigned}};
  for (const auto& [kind, mutant] : mutants) {
    ++mutants_made;
    if (caught(mutant))
      ++mutants_caught;
    else
      complain(name, ": a gradient broken on purpose (", kind, ") was not noticed");
  }
}

Worst check_elements(const std::string& name, const Case& c, const Backward& plain,
                     const Backward& added) {
  const Vector numeric = numeric_gradient(c, weights_like(plain.y));
  const Worst worst =
      std::max(worst_of(plain.gradient, numeric), worst_of(added.gradient, numeric));
  if (!(worst.error <= op_tolerance))
    complain(name, " ", c.what, ": d", element_name(c.inputs, worst.element), " is ",
             worst.analytic, ", differences say ", worst.numeric);
  check_mutants(name + " " + c.what, plain.gradient, [&](const Vector& mutant) {
    return worst_of(mutant, numeric).error > op_tolerance;
  });
  return worst;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Worst check_directions(const std::string& name, const Case& c, const Backward& plain,
                       const Backward& added) {
  const Tensor v = weights_like(plain.y);
  Generator generator(11);
  std::vector<Vector> along;
  Vector numeric;
  for (int k = 0; k < directions; ++k) {
    std::vector<engine::real> drawn(plain.gradient.size());
    generator.normal(drawn, 0, 1);
    Vector u(drawn.begin(), drawn.end());
    const double length = norm(u);
    for (double& x : u) x /= length;
    numeric.push_back(slope_along(c.f, c.inputs, v, u));
    along.push_back(u);
  }
  const auto worst_slope = [&](const Vector& gradient) {
    Vector slopes;
    for (const Vector& u : along) slopes.push_back(dot(gradient, u));
    return worst_of(slopes, numeric);
  };
  const Worst worst = std::max(worst_slope(plain.gradient), worst_slope(added.gradient));
  if (!(worst.error <= layer_tolerance))
    complain(name, ": the slope along direction ", worst.element, " is ", worst.analytic,
             ", differences say ", worst.numeric);
  check_mutants(name, plain.gradient,
                [&](const Vector& mutant) { return worst_slope(mutant).error > layer_tolerance; });
  return worst;
}

// --- the table ---------------------------------------------------------------------------------

struct Summary {
  double worst = 0, composed = 0;
  std::string where;
};

void check_op(Op op, Exchange& exchange, Summary& summary) {
  const OpCases list = cases_of(op);
  const char* const name = name_of(op).data();
  std::set<std::string> shapes;
  Worst worst;
  std::string where;
  Comparison with_double;
  double worst_composed = 0;
  for (const Case& c : list.cases) {
    std::string shape;
    for (const Tensor& x : c.inputs) shape += engine::joined(x.shape());
    shapes.insert(shape);
    const Backward plain = run_backward(c.f, c.inputs, &op, false);
    const Backward added = run_backward(c.f, c.inputs, &op, true);
    if (!plain.complaint.empty()) complain(name, " ", c.what, ": ", plain.complaint);
    worst_composed = std::max(worst_composed, check_composed(name, c, plain));
    if (in_double) {
      const Worst here = check_elements(name, c, plain, added);
      if (where.empty() || worst < here) {
        worst = here;
        where = element_name(c.inputs, here.element) + " of " + c.what;
      }
      exchange.write(to_vector(plain.y));
      exchange.write(plain.gradient);
    } else {
      with_double.add(c, plain, exchange);
    }
  }
  if (shapes.size() < 5) complain(name, ": ", shapes.size(), " shapes, at least 5 wanted");
  if (in_double)
    std::printf("%-13s  %-24s %4zu %6zu  %-44.44s %20.13e %20.13e  %.1e\n", name, list.formula,
                shapes.size(), list.cases.size(), where.c_str(), worst.analytic, worst.numeric,
                worst.error);
  else
    std::printf("%-13s  %-24s %4zu %6zu  %-44.44s  %.1e\n", name, list.formula, shapes.size(),
                list.cases.size(), with_double.farthest().c_str(), with_double.error());
  const double error = in_double ? worst.error : with_double.error();
  if (!in_double && !(error <= float_tolerance))
    complain(name, ": float and double differ by ", error);
  if (error > summary.worst) summary = {error, summary.composed, name};
  summary.composed = std::max(summary.composed, worst_composed);
}

void check_layer(const Case& c, Exchange& exchange, Summary& summary) {
  const Backward plain = run_backward(c.f, c.inputs, nullptr, false);
  const Backward added = run_backward(c.f, c.inputs, nullptr, true);
  if (!plain.complaint.empty()) complain(c.what, ": ", plain.complaint);
  double error;
  if (in_double) {
    const Worst worst = check_directions(c.what, c, plain, added);
    std::printf("%-30s %7zu  %20.13e %20.13e  %.1e\n", c.what.c_str(), plain.gradient.size(),
                worst.analytic, worst.numeric, worst.error);
    exchange.write(to_vector(plain.y));
    exchange.write(plain.gradient);
    error = worst.error;
  } else {
    Comparison with_double;
    with_double.add(c, plain, exchange);
    error = with_double.error();
    if (!(error <= float_tolerance)) complain(c.what, ": float and double differ by ", error);
    std::printf("%-30s %7zu  %.1e\n", c.what.c_str(), plain.gradient.size(), error);
  }
  if (error > summary.worst) summary = {error, 0, c.what};
}

int run(const char* path) {
  const auto start = std::chrono::steady_clock::now();
  Exchange exchange(path);
  Summary ops, layers;
  if (in_double)
    std::printf("%-13s  %-24s %4s %6s  %-44s %20s %20s  %s\n", "op", "y =", "shapes", "cases",
                "worst element", "backward says", "differences say", "error");
  else
    std::printf("%-13s  %-24s %4s %6s  %-44s  %s\n", "op", "y =", "shapes", "cases",
                "worst case, float against double", "error");
  for (int i = 0; i < engine::op_count; ++i) check_op(static_cast<Op>(i), exchange, ops);

  std::printf("\n%-30s %7s  ", "layer", "inputs");
  if (in_double)
    std::printf("%20s %20s  error, worst of %d directions\n", "backward says", "differences say",
                directions);
  else
    std::printf("error, float against double\n");
  const std::vector<Case> cases = layer_cases();
  for (const Case& c : cases) check_layer(c, exchange, layers);

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf(
      "\n%d of %d ops, worst error %.1e (%s); %zu layers and models, worst error %.1e (%s)\n",
      engine::op_count, engine::op_count, ops.worst, ops.where.c_str(), cases.size(), layers.worst,
      layers.where.c_str());
  std::printf("fused ops and their compositions differ by at most %.1e\n", ops.composed);
  if (in_double)
    std::printf("gradients broken on purpose: %d made, %d caught\n", mutants_made, mutants_caught);
  if (failures == 0)
    std::printf("all correct, %.1f s\n", time.count());
  else
    std::printf("%d FAILURES, the first: %s\n", failures, first_failure.c_str());
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gradient

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gradcheck FILE (written by the double build, read by float)\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // line by line, into a pipe as well
  return gradient::run(argv[1]);
} catch (const std::exception& error) {
  std::printf("FAILED  %s\n", error.what());
  return 1;
}
