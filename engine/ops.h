// The catalogue: every operation on tensors. Each is one function in one file of engine/ops/, its
// formula, derivative, forward and backward side by side. Shapes broadcast as in NumPy where two
// tensors meet element by element; an axis may be counted from the end (-1 is the last).
// Errors are engine::Error: the op, both shapes, the two numbers that disagree.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/ops/dropout.h"
#include "engine/random/generator.h"
#include "engine/tensor.h"

namespace engine {

// --- arithmetic.cpp: element by element, broadcasting; a scalar is a tensor of shape () ---------
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& x, const Tensor& exponent);
Tensor neg(const Tensor& x);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }

// --- functions.cpp: one argument, element by element --------------------------------------------
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);       // x Phi(x), with the normal distribution's Phi
Tensor gelu_tanh(const Tensor& x);  // GPT-2's approximation of it
Tensor silu(const Tensor& x);       // x sigmoid(x)

enum class Activation { gelu, gelu_tanh, relu };
Tensor activate(Activation activation, const Tensor& x);

// --- reductions.cpp: over all elements (result of shape ()) or along one axis --------------------
// keep: the reduced axis stays, with size 1.
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, int axis, bool keep = false);
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, int axis, bool keep = false);
// Sum of squared distances from the mean over (n - correction): PyTorch's default is 1.
Tensor variance(const Tensor& x, int axis, bool keep = false, int correction = 1);
// NaN if there is one. The gradient goes to the first maximum.
Tensor max(const Tensor& x);
Tensor max(const Tensor& x, int axis, bool keep = false);
// Index of the first maximum along the axis, for every other index in row-major order.
std::vector<std::int32_t> argmax(const Tensor& x, int axis = -1);

// --- matmul.cpp ----------------------------------------------------------------------------------
// PyTorch's rules: (m, k) (k, n) -> (m, n); leading axes are batches and broadcast; a 1-d operand
// counts as a row on the left, as a column on the right, and that axis is dropped again.
Tensor matmul(const Tensor& a, const Tensor& b);

// --- layout.cpp: elements moved, not changed (reshape is Tensor's, and free) ---------------------
Tensor permute(const Tensor& x, std::initializer_list<int> axes);  // axis i of y is axes[i] of x
Tensor transpose(const Tensor& x, int axis = -2, int other = -1);
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);
// Tensors of one shape along a new axis, which comes before `axis` of theirs.
Tensor stack(std::span<const Tensor> parts, int axis = 0);
Tensor stack(std::initializer_list<Tensor> parts, int axis = 0);
Tensor slice(const Tensor& x, int axis, Index begin, Index end);  // [begin, end)
// One slice, without its axis; an index, too, may be counted from the end. x[i] is select(x, 0, i).
Tensor select(const Tensor& x, int axis, Index index);
// times[i] copies along axis i, aligned at the last axis: torch.Tensor.repeat.
Tensor repeat(const Tensor& x, std::initializer_list<Index> times);

// --- masked_fill.cpp -----------------------------------------------------------------------------
// value where mask is not 0, x elsewhere; mask broadcasts to x. dx is 0 where masked.
Tensor masked_fill(const Tensor& x, const Tensor& mask, real value);
// 1 where column > row, shape (rows, cols): what a position may not see.
Tensor causal_mask(Index rows, Index cols);

// --- softmax.cpp: along the last axis ------------------------------------------------------------
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);

// --- layer_norm.cpp ------------------------------------------------------------------------------
// Each row to mean 0 and variance 1, then times weight (C), plus bias (C) unless it is absent.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);

// --- embedding.cpp -------------------------------------------------------------------------------
// Rows of weight (V, C): (ids..., C), where `shape` is the shape of the ids.
Tensor embedding(const Tensor& weight, std::span<const std::int32_t> ids, const Shape& shape);

// --- linear.cpp ----------------------------------------------------------------------------------
// x W^T + b: x (..., in), weight (out, in), bias (out) or absent -> (..., out).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

// --- feed_forward.cpp ----------------------------------------------------------------------------
// f(x W1^T + b1) W2^T + b2: x (..., in), w1 (hidden, in), w2 (out, hidden), b1 and b2 as long as
// their outputs or absent -> (..., out).
Tensor feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                    const Tensor& w2, const Tensor& b2);

// --- cross_entropy.cpp ---------------------------------------------------------------------------
// Mean over rows of -log softmax(logits)[target], in nats; logits (..., V), one target for each
// row. Rows whose target is -1 do not count. NaN if none counts, as in PyTorch.
Tensor cross_entropy(const Tensor& logits, std::span<const std::int32_t> targets);

// --- dropout.cpp ---------------------------------------------------------------------------------
// Each element 0 with probability p, else x / (1 - p); 0 <= p < 1. p = 0 draws nothing.
Tensor dropout(const Tensor& x, double p, Generator& generator,
               DropoutRule rule = DropoutRule::counter);

// --- attention.cpp -------------------------------------------------------------------------------
// Causal attention of all heads: qkv (B, T, 3C) holds queries, keys and values side by side, each
// `heads` times C / heads features; scale 1 / sqrt(C / heads); dropout (rule counter) of the
// weights with probability p, for which alone a generator is needed. -> (B, T, C)
Tensor causal_attention(const Tensor& qkv, Index heads, double p = 0,
                        Generator* generator = nullptr);

// What the fused ops mean, as compositions of the ops above; tests hold the two together in value
// and gradient.
namespace composed {
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);
Tensor variance(const Tensor& x, int axis, bool keep = false, int correction = 1);
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});
Tensor feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                    const Tensor& w2, const Tensor& b2);
Tensor cross_entropy(const Tensor& logits, std::span<const std::int32_t> targets);
Tensor causal_attention(const Tensor& qkv, Index heads, double p = 0,
                        Generator* generator = nullptr);
}  // namespace composed

}  // namespace engine
