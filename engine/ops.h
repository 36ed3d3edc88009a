// All operations on tensors. Each is one function in a file of engine/ops/, with its formula,
// derivative, forward and backward, or a few lines of other operations. Element-by-element ops
// broadcast as in NumPy; a negative axis counts from the end (-1 is the last). Misuse throws
// engine::Error, which names the op, both shapes and the two numbers that disagree. Attention's ops
// are in attention.h.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/random/generator.h"
#include "engine/tensor.h"

namespace engine {

namespace kernels {
class PackedMatrix;
}

// --- arithmetic.cpp: element by element ---------------------------------------------------------
// Shapes broadcast: a (4, 1), b (3) -> (4, 3). A scalar is a tensor of shape ().
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& x, const Tensor& exponent);
Tensor neg(const Tensor& x);  // of the shape of x

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
// x += y makes x a handle to the new tensor x + y, recorded like it; other handles keep the old
// one.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = add(x, y); }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = sub(x, y); }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = mul(x, y); }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = div(x, y); }

// --- functions.cpp: one argument, element by element --------------------------------------------
// The result has the shape of x.
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor abs(const Tensor& x);  // the gradient at 0 is 0
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);       // x Phi(x), Phi the normal distribution function
Tensor gelu_tanh(const Tensor& x);  // GPT-2's approximation of gelu
Tensor silu(const Tensor& x);       // x sigmoid(x)
Tensor relu2(const Tensor& x);      // relu(x)^2

enum class Activation { gelu, gelu_tanh, relu, relu2, swiglu };
// swiglu halves the number of features: (..., 2F) -> (..., F). The others keep the shape of x.
Tensor activate(Activation activation, const Tensor& x);

// --- compare.cpp: element by element ------------------------------------------------------------
// 1 where a comparison holds, 0 elsewhere: data, without a gradient. "And" of masks is a * b, "not"
// is 1 - a, "any" max(a).item() and "all" min(a).item().
class Mask : public Tensor {
 public:
  explicit Mask(const Tensor& x) : Tensor(x) {}
  explicit operator bool() const = delete;  // not if (x < y): write if (x.item() < y.item())
};
// Shapes broadcast: a (4, 1), b (3) -> (4, 3).
Mask less(const Tensor& a, const Tensor& b);
Mask less_equal(const Tensor& a, const Tensor& b);
Mask greater(const Tensor& a, const Tensor& b);
Mask greater_equal(const Tensor& a, const Tensor& b);
Mask equal(const Tensor& a, const Tensor& b);
Mask not_equal(const Tensor& a, const Tensor& b);

inline Mask operator<(const Tensor& a, const Tensor& b) { return less(a, b); }
inline Mask operator<=(const Tensor& a, const Tensor& b) { return less_equal(a, b); }
inline Mask operator>(const Tensor& a, const Tensor& b) { return greater(a, b); }
inline Mask operator>=(const Tensor& a, const Tensor& b) { return greater_equal(a, b); }
inline Mask operator==(const Tensor& a, const Tensor& b) { return equal(a, b); }
inline Mask operator!=(const Tensor& a, const Tensor& b) { return not_equal(a, b); }

// a where mask is not 0, b elsewhere: torch.where. The three shapes broadcast: (4, 1), (3), () ->
// (4, 3). The mask is data. The branch that is not taken gets the gradient 0. As in PyTorch, an
// infinite derivative turns that into NaN (0 times infinity), for example in
// where(x > 0, sqrt(x), x) at x = 0. Select the argument instead: sqrt(where(x > 0, x, 1)).
Tensor where(const Tensor& mask, const Tensor& a, const Tensor& b);
// min(max(x, low), high), of the shape of x: torch.clamp. NaN stays NaN.
Tensor clamp(const Tensor& x, double low, double high);

