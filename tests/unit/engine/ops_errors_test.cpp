// Every wrong shape, axis and index is one error. It begins with the op and names the two values that
// do not fit. The tests compare the whole messages.

#include <functional>
#include <limits>
#include <string_view>

#include "engine/attention.h"
#include "engine/base/check.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "engine/tape.h"
#include "model/gpt/gpt.h"
#include "nn/adamw.h"
#include "nn/attention.h"
#include "tests/catch.h"

using namespace engine;

namespace {

struct Misuse {
  std::function<void()> call;
  const char* text;
};

Shape shape(auto... sizes) { return {Index(sizes)...}; }
Tensor of(auto... sizes) { return Tensor::ones({Index(sizes)...}); }
std::vector<Index> list(auto... numbers) { return {Index(numbers)...}; }
std::vector<Id> ids(auto... numbers) { return {numbers...}; }

// Methods and ops of a tensor of shape (2, 3), with a list.
void reshape(auto... sizes) { of(2, 3).reshape({Index(sizes)...}); }
void at(auto... index) { of(2, 3).at({Index(index)...}); }
void set(auto... index) { of(2, 3).set({Index(index)...}, 0); }
void sum_along(auto... axes) { sum(of(2, 3), {axes...}); }
void mean_along(auto... axes) { mean(of(2, 3), {axes...}); }
void permute_by(auto... axes) { permute(of(2, 3), {axes...}); }
void concat_all(int axis, auto... parts) { concat({parts...}, axis); }
void drop(double p) {
  Generator generator(1);
  dropout(of(2), p, generator);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Index most = std::numeric_limits<Index>::max();
const std::vector<std::int32_t> one = {0}, two = {0, 1}, three = {0, 1, 2};

const Misuse misuses[] = {
    // arithmetic
    {[] { add(of(2, 3), of(4)); }, "add: shapes (2, 3) and (4) do not broadcast: 3 against 4"},
    {[] { sub(of(2, 3), of(2)); }, "sub: shapes (2, 3) and (2) do not broadcast: 3 against 2"},
    {[] { mul(of(2, 1, 3), of(2, 2, 2)); },
     "mul: shapes (2, 1, 3) and (2, 2, 2) do not broadcast: 3 against 2"},
    {[] { div(of(0), of(2)); }, "div: shapes (0) and (2) do not broadcast: 0 against 2"},
    {[] { pow(of(3), of(2)); }, "pow: shapes (3) and (2) do not broadcast: 3 against 2"},
    // reductions
    {[] { sum(of(2, 3), 2); }, "sum: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { sum(of(), 0); }, "sum: shape () has 0 axes, there is no axis 0"},
    {[] { sum_along(0, -2); }, "sum: axis 0 of shape (2, 3) is listed twice"},
    {[] { mean_along(0, 2); }, "mean: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { mean(of(2, 3), {}); }, "mean: no axes"},
    {[] { mean(of(2, 3), -3); }, "mean: shape (2, 3) has 2 axes, there is no axis -3"},
    {[] { variance(of(2, 3), 5); }, "variance: shape (2, 3) has 2 axes, there is no axis 5"},
    {[] { max(of(2, 3), 2); }, "max: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { max(of(2, 0), 1); }, "max: axis 1 of shape (2, 0) has no elements"},
    {[] { max(of(0)); }, "max: axis 0 of shape (0) has no elements"},
    {[] { argmax(of(2, 3), -4); }, "argmax: shape (2, 3) has 2 axes, there is no axis -4"},
    {[] { argmax(of(0, 2), 0); }, "argmax: axis 0 of shape (0, 2) has no elements"},
    // matmul
    {[] { matmul(of(1, 2), of(6, 2)); },
     "matmul: shapes (1, 2) and (6, 2) do not multiply: 2 columns against 6 rows"},
    {[] { matmul(of(), of(2, 2)); },
     "matmul: shapes () and (2, 2): a scalar has no matrix product; use mul"},
    {[] { matmul(of(3), of(2)); },
     "matmul: shapes (3) and (2) do not multiply: 3 columns against 2 rows"},
    {[] { matmul(of(2, 3), of(2)); },
     "matmul: shapes (2, 3) and (2) do not multiply: 3 columns against 2 rows"},
    {[] { matmul(of(2), of(3, 2)); },
     "matmul: shapes (2) and (3, 2) do not multiply: 2 columns against 3 rows"},
    {[] { matmul(of(2, 3, 4), of(3, 4, 5)); },
     "matmul: batches of shapes (2, 3, 4) and (3, 4, 5) do not broadcast: 2 against 3"},
    {[] { matmul(of(2, 3, 4), of(3, 3)); },
     "matmul: shapes (2, 3, 4) and (3, 3) do not multiply: 4 columns against 3 rows"},
    // layout
    {[] { permute(of(2, 3), {0}); }, "permute: shape (2, 3) has 2 axes for an order of 1"},
    {[] { permute_by(0, 0); }, "permute: axis 0 of shape (2, 3) is listed twice"},
    {[] { permute_by(0, 2); }, "permute: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { transpose(of(3)); }, "transpose: shape (3) has 1 axes, there is no axis -2"},
    {[] { transpose(of(2, 3), 0, 2); }, "transpose: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { concat({}, 0); }, "concat: no tensors"},
    {[] { concat_all(0, of(2, 3), of(2, 4)); },
     "concat: shapes (2, 3) and (2, 4) differ in more than axis 0"},
    {[] { concat_all(0, of(2, 3), of(3)); },
     "concat: shapes (2, 3) and (3) differ in more than axis 0"},
    {[] { concat_all(2, of(2, 3), of(2, 3)); },
     "concat: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { slice(of(2, 3), 1, 2, 4); },
     "slice: [2, 4) is not within [-3, 3), axis 1 of shape (2, 3)"},
    {[] { slice(of(2, 3), 1, 2, 1); },
     "slice: [2, 1) is not within [-3, 3), axis 1 of shape (2, 3)"},
    {[] { slice(of(2, 3), 0, -3, 1); },
     "slice: [-3, 1) is not within [-2, 2), axis 0 of shape (2, 3)"},
    {[] { slice(of(2, 3), 0, 0, -3); },
     "slice: [0, -3) is not within [-2, 2), axis 0 of shape (2, 3)"},
    {[] { slice(of(2, 3), 0, -1, 0); },
     "slice: [-1, 0) is not within [-2, 2), axis 0 of shape (2, 3)"},
    {[] { slice(of(2, 3), 2, 0, 1); }, "slice: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { select(of(2, 3), 0, 2); },
     "select: index 2 is not within [-2, 2), axis 0 of shape (2, 3)"},
    {[] { select(of(2, 3), 4, 0); }, "select: shape (2, 3) has 2 axes, there is no axis 4"},
    {[] { repeat(of(2, 3), {2}); }, "repeat: 1 counts for shape (2, 3), expected 2 to 4"},
    {[] { repeat(of(2, 3), list(2, -1)); },
     "repeat: count -1 for axis 1 of shape (2, 3), expected 0 or more, with a result that fits an "
     "Index"},
    {[] { repeat(of(2, 4), list(1, Index(1) << 62)); },
     "repeat: count 4611686018427387904 for axis 1 of shape (2, 4), expected 0 or more, with a "
     "result that fits an Index"},
    {[] { repeat(of(2, 3), list(1, 1, 1, 1, 1)); },
     "repeat: 5 counts for shape (2, 3), expected 2 to 4"},
    {[] { repeat(of(2, 3), list(1, Index(1) << 60)); },
     "shape: (2, 3458764513820540928) has more elements than memory can hold"},
    {[] { broadcast_to(of(2, 3), shape(2, 4)); },
     "broadcast_to: shapes (2, 3) and (2, 4) do not broadcast: 3 against 4"},
    {[] { broadcast_to(of(2, 3), {3}); }, "broadcast_to: x (2, 3) does not broadcast to (3)"},
    // numbers of a caller
    {[] { Generator(1).discard_uniform(-1); }, "generator: cannot discard -1 numbers"},
    {[] { Generator(1).discard_normal(-1); }, "generator: cannot discard -1 numbers"},
    {[] { format(of(2), {.precision = -1}); }, "format: option -1, expected 0 to 10000"},
    {[] { format(of(2), {.edge_items = most}); },
     "format: option 9223372036854775807, expected 0 to 10000"},
    {[] { nn::AdamW(std::vector<Tensor>()).set_steps(most); },
     "AdamW: 9223372036854775807 steps, expected 0 to 2^53"},
    // comparisons, gather
    {[] { less(of(3), of(2)); }, "less: shapes (3) and (2) do not broadcast: 3 against 2"},
    {[] { where(of(3), of(2), of(1)); }, "where: shapes (3) and (2) do not broadcast: 3 against 2"},
    {[] { where(of(1), of(2), of(4)); }, "where: shapes (2) and (4) do not broadcast: 2 against 4"},
    {[] { clamp(of(2), 2, 1); }, "clamp: low 2 and high 1, expected low <= high"},
    {[] { clamp(of(2), not_a_number, 1); }, "clamp: low nan and high 1, expected low <= high"},
    {[] { gather(of(2, 3), 2, one, shape(1, 1)); },
     "gather: shape (2, 3) has 2 axes, there is no axis 2"},
    {[] { gather(of(2, 3), 1, two, {2}); },
     "gather: x (2, 3) has 2 axes but ids of shape (2) have 1"},
    {[] { gather(of(2, 3), 1, three, shape(2, 1)); },
     "gather: shape (2, 1) has 2 elements for 3 ids"},
    {[] { gather(of(2, 3), 1, three, shape(3, 1)); },
     "gather: ids of shape (3, 1) are longer than x (2, 3) along axis 0: 3 against 2"},
    {[] { gather(of(2, 2), 1, three, shape(1, 3)); },
     "gather: id 2 at position 2, axis 1 of x (2, 2) has 2 entries"},
    {[] { gather(of(2, 2), 0, ids(0, -1), shape(2, 1)); },
     "gather: id -1 at position 1, axis 0 of x (2, 2) has 2 entries"},
    {[] { one_hot(three, 2); }, "one_hot: id 2 at position 2, expected 0 to 1"},
    {[] { one_hot(ids(-1), 2); }, "one_hot: id -1 at position 0, expected 0 to 1"},
    {[] { sort(of()); }, "sort: x needs at least one axis, got ()"},
    {[] { topk(of(2, 3), 4); }, "topk: k 4, but rows of 3: expected 0 <= k <= 3"},
    {[] { topk(of(2, 3), -1); }, "topk: k -1, but rows of 3: expected 0 <= k <= 3"},
    // reshape, tensors
    {[] { reshape(4); }, "reshape: shape (2, 3) has 6 elements but (4) has 4"},
    {[] { reshape(4, -1); }, "reshape: 6 elements of shape (2, 3) cannot be divided by 4"},
    {[] { reshape(-1, -1); }, "reshape: more than one size is -1"},
    {[] { reshape(0, -1); }, "reshape: 6 elements of shape (2, 3) cannot be divided by 0"},
    {[] { reshape(-1, 1, 1, 1, 1); }, "reshape: 5 axes, at most 4"},
    {[] { of(2, 3).item(); }, "item: a tensor of shape (2, 3) has 6 elements, not 1"},
    {[] { Tensor().item(); }, "item: a tensor of shape (0) has 0 elements, not 1"},
    {[] { at(1); }, "at: shape (2, 3) has 2 axes for 1 index"},
    {[] { at(1, 3); }, "at: index 3 is not within [0, 3), axis 1 of shape (2, 3)"},
    {[] { set(1); }, "set: shape (2, 3) has 2 axes for 1 index"},
    {[] { set(2, 0); }, "set: index 2 is not within [0, 2), axis 0 of shape (2, 3)"},
    {[] { Tensor::of(shape(3), std::vector<real>(2)); },
     "tensor: shape (3) has 3 elements for 2 values"},
    {[] { shape(1, 2, 3, 4, 5); }, "shape: 5 axes, at most 4"},
    {[] { shape(2, -1); }, "shape: axis 1 has negative size -1"},
    {[] { shape(Index(1) << 32, Index(1) << 32); },
     "shape: (4294967296, 4294967296) has more elements than memory can hold"},
    {[] { shape(1, 2, 3, 4).inserted(0, 1); }, "shape: (1, 2, 3, 4) has no room for another axis"},
    {[] { of(2).gradient().value(); },
     "gradient: this tensor has none; require_gradient() makes it a parameter"},
    {[] { of(2).require_gradient(Buffer(3)); },
     "require_gradient: 3 elements of memory for shape (2)"},
    // masked_fill, softmax, layer_norm
    {[] { masked_fill(of(2, 3), of(2), 0); },
     "masked_fill: shapes (2, 3) and (2) do not broadcast: 3 against 2"},
    {[] { masked_fill(of(3), of(2, 3), 0); },
     "masked_fill: mask (2, 3) does not broadcast to x (3)"},
    {[] { softmax(of()); }, "softmax: x needs at least one axis, got ()"},
    {[] { log_softmax(of()); }, "log_softmax: x needs at least one axis, got ()"},
    {[] { layer_norm(of(2, 3), of(2), of(3)); },
     "layer_norm: x (2, 3) has 3 channels but weight has shape (2)"},
    {[] { layer_norm(of(2, 3), of(3), of(2)); },
     "layer_norm: weight (3) has 3 channels but bias has shape (2)"},
    {[] { layer_norm(of(), of(1), {}); }, "layer_norm: x needs at least one axis, got ()"},
    // embedding, linear, cross_entropy, dropout
    {[] { embedding(of(4), one, {1}); },
     "embedding: weight has shape (4), expected (entries, channels)"},
    {[] { embedding(of(4, 2), two, {3}); }, "embedding: shape (3) has 3 elements for 2 ids"},
    {[] { embedding(of(2, 2), three, {3}); },
     "embedding: id 2 at position 2, weight (2, 2) has 2 entries"},
    {[] { embedding(of(2, 2), ids(0, -1), {2}); },
     "embedding: id -1 at position 1, weight (2, 2) has 2 entries"},
    {[] { embedding(of(2, 2), one, shape(1, 1, 1, 1)); },
     "embedding: ids of shape (1, 1, 1, 1) have 4 axes, expected at most 3: one is for the "
     "channels"},
    {[] { linear(of(4, 3), of(5, 2)); },
     "linear: x (4, 3) has 3 features but weight (5, 2) expects 2"},
    {[] { linear(of(4, 3), of(3)); },
     "linear: x (4, 3) and weight (3): expected (..., in) and (out, in)"},
    {[] { linear(of(), of(3, 1)); },
     "linear: x () and weight (3, 1): expected (..., in) and (out, in)"},
    {[] { linear(of(4, 3), of(5, 3), of(3)); },
     "linear: weight (5, 3) has 5 outputs but bias has shape (3)"},
    {[] { cross_entropy(of(2, 3), three); },
     "cross_entropy: logits (2, 3) have 2 rows for 3 targets"},
    {[] { cross_entropy(of(), one); }, "cross_entropy: logits need at least one axis, got ()"},
    {[] { cross_entropy(of(2, 3), ids(0, 3)); },
     "cross_entropy: target 3 in row 1, logits (2, 3) have 3 classes"},
    {[] { cross_entropy(of(2, 3), ids(-2, 0)); },
     "cross_entropy: target -2 in row 0, logits (2, 3) have 3 classes"},
    {[] { drop(1.5); }, "dropout: p 1.5 is not in [0, 1]"},
    {[] { drop(-0.1); }, "dropout: p -0.1 is not in [0, 1]"},
    {[] { drop(not_a_number); }, "dropout: p nan is not in [0, 1]"},
    // attention
    {[] { self_attention(of(2, 3, 10), 2); },
     "attention: qkv (2, 3, 10) and 2 heads: expected (B, T, 3 C) with C divisible by the heads"},
    {[] { self_attention(of(2, 12), 2); },
     "attention: qkv (2, 12) and 2 heads: expected (B, T, 3 C) with C divisible by the heads"},
    {[] { self_attention(of(1, 2, 12), 0); },
     "attention: qkv (1, 2, 12) and 0 heads: expected (B, T, 3 C) with C divisible by the heads"},
    {[] { self_attention(of(1, 2, 12), Heads(3, 2)); },
     "attention: 3 heads of queries are not divisible by 2 of keys"},
    {[] { self_attention(of(1, 2, 12), Heads(2, 0)); },
     "attention: 2 heads of queries are not divisible by 0 of keys"},
    {[] { self_attention(of(1, 2, 12), Heads(6, 2)); },
     "attention: qkv (1, 2, 12), 6 query heads, 2 key heads: expected (B, T, (H + 2 K) D)"},
    {[] { self_attention(of(1, 2, 12), 2, 0, nullptr, {.scale = -1}); },
     "attention: scale -1: expected a positive number"},
    {[] { self_attention(of(1, 2, 12), 2, 0, nullptr, {not_a_number}); },
     "attention: scale nan: expected a positive number"},
    {[] {
       KvCache cache(2, 2, 5);
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: 3 positions after 3, the cache holds 5"},
    {[] {
       KvCache cache(2, 2, 5);
       cache.size = -1;
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: 3 positions after -1, the cache holds 5"},
    {[] {
       KvCache cache(2, 2, 5);
       cached_self_attention(of(2, 3, 12), 2, {}, cache);
     },
     "attention: qkv (2, 3, 12), 2 query heads, 2 key heads, but the cache has keys (2, 1, 2, 128) "
     "and values (2, 5, 2) of one sequence"},
    {[] {
       KvCache cache(2, 2, 5);
       cache.keys = Tensor();
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: qkv (1, 3, 12), 2 query heads, 2 key heads, but the cache has keys (0) and values "
     "(2, 5, 2) of one sequence"},
    {[] {
       KvCache cache(2, 2, 5);
       Tape tape;
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: with a cache there is no backward pass, but a tape is open"},
    // a packed weight
    {[] { linear(of(2, 3), kernels::PackedMatrix(of(4, 5).matrix())); },
     "linear: x (2, 3) has 3 features but weight (5, 4) expects 4"},
    {[] { linear(of(), kernels::PackedMatrix(of(1, 5).matrix())); },
     "linear: x needs at least one axis, got ()"},
    {[] {
       Tape tape;
       linear(of(2, 4), kernels::PackedMatrix(of(4, 5).matrix()));
     },
     "linear: a packed weight has no backward pass, but a tape is open"},
    {[] { linear(of(2, 0), kernels::PackedMatrix()); },
     "linear: x (2, 0), but the packed weight is empty"},
    {[] {
       nn::Linear layer(3, 2);
       layer.pack();
       nn::parameter_count(layer);
     },
     "linear: a packed layer is for evaluation only: its weight (2, 3) can no longer be set, "
     "counted or saved"},
    {[] {
       nn::Linear layer(3, 2);
       layer.pack();
       Generator generator(1);
       nn::initialize(layer, generator);
     },
     "linear: a packed layer is for evaluation only: its weight (2, 3) can no longer be set, "
     "counted or saved"},
    // rms_norm, rope, swiglu
    {[] { rms_norm(of(), of(1)); }, "rms_norm: x needs at least one axis, got ()"},
    {[] { rms_norm(of(2, 3), of(2)); },
     "rms_norm: x (2, 3) has 3 channels but weight has shape (2)"},
    {[] { qk_norm(of(2, 12), 2, of(3), of(3)); },
     "qk_norm: qkv (2, 12), 2 query heads, 2 key heads of 3 features: expected (..., (H + 2 K) D)"},
    {[] { qk_norm(of(2, 18), 2, of(3), of(2)); },
     "qk_norm: weights (3) and (2): expected the features of one head"},
    {[] { rope(of(4, 8), of(4), 1); },
     "rope: x (4, 8) and angles (4): expected (..., T, heads D) and (positions, D)"},
    {[] { rope(of(4, 8), rope_angles(4, 6), 1); },
     "rope: x (4, 8): expected 1 heads or more of 6 features in its last axis"},
    {[] { rope(of(4, 8), rope_angles(4, 4), 3); },
     "rope: x (4, 8): expected 3 heads or more of 4 features in its last axis"},
    {[] { rope(of(4, 8), rope_angles(5, 4), 2, 2); },
     "rope: 4 positions from 2 on, but only 5 rows of angles"},
    {[] { rope_angles(5, 3); }, "rope: heads of 3 features, expected an even number"},
    {[] { swiglu(of(2, 3)); },
     "swiglu: x (2, 3): expected an even number of features, as many gates as values"},
    {[] { self_attention(of(1, 2, 12), 2, 0.5); }, "dropout: p 0.5 needs a generator"},
    {[] { nn::attention(of(2, 3), of(4, 2), of(4, 3)); },
     "attention: query (2, 3) and key (4, 2) need the same number of features: 3 against 2"},
    {[] { nn::attention(of(2, 3), of(4, 3), of(5, 3)); },
     "attention: key (4, 3) and value (5, 3) need the same number of positions: 4 against 5"},
    {[] { nn::attention(of(3), of(4, 3), of(4, 3)); },
     "attention: query (3), key (4, 3), value (4, 3): expected (..., positions, features)"},
    {[] { nn::CausalSelfAttention(10, 3, false, 0); },
     "attention: 10 channels are not divisible by 3 heads"},
    // numbers with sums and products that do not fit an Index
    {[] { self_attention(of(1, 2, 6), most); },
     "attention: qkv (1, 2, 6) and 9223372036854775807 heads: expected (B, T, 3 C) with C "
     "divisible by the heads"},
    {[] { qk_norm(of(2, 6), most, of(2), of(2)); },
     "qk_norm: qkv (2, 6), 9223372036854775807 query heads, 9223372036854775807 key heads of 2 "
     "features: expected (..., (H + 2 K) D)"},
    {[] { rope(of(4, 8), rope_angles(4, 4), most); },
     "rope: x (4, 8): expected 9223372036854775807 heads or more of 4 features in its last axis"},
    {[] { rope(of(4, 8), rope_angles(4, 4), 2, most); },
     "rope: 4 positions from 9223372036854775807 on, but only 4 rows of angles"},
    {[] { nn::CausalSelfAttention(most, Heads(1, most), false, 0); },
     "shape: (1, 9223372036854775807) has more elements than memory can hold"},
    {[] { nn::FeedForward(most, false, Activation::gelu, 0); },
     "shape: (8, 9223372036854775807) has more elements than memory can hold"},
    {[] { concat_all(1, of(0, most / 8), of(0, most / 8), of(0, most / 8)); },
     sizeof(real) == 4 ? "shape: (0, 3458764513820540925) has more elements than memory can hold"
                       : "shape: (0, 2305843009213693950) has more elements than memory can hold"},
    {[] { KvCache(1, 1, most); },
     "shape: (1, 72057594037927936, 1, 128) has more elements than memory can hold"},
    {[] { (void)Buffer(4).part(2, most); },
     "buffer: 9223372036854775807 values from 2 on are not within its 4"},
    {[] { Buffer(-1); }, sizeof(real) == 4 ? "buffer: -1 values, expected 0..2305843009213693951"
                                           : "buffer: -1 values, expected 0..1152921504606846975"},
    {[] { Tensor::on(Buffer(2), {3}); }, "tensor: shape (3) needs 3 elements, the buffer has 2"},
    {[] { Tensor::zeros({Index(1) << 50}); },
     sizeof(real) == 4 ? "out of memory: 4,503,599,627,370,496 bytes were requested"
                       : "out of memory: 9,007,199,254,740,992 bytes were requested"},
    // gradients
    {[] { Gradient().accumulate(of(0)); },
     "gradient: this tensor has none; test `if (dx)` before you write to it"},
    {[] { (void)Gradient().data_or_zeros(); },
     "gradient: this tensor has none; test `if (dx)` before you write to it"},
    {[] { of(2).require_gradient().gradient().accumulate(of(3)); },
     "gradient: a contribution of shape (3) does not fit a tensor of shape (2)"},
    {[] { of(2).require_gradient().require_gradient(Buffer(2)); },
     "require_gradient: memory for the gradient of shape (2), which has a slot already"},
    {[] {
       Tape tape;
       const Tensor x = of(1).require_gradient(), loss = x * 2;
       tape.backward(
           record("own", of(1), {x.gradient()}, [&](const Tensor&) { tape.backward(loss); }));
     },
     "backward of own: backward: called by the backward of an op, while the pass of this tape "
     "runs"},
    // no tensor
    {[] { add(Tensor(), of(2)); }, "add: shapes (0) and (2) do not broadcast: 0 against 2"},
    {[] { matmul(Tensor(), of(2, 2)); },
     "matmul: shapes (0) and (2, 2) do not multiply: 0 columns against 2 rows"},
    {[] { linear(of(2), Tensor()); },
     "linear: x (2) and weight (0): expected (..., in) and (out, in)"},
    {[] { softmax(Tensor()).item(); }, "item: a tensor of shape (0) has 0 elements, not 1"},
    {[] { cross_entropy(of(2, 0), two); },
     "cross_entropy: target 0 in row 0, logits (2, 0) have 0 classes"},
    {[] { layer_norm(of(2), Tensor(), {}); },
     "layer_norm: x (2) has 2 channels but weight has shape (0)"},
    {[] { max(Tensor()); }, "max: axis 0 of shape (0) has no elements"},
    // backward
    {[] { Tape().backward(of(2)); },
     "backward: the loss has shape (2), not one element; give dy, or sum it first"},
    {[] { Tape().backward(of(1)); },
     "backward: nothing was recorded for this tensor: it is a leaf, or no tape was open, or no "
     "input of it has a gradient"},
    {[] { Tape().backward(of(2), of(3)); }, "backward: y has shape (2) but dy (3)"},
};

}  // namespace

TEST_CASE("ops: every misuse is one error that says what disagrees") {
  for (const Misuse& misuse : misuses) {
    if (sanitized && std::string_view(misuse.text).starts_with("out of memory")) continue;
    std::string text = "no error";
    try {
      misuse.call();
    } catch (const Error& error) {
      text = error.what();
    }
    CHECK(text == misuse.text);
  }
}
