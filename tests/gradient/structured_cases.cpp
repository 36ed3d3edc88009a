#include "tests/gradient/structured_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/check.h"
#include "tests/gradient/composed.h"

namespace gradient {
namespace {

// Rows of values at least 1/2 apart: where they are close, layer_norm bends sharply.
Tensor spread(Maker& make, const Shape& shape) {
  const Tensor x = make.distinct(shape);
  for (engine::real& value : x.mutable_values()) value = value * 8 + engine::real(0.25);
  return x;
}

}  // namespace

using namespace engine;

std::vector<Case> matmul_cases(Maker make) {
  using Shapes = std::pair<Shape, Shape>;
  std::vector<Case> cases;
  for (const auto& [a_shape, b_shape] :
       {Shapes{{1, 1}, {1, 1}}, Shapes{{2, 3}, {3, 4}}, Shapes{{7, 9}, {9, 8}},
        Shapes{{5, 17}, {17, 15}}, Shapes{{3}, {3}}, Shapes{{3}, {3, 5}}, Shapes{{4, 3}, {3}},
        Shapes{{2, 3, 4}, {2, 4, 5}}, Shapes{{2, 3, 4}, {4, 5}}, Shapes{{3, 4}, {2, 4, 5}},
        Shapes{{2, 1, 3, 4}, {3, 4, 2}}, Shapes{{1, 3, 4}, {2, 4, 2}}, Shapes{{3}, {2, 3, 4}},
        Shapes{{2, 3, 4}, {4}}, Shapes{{2, 2, 3, 1}, {2, 1, 1, 3}}}) {
    const Tensor a = make.uniform(a_shape), b = make.uniform(b_shape);
    add_case(cases, {a, b}, "", [=] { return matmul(a, b); });
  }
  const Tensor x = make.uniform({5, 5});
  add_case(cases, {x}, "x x", [=] { return matmul(x, x); });
  add_case(cases, {x}, "x x^T", [=] { return matmul(x, transpose(x)); });
  return cases;
}

std::vector<Case> permute_cases(Maker make) {
  const Tensor one = make.uniform({1}), scalar = make.uniform({}), a = make.uniform({3, 5}),
               b = make.uniform({2, 3, 9}), c = make.uniform({2, 3, 1, 5}),
               d = make.uniform({17, 2});
  const auto permuted = [](const Tensor& x, auto... axes) {
    return op_case({x}, joined("axes", (" " + std::to_string(axes))...),
                   [=] { return permute(x, {axes...}); });
  };
  return {permuted(scalar),
          permuted(one, 0),
          permuted(a, 1, 0),
          permuted(b, 2, 0, 1),
          permuted(b, 0, 2, 1),
          permuted(c, 3, -4, -2, 1),
          op_case({d}, "transpose", [=] { return transpose(d); }),
          op_case({b}, "transpose 0 2", [=] { return transpose(b, 0, 2); }),
          op_case({c}, "transpose 1 1", [=] { return transpose(c, 1, 1); })};
}

std::vector<Case> concat_cases(Maker make) {
  const Tensor one = make.uniform({1}), a = make.uniform({2, 3}), b = make.uniform({2, 17}),
               c = make.uniform({4, 3}), d = make.uniform({2, 2, 3}), e = make.uniform({2, 5, 3}),
               f = make.uniform({2, 1, 3, 2}), g = make.uniform({2, 4, 3, 2});
  const auto along = [](int axis, const std::vector<Tensor>& inputs, const char* remark,
                        auto... parts) {
    return op_case(inputs, joined("axis ", axis, remark), [=] { return concat({parts...}, axis); });
  };
  return {along(0, {one}, "", one),
          along(0, {a, c}, "", a, c),
          along(1, {a, b}, "", a, b),
          along(1, {d, e}, "", d, e),
          along(-3, {f, g}, ", x y x", f, g, f),
          along(-1, {a}, ", x x x", a, a, a),
          along(1, {a}, ", with data", Tensor::ones({2, 1}), a)};
}

std::vector<Case> slice_cases(Maker make) {
  const Tensor one = make.uniform({1}), a = make.uniform({17}), b = make.uniform({3, 5}),
               c = make.uniform({2, 9, 3}), d = make.uniform({2, 3, 2, 3});
  return {op_case({one}, "", [=] { return slice(one, 0, 0, 1); }),
          op_case({a}, "[3, 12)", [=] { return slice(a, 0, 3, 12); }),
          op_case({b}, "row 1", [=] { return slice(b, 0, 1, 2); }),
          op_case({b}, "columns [1, 5)", [=] { return slice(b, -1, 1, 5); }),
          op_case({c}, "axis 1, [0, 8)", [=] { return slice(c, 1, 0, 8); }),
          op_case({d}, "select 2 of axis 1", [=] { return select(d, 1, 2); }),
          op_case({d}, "select 1 of axis -1", [=] { return select(d, -1, 1); }),
          op_case({c}, "axis 1, the last 4 but one", [=] { return slice(c, 1, -5, -1); }),
          op_case({b}, "overlapping twice", [=] { return slice(b, 1, 0, 4) * slice(b, 1, 1, 5); })};
}

std::vector<Case> repeat_cases(Maker make) {
  const Tensor scalar = make.uniform({}), one = make.uniform({1}), a = make.uniform({9}),
               b = make.uniform({3, 5}), c = make.uniform({2, 3, 2}), d = make.uniform({3, 1, 4});
  const auto repeated = [](const Tensor& x, auto... times) {
    return op_case({x}, joined(Shape{times...}), [=] { return repeat(x, {times...}); });
  };
  const auto broadcast = [](const Tensor& x, const Shape& to) {
    return op_case({x}, joined("broadcast to ", to), [=] { return broadcast_to(x, to); });
  };
  return {repeated(scalar, 3),     repeated(one, 17),         repeated(a, 2),
          repeated(a, 3, 2),       repeated(b, 2, 1),         repeated(b, 2, 3, 2),
          repeated(c, 2, 1, 3),    repeated(c, 2, 1, 2, 1),   broadcast(scalar, {2, 3}),
          broadcast(a, {2, 1, 9}), broadcast(d, {2, 3, 5, 4})};
}

std::vector<Case> embedding_cases(Maker make) {
  struct Form {
    Shape ids;
    Index entries, channels;
  };
  std::vector<Case> cases;
  for (const auto& [shape, entries, channels] :
       {Form{{}, 1, 1}, Form{{1}, 3, 5}, Form{{7}, 3, 4}, Form{{3}, 9, 17}, Form{{2, 3}, 4, 3},
        Form{{2, 1, 3}, 5, 9}, Form{{20}, 2, 130}}) {
    const Tensor weight = make.uniform({entries, channels});
    const std::vector<std::int32_t> ids = make.ids(shape.size(), entries);
    add_case(cases, {weight}, joined("ids ", shape),
             [=, of = shape] { return embedding(weight, ids, of); });
  }
  return cases;
}

std::vector<Case> gather_cases(Maker make) {
  struct Form {
    Shape x;
    int axis;
    Shape ids;
  };
  std::vector<Case> cases;
  for (const auto& [shape, axis, ids_shape] :
       {Form{{1}, 0, {1}}, Form{{5}, 0, {9}},  // some ids more than once
        Form{{17}, -1, {3}}, Form{{3, 5}, 1, {3, 1}}, Form{{3, 5}, 0, {7, 5}},
        Form{{3, 5}, 0, {2, 4}}, Form{{2, 3, 4}, 1, {2, 5, 4}},
        Form{{2, 3, 2, 3}, 2, {1, 2, 4, 3}}}) {
    const Tensor x = make.uniform(shape);
    const std::vector<engine::Id> ids =
        make.ids(ids_shape.size(), shape[shape.axis("gather", axis)]);
    add_case(cases, {x}, joined("axis ", axis, ", ids ", ids_shape),
             [=, along = axis, of = ids_shape] { return gather(x, along, ids, of); });
  }
  const Tensor x = make.distinct({2, 9});
  add_case(cases, {x}, "the 3 largest", [=] { return topk(x, 3).values; });
  add_case(cases, {x}, "sorted", [=] { return sort(x).values; });
  return cases;
}

// 1 (or another number that is not 0) at every third place.
Tensor some_mask(const Shape& shape) {
  const Tensor mask = Tensor::zeros(shape);
  for (Index i = 1; i < mask.size(); i += 3) mask.mutable_data()[i] = real(i);
  return mask;
}

std::vector<Case> where_cases(Maker make) {
  struct Shapes {
    Shape mask, a, b;
  };
  std::vector<Case> cases;
  for (const auto& [mask_shape, a_shape, b_shape] :
       {Shapes{{}, {}, {}}, Shapes{{1}, {1}, {1}}, Shapes{{9}, {9}, {9}},
        Shapes{{3, 5}, {3, 5}, {3, 5}}, Shapes{{17}, {}, {17}}, Shapes{{3, 5}, {5}, {}},
        Shapes{{3, 1}, {5}, {3, 5}}, Shapes{{4, 4}, {2, 1, 4, 1}, {3, 1, 1}}}) {
    const Tensor a = make.uniform(a_shape), b = make.uniform(b_shape), mask = some_mask(mask_shape);
    add_case(cases, {a, b}, joined("mask ", mask_shape), [=] { return where(mask, a, b); });
  }
  const Tensor x = make.away_from_zero({3, 7}), mask = some_mask({7});
  add_case(cases, {x}, "x or 2 x", [=] { return where(mask, x, 2 * x); });
  add_case(cases, {x}, "x or data", [=] { return where(mask, x, 0.5); });
  add_case(cases, {x}, "ln x, NaN where x < 0, or x", [=] { return where(x > 0, log(x), x); });
  return cases;
}

std::vector<Case> masked_fill_cases(Maker make) {
  using Shapes = std::pair<Shape, Shape>;
  std::vector<Case> cases;
  for (const auto& [shape, mask_shape] :
       {Shapes{{}, {}}, Shapes{{1}, {1}}, Shapes{{9}, {9}}, Shapes{{3, 5}, {5}},
        Shapes{{2, 3, 3}, {3, 3}}, Shapes{{3, 17}, {3, 1}}, Shapes{{2, 3, 4}, {2, 1, 4}}}) {
    const Tensor x = make.uniform(shape), mask = some_mask(mask_shape);
    add_case(cases, {x}, joined("mask ", mask_shape),
             [=] { return masked_fill(x, mask, real(0.5)); });
  }
  for (const Shape& shape : {Shape{}, {9}, {3, 17}, {2, 3, 4}}) {
    const Tensor x = make.distinct(shape);  // multiples of 1/16: the limits lie between two
    add_case(cases, {x}, "clamped", [=] { return clamp(x, -5.0 / 32, 3.0 / 32) * 1.5; });
  }
  const Tensor x = make.uniform({4, 4});
  add_case(cases, {x}, "softmax after -inf", [=] {
    return softmax(masked_fill(x, causal_mask(4, 4), -std::numeric_limits<real>::infinity()));
  });
  return cases;
}

std::vector<Case> layer_norm_cases(Maker make) {
  std::vector<Case> cases;
  for (const Shape& shape :
       {Shape{1}, {5}, {9}, {17}, {2, 3}, {3, 7}, {2, 3, 4}, {2, 2, 2, 3}, {35, 8}}) {
    const Tensor x = spread(make, shape), weight = make.uniform({shape.cols()}),
                 bias = make.uniform({shape.cols()});
    add_case(
        cases, {x, weight, bias}, "", [=] { return layer_norm(x, weight, bias); },
        [=] { return composed::layer_norm(x, weight, bias); });
    add_case(
        cases, {x, weight}, "no bias, epsilon 0.1", [=] { return layer_norm(x, weight, {}, 0.1); },
        [=] { return composed::layer_norm(x, weight, {}, 0.1); });
  }
  return cases;
}

std::vector<Case> rms_norm_cases(Maker make) {
  std::vector<Case> cases;
  for (const Shape& shape : {Shape{1}, {5}, {9}, {17}, {2, 3}, {2, 3, 4}, {2, 2, 2, 3}, {35, 8}})
    for (const double epsilon : {1e-5, 0.1}) {
      const Tensor x = spread(make, shape), weight = make.uniform({shape.cols()});
      add_case(
          cases, {x, weight}, joined("epsilon ", epsilon),
          [=] { return rms_norm(x, weight, epsilon); },
          [=] { return composed::rms_norm(x, weight, epsilon); });
    }
  return cases;
}

std::vector<Case> rope_cases(Maker make) {
  struct Form {
    Shape x;
    Index D, turned, first;
  };
  std::vector<Case> cases;
  for (const auto& [shape, D, turned, first] :
       {Form{{1, 2}, 2, 1, 0}, Form{{5, 8}, 4, 2, 0}, Form{{3, 18}, 6, 2, 4},
        Form{{2, 4, 6}, 2, 3, 1}, Form{{2, 2, 3, 40}, 20, 1, 0}, Form{{3, 34}, 34, 1, 2},
        Form{{2, 6}, 2, 0, 0}}) {
    const Tensor x = make.uniform(shape), angles = rope_angles(first + shape.from_end(2), D);
    add_case(
        cases, {x}, joined(turned, " of ", D, " features, from ", first),
        [=, n = turned, from = first] { return rope(x, angles, n, from); },
        [=, n = turned, from = first] { return composed::rope(x, angles, n, from); });
  }
  return cases;
}

std::vector<Case> qk_norm_cases(Maker make) {
  struct Form {
    Shape rows;
    Index H, K, D;
  };
  std::vector<Case> cases;
  for (const auto& [rows, H, K, D] :
       {Form{{}, 1, 1, 1}, Form{{3}, 2, 1, 4}, Form{{2, 3}, 2, 2, 9}, Form{{5}, 4, 2, 3},
        Form{{35}, 1, 1, 17}, Form{{2, 2, 2}, 3, 1, 2}}) {
    const Index width = (H + 2 * K) * D;
    std::vector<Index> sizes(rows.sizes().begin(), rows.sizes().end());
    sizes.push_back(width);
    // Not near 0: a head of two small numbers has a large third derivative, which differences err by.
    const Tensor x = make.away_from_zero(Shape(sizes)), q = make.uniform({D}),
                 k = make.uniform({D});
    add_case(
        cases, {x, q, k}, joined(H, " heads on ", K),
        [=, n = Heads(H, K)] { return qk_norm(x, n, q, k, 1e-3); },
        [=, n = Heads(H, K)] { return composed::qk_norm(x, n, q, k, 1e-3); });
  }
  return cases;
}

std::vector<Case> swiglu_cases(Maker make) {
  std::vector<Case> cases;
  for (const Shape& shape : {Shape{2}, {6}, {18}, {34}, {3, 10}, {2, 3, 4}}) {
    const Tensor x = make.uniform(shape);
    add_case(
        cases, {x}, "", [=] { return swiglu(x); }, [=] { return composed::swiglu(x); });
  }
  return cases;
}

std::vector<Case> dropout_cases(Maker make) {
  std::vector<Case> cases;
  for (const Shape& shape : {Shape{}, {1}, {7}, {9}, {17}, {3, 5}, {2, 3, 4}})
    for (const double p : {0.0, 0.25, 0.6, 1.0}) {
      const Tensor x = make.uniform(shape);
      add_case(cases, {x}, joined("p ", p), [=] {
        Generator generator(5);  // the same mask at every call
        return dropout(x, p, generator);
      });
    }
  return cases;
}

std::vector<Case> cross_entropy_cases(Maker make) {
  std::vector<Case> cases;
  for (const Shape& shape :
       {Shape{1}, {9}, {1, 3}, {5, 7}, {4, 8}, {3, 17}, {2, 3, 5}, {2, 2, 2, 3}}) {
    const Tensor x = make.uniform(shape);
    std::vector<std::int32_t> targets = make.ids(shape.rows(), shape.cols());
    for (const bool some_ignored : {false, true}) {
      if (some_ignored && targets.size() < 3) continue;
      if (some_ignored) targets[1] = -1;
      add_case(
          cases, {x}, some_ignored ? "one ignored" : "", [=] { return cross_entropy(x, targets); },
          [=] { return composed::cross_entropy(x, targets); });
      // Here the logits belong to the tape alone, and backward may write over them.
      add_case(cases, {x}, "logits of an op", [=] { return cross_entropy(x * 0.75, targets); });
    }
  }
  return cases;
}

std::vector<Case> linear_cases(Maker make) {
  struct Form {
    Shape x;
    Index out;
  };
  std::vector<Case> cases;
  for (const auto& [shape, out] : {Form{{1}, 1}, Form{{5}, 3}, Form{{3, 5}, 2}, Form{{1, 9}, 7},
                                   Form{{7, 8}, 9}, Form{{2, 3, 4}, 5}, Form{{2, 2, 1, 3}, 17}}) {
    const Tensor x = make.uniform(shape), weight = make.uniform({out, shape.cols()}),
                 bias = make.uniform({out});
    add_case(
        cases, {x, weight, bias}, "", [=] { return linear(x, weight, bias); },
        [=] { return composed::linear(x, weight, bias); });
    add_case(
        cases, {x, weight}, "no bias", [=] { return linear(x, weight); },
        [=] { return composed::linear(x, weight); });
  }
  const Tensor x = make.uniform({4, 4});
  add_case(
      cases, {x}, "x x^T", [=] { return linear(x, x); }, [=] { return composed::linear(x, x); });
  return cases;
}

std::vector<Case> feed_forward_cases(Maker make) {
  struct Form {
    Shape x;
    Index hidden, out;
  };
  std::vector<Case> cases;
  for (const auto& [shape, hidden, out] :
       {Form{{1}, 1, 1}, {{5}, 17, 3}, {{3, 5}, 7, 5}, {{1, 9}, 33, 2}, {{2, 3, 4}, 16, 4}})
    for (const Activation f : {Activation::gelu, Activation::gelu_tanh, Activation::relu,
                               Activation::relu2, Activation::swiglu}) {
      const Index up = f == Activation::swiglu ? 2 * hidden : hidden;
      // Hidden features next to relu's kink would have no derivative to speak of.
      Tensor x, w1, b1;
      const auto near_kink = [&] {
        const Tensor h = linear(x, w1, b1);
        return std::ranges::any_of(h.values(), [](real v) { return std::abs(v) < 0.01; });
      };
      do {
        x = make.uniform(shape);
        w1 = make.uniform({up, shape.cols()});
        b1 = make.uniform({up});
      } while ((f == Activation::relu || f == Activation::relu2) && near_kink());
      const Tensor w2 = make.uniform({out, hidden}), b2 = make.uniform({out});
      const char* const name[] = {"gelu", "gelu_tanh", "relu", "relu2", "swiglu"};
      add_case(
          cases, {x, w1, b1, w2, b2}, name[static_cast<int>(f)],
          [=, f = f] { return feed_forward(x, f, w1, b1, w2, b2); },
          [=, f = f] { return composed::feed_forward(x, f, w1, b1, w2, b2); });
    }
  const Tensor x = make.away_from_zero({2, 4}), w1 = make.uniform({8, 4}),
               w2 = make.uniform({4, 8});
  add_case(
      cases, {x, w1, w2}, "no bias",
      [=] { return feed_forward(x, Activation::gelu, w1, {}, w2, {}); },
      [=] { return composed::feed_forward(x, Activation::gelu, w1, {}, w2, {}); });
  return cases;
}

std::vector<Case> attention_cases(Maker make) {
  struct Form {
    Index B, T, queries, keys, head_size;
    double p;
    AttentionScores scores = {};
  };
  std::vector<Case> cases;
  // 65 positions are more than one block of queries.
  for (const auto& [B, T, queries, keys, head_size, p, scores] :
       {Form{1, 1, 1, 1, 1, 0}, Form{1, 2, 1, 1, 3, 0}, Form{2, 5, 3, 3, 4, 0},
        Form{1, 7, 2, 2, 5, 0.4}, Form{2, 9, 1, 1, 8, 0}, Form{1, 4, 2, 2, 9, 0.2},
        Form{1, 3, 1, 1, 17, 0}, Form{1, 65, 1, 1, 1, 0}, Form{1, 66, 2, 2, 1, 0.3},
        Form{2, 5, 2, 1, 3, 0}, Form{2, 4, 6, 3, 2, 0.3}, Form{1, 66, 4, 2, 1, 0},
        Form{2, 5, 2, 2, 3, 0, {.scale = 1}}, Form{1, 66, 1, 1, 2, 0.3, {.scale = 0.25}},
        Form{1, 1, 1, 1, 2, 0, {.causal = false}}, Form{2, 5, 3, 3, 4, 0.2, {.causal = false}},
        Form{1, 67, 2, 1, 1, 0, {.causal = false}}, Form{1, 130, 1, 1, 1, 0.3, {2, false}}}) {
    const Tensor qkv = make.uniform({B, T, (queries + 2 * keys) * head_size});
    const auto call = [=, n = Heads(queries, keys), drop = p, form = scores](auto&& attention) {
      Generator generator(5);
      return attention(qkv, n, drop, &generator, form);
    };
    add_case(
        cases, {qkv},
        joined(queries, " heads on ", keys, ", p ", p,
               scores.scale ? joined(", scale ", *scores.scale) : "",
               scores.causal ? "" : ", not causal"),
        [=] { return call(self_attention); }, [=] { return call(composed::self_attention); });
  }
  return cases;
}

}  // namespace gradient