// --- reductions.cpp: over all elements (result of shape ()) or along one axis or several ---------
// x (2, 3): sum(x) -> (), sum(x, 0) -> (3), sum(x, 0, true) -> (1, 3). keep (keepdim in PyTorch):
// the reduced axes stay, with size 1.
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, int axis, bool keep = false);
Tensor sum(const Tensor& x, std::initializer_list<int> axes, bool keep = false);
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, int axis, bool keep = false);
Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep = false);
// The sum of squared distances from the mean, divided by max(0, n - correction): NaN or infinite if
// that is 0. The default correction is PyTorch's. Shapes are as of sum: (2, 3) along 0 -> (3).
Tensor variance(const Tensor& x, int axis, bool keep = false, int correction = 1);
// NaN if an element is NaN. The gradient goes to the first maximum. Shapes are as of sum: (2, 3)
// along 0 -> (3).
Tensor max(const Tensor& x);
Tensor max(const Tensor& x, int axis, bool keep = false);
Tensor min(const Tensor& x);
Tensor min(const Tensor& x, int axis, bool keep = false);
// The square root of the variance, of the same shape; the gradient is 0 where that is 0.
Tensor standard_deviation(const Tensor& x, int axis, bool keep = false, int correction = 1);
// mean((x - y)^2), x and y of one shape -> (): PyTorch's mse_loss.
Tensor mean_squared_error(const Tensor& x, const Tensor& y);
// The index of the first maximum along the axis; the other axes in row-major order: x (2, 3) along
// -1 -> 2 indices.
std::vector<Id> argmax(const Tensor& x, int axis = -1);

// --- matmul.cpp ----------------------------------------------------------------------------------
// torch.matmul: (m, k) (k, n) -> (m, n); leading axes are batch axes and broadcast; a 1-d operand
// is a row on the left or a column on the right, and the result lacks that axis.
Tensor matmul(const Tensor& a, const Tensor& b);

// --- layout.cpp: copies of elements (reshape, a method of Tensor, copies nothing) ----------------
// Axis i of y is axes[i] of x: (2, 3, 5) by {2, 0, 1} -> (5, 2, 3).
Tensor permute(const Tensor& x, std::initializer_list<int> axes);
// Exchanges two axes: (2, 3, 5) -> (2, 5, 3).
Tensor transpose(const Tensor& x, int axis = -2, int other = -1);
// One behind the other along an axis: (2, 3), (4, 3) along 0 -> (6, 3).
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);
// Stacks tensors of one shape along a new axis: two of (3) along 0 -> (2, 3): torch.stack.
Tensor stack(std::span<const Tensor> parts, int axis = 0);
Tensor stack(std::initializer_list<Tensor> parts, int axis = 0);
// [begin, end) of an axis; negative numbers count from its end. (5, 3), 1 to 3 of axis 0 -> (2, 3).
Tensor slice(const Tensor& x, int axis, Index begin, Index end);
// At most `count` slices of one size; only the last may be smaller: torch.chunk. (7, 3) in 2 along
// 0 -> (4, 3), (3, 3).
std::vector<Tensor> chunk(const Tensor& x, Index count, int axis = 0);
// The slice at `index`, without the axis: (2, 3) along 0 -> (3). A negative index counts from the
// end. x[i] is select(x, 0, i).
Tensor select(const Tensor& x, int axis, Index index);
// times[i] copies along axis i, aligned at the last axis: torch.Tensor.repeat. (3) by {2, 2} ->
// (2, 6).
Tensor repeat(const Tensor& x, std::span<const Index> times);
Tensor repeat(const Tensor& x, std::initializer_list<Index> times);
// x repeated along missing axes and axes of size 1 -> `shape`: torch.broadcast_to.
Tensor broadcast_to(const Tensor& x, const Shape& shape);

// --- masked_fill.cpp -----------------------------------------------------------------------------
// value where mask is not 0, x elsewhere; mask broadcasts to the shape of x, which is the result's.
Tensor masked_fill(const Tensor& x, const Tensor& mask, real value);
// x where column - row <= diagonal in the last two axes, 0 elsewhere: torch.tril. (..., m, n) ->
// (..., m, n).
Tensor tril(const Tensor& x, Index diagonal = 0);
// -> (rows, cols): 1 where column > row, the keys after the query's position; 0 elsewhere.
Tensor causal_mask(Index rows, Index cols);

// --- softmax.cpp: along the last axis ------------------------------------------------------------
// (..., n) -> (..., n). A row in which every element is -infinity (all masked) becomes NaN;
// masked_fill keeps that NaN out of its x's gradient.
Tensor softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x);

// --- layer_norm.cpp ------------------------------------------------------------------------------
// Each row of x (..., C) normalized to mean 0 and variance 1, times weight (C), plus bias (C) or
// nothing -> (..., C).
// Where squares overflow (floats above 1.8e19), the row is the bias and its gradient is 0.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon = 1e-5);

// --- rms_norm.cpp --------------------------------------------------------------------------------
// Each row of x (..., C) divided by its root mean square, times weight (C) -> (..., C).
Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon = 1e-5);

// --- swiglu.cpp ----------------------------------------------------------------------------------
// silu(g) u for x = [g, u]: (..., 2F) -> (..., F).
Tensor swiglu(const Tensor& x);

// --- embedding.cpp -------------------------------------------------------------------------------
// y[t] = weight[ids[t]]: weight (V, C), ids of the given shape (...) -> (..., C).
Tensor embedding(const Tensor& weight, std::span<const Id> ids, const Shape& shape);

// --- gather.cpp ----------------------------------------------------------------------------------
// y[i, j, k] = x[i, ids[i, j, k], k] along axis 1 of 3, and so for other axes: torch.gather.
// ids and y have the shape `shape`: as many axes as x, none but `axis` longer than in x.
Tensor gather(const Tensor& x, int axis, std::span<const Id> ids, const Shape& shape);
// -> (n, classes): row t is 1 at ids[t], 0 elsewhere: torch's one_hot.
Tensor one_hot(std::span<const Id> ids, Index classes);
// Values (..., n) sorted along the last axis; ids: the place of each in its row of x, in row-major
// order. The gradient of a value goes to its place.
struct Sorted {
  Tensor values;
  std::vector<Id> ids;
};
// (..., n) -> (..., n). Equal values keep their order, as by torch.sort(stable=True); NaN counts as
// the largest.
Sorted sort(const Tensor& x, bool descending = false);
// The k largest of each row (..., n) -> (..., k), the largest first: torch.topk.
Sorted topk(const Tensor& x, Index k);

// --- linear.cpp ----------------------------------------------------------------------------------
// x W^T + b: x (..., in), weight (out, in), bias (out) or absent -> (..., out).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});
// The same shapes with packed W^T (in, out), for evaluation.
Tensor linear(const Tensor& x, const kernels::PackedMatrix& weight, const Tensor& bias = {});

// --- feed_forward.cpp ----------------------------------------------------------------------------
// f(x W1^T + b1) W2^T + b2: x (..., in), w1 (hidden, in), w2 (out, hidden), b1 (hidden) or absent,
// b2 (out) or absent -> (..., out).
Tensor feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                    const Tensor& w2, const Tensor& b2);

// --- cross_entropy.cpp ---------------------------------------------------------------------------
// Mean over rows of -log softmax(logits)[target], in nats: logits (..., V), a target per row -> ().
// Rows with target -1 are ignored (ignore_index in PyTorch); NaN if all are.
Tensor cross_entropy(const Tensor& logits, std::span<const Id> targets);

// --- dropout.cpp ---------------------------------------------------------------------------------
// Each element is 0 with probability p, else x / (1 - p), 0 <= p <= 1; p = 0 draws nothing. The
// result has the shape of x.
Tensor dropout(const Tensor& x, double p, Generator& generator);

}  // namespace engine
