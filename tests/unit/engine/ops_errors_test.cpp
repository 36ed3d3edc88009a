// Every wrong shape, axis and index is one error. It begins with the op and names the two values that
// do not fit; a * stands for the words between them.

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
#include "tests/program/transcript.h"

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
    {[] { add(of(2, 3), of(4)); }, "add: *(2, 3)*(4)*3*4"},
    {[] { sub(of(2, 3), of(2)); }, "sub: *(2, 3)*(2)*3*2"},
    {[] { mul(of(2, 1, 3), of(2, 2, 2)); }, "mul: *(2, 1, 3)*(2, 2, 2)*3*2"},
    {[] { div(of(0), of(2)); }, "div: *(0)*(2)*0*2"},
    {[] { pow(of(3), of(2)); }, "pow: *(3)*(2)*3*2"},
    // reductions
    {[] { sum(of(2, 3), 2); }, "sum: *(2, 3)*axis 2"},
    {[] { sum_along(0, -2); }, "sum: axis 0*(2, 3)*"},
    {[] { mean(of(2, 3), {}); }, "mean: no axes"},
    {[] { mean(of(2, 3), -3); }, "mean: *(2, 3)*axis -3"},
    {[] { variance(of(2, 3), 5); }, "variance: *(2, 3)*axis 5"},
    {[] { max(of(2, 3), 2); }, "max: *(2, 3)*axis 2"},
    {[] { max(of(2, 0), 1); }, "max: axis 1*(2, 0)*"},
    {[] { max(of(0)); }, "max: axis 0*(0)*"},
    {[] { argmax(of(2, 3), -4); }, "argmax: *(2, 3)*axis -4"},
    {[] { argmax(of(0, 2), 0); }, "argmax: axis 0*(0, 2)*"},
    // matmul
    {[] { matmul(of(1, 2), of(6, 2)); }, "matmul: *(1, 2)*(6, 2)*2*6*"},
    {[] { matmul(of(), of(2, 2)); }, "matmul: *()*(2, 2)*"},
    {[] { matmul(of(3), of(2)); }, "matmul: *(3)*(2)*3*2*"},
    {[] { matmul(of(2, 3, 4), of(3, 4, 5)); }, "matmul: *(2, 3, 4)*(3, 4, 5)*2*3"},
    // layout
    {[] { permute(of(2, 3), {0}); }, "permute: *(2, 3)*2*1"},
    {[] { permute_by(0, 0); }, "permute: axis 0*(2, 3)*"},
    {[] { permute_by(0, 2); }, "permute: *(2, 3)*axis 2"},
    {[] { transpose(of(3)); }, "transpose: *(3)*axis -2"},
    {[] { concat({}, 0); }, "concat: no tensors"},
    {[] { concat_all(0, of(2, 3), of(2, 4)); }, "concat: *(2, 3)*(2, 4)*axis 0"},
    {[] { concat_all(0, of(2, 3), of(3)); }, "concat: *(2, 3)*(3)*axis 0"},
    {[] { concat_all(2, of(2, 3), of(2, 3)); }, "concat: *(2, 3)*axis 2"},
    {[] { slice(of(2, 3), 1, 2, 1); }, "slice: [2, 1)*"},
    {[] { slice(of(2, 3), 0, 0, -3); }, "slice: [0, -3)*"},
    {[] { slice(of(2, 3), 2, 0, 1); }, "slice: *(2, 3)*axis 2"},
    {[] { repeat(of(2, 3), {2}); }, "repeat: 1*(2, 3)*"},
    {[] { repeat(of(2, 3), list(2, -1)); }, "repeat: count -1*axis 1*(2, 3)*"},
    {[] { repeat(of(2, 4), list(1, Index(1) << 62)); },
     "repeat: count 4611686018427387904*axis 1*(2, 4)*"},
    {[] { repeat(of(2, 3), list(1, Index(1) << 60)); }, "shape: (2, 3458764513820540928)*"},
    {[] { broadcast_to(of(2, 3), shape(2, 4)); }, "broadcast_to: *(2, 3)*(2, 4)*3*4"},
    {[] { broadcast_to(of(2, 3), {3}); }, "broadcast_to: *(2, 3)*(3)"},
    // numbers of a caller
    {[] { Generator(1).discard_uniform(-1); }, "generator: *-1*"},
    {[] { Generator(1).discard_normal(-1); }, "generator: *-1*"},
    {[] { format(of(2), {.precision = -1}); }, "format: option -1*"},
    {[] { format(of(2), {.edge_items = most}); }, "format: option 9223372036854775807*"},
    {[] { nn::AdamW(std::vector<Tensor>()).set_steps(most); }, "AdamW: 9223372036854775807*"},
    // comparisons, gather
    {[] { less(of(3), of(2)); }, "less: *(3)*(2)*3*2"},
    {[] { where(of(3), of(2), of(1)); }, "where: *(3)*(2)*3*2"},
    {[] { where(of(1), of(2), of(4)); }, "where: *(2)*(4)*2*4"},
    {[] { clamp(of(2), 2, 1); }, "clamp: low 2*high 1*"},
    {[] { clamp(of(2), not_a_number, 1); }, "clamp: low nan*high 1*"},
    {[] { gather(of(2, 3), 2, one, shape(1, 1)); }, "gather: *(2, 3)*axis 2"},
    {[] { gather(of(2, 3), 1, two, {2}); }, "gather: *(2, 3)*2*(2)*1"},
    {[] { gather(of(2, 3), 1, three, shape(2, 1)); }, "gather: *(2, 1)*2*3*"},
    {[] { gather(of(2, 3), 1, three, shape(3, 1)); }, "gather: *(3, 1)*(2, 3)*axis 0*3*2"},
    {[] { gather(of(2, 2), 1, three, shape(1, 3)); }, "gather: id 2*position 2*axis 1*(2, 2)*2*"},
    {[] { gather(of(2, 2), 0, ids(0, -1), shape(2, 1)); },
     "gather: id -1*position 1*axis 0*(2, 2)*2*"},
    {[] { one_hot(three, 2); }, "one_hot: id 2*position 2*"},
    {[] { one_hot(ids(-1), 2); }, "one_hot: id -1*position 0*"},
    {[] { sort(of()); }, "sort: *()"},
    {[] { topk(of(2, 3), 4); }, "topk: k 4*3*"},
    {[] { topk(of(2, 3), -1); }, "topk: k -1*3*"},
    // reshape, tensors
    {[] { reshape(4); }, "reshape: *(2, 3)*6*(4)*4"},
    {[] { reshape(4, -1); }, "reshape: 6*(2, 3)*4"},
    {[] { reshape(-1, -1); }, "reshape: *-1"},
    {[] { reshape(0, -1); }, "reshape: 6*(2, 3)*0"},
    {[] { reshape(-1, 1, 1, 1, 1); }, "reshape: 5*4"},
    {[] { of(2, 3).item(); }, "item: *(2, 3)*6*1"},
    {[] { at(1); }, "at: *(2, 3)*2*1*"},
    {[] { at(1, 3); }, "at: index 3*"},
    {[] { set(1); }, "set: *(2, 3)*2*1*"},
    {[] { set(2, 0); }, "set: index 2*"},
    {[] { Tensor::of(shape(3), std::vector<real>(2)); }, "tensor: *(3)*3*2*"},
    {[] { shape(1, 2, 3, 4, 5); }, "shape: 5*4"},
    {[] { shape(2, -1); }, "shape: axis 1*-1"},
    {[] { shape(Index(1) << 32, Index(1) << 32); }, "shape: (4294967296, 4294967296)*"},
    {[] { shape(1, 2, 3, 4).inserted(0, 1); }, "shape: (1, 2, 3, 4)*"},
    {[] { of(2).gradient().value(); }, "gradient: this tensor has none*"},
    {[] { of(2).require_gradient(Buffer(3)); }, "require_gradient: 3*(2)"},
    // masked_fill, softmax, layer_norm
    {[] { masked_fill(of(2, 3), of(2), 0); }, "masked_fill: *(2, 3)*(2)*3*2"},
    {[] { masked_fill(of(3), of(2, 3), 0); }, "masked_fill: *(2, 3)*(3)"},
    {[] { softmax(of()); }, "softmax: *()"},
    {[] { log_softmax(of()); }, "log_softmax: *()"},
    {[] { layer_norm(of(2, 3), of(2), of(3)); }, "layer_norm: *(2, 3)*3*(2)"},
    {[] { layer_norm(of(2, 3), of(3), of(2)); }, "layer_norm: *(3)*3*(2)"},
    {[] { layer_norm(of(), of(1), {}); }, "layer_norm: *()"},
    // embedding, linear, cross_entropy, dropout
    {[] { embedding(of(4), one, {1}); }, "embedding: *(4)*"},
    {[] { embedding(of(4, 2), two, {3}); }, "embedding: *(3)*3*2*"},
    {[] { embedding(of(2, 2), three, {3}); }, "embedding: id 2*position 2*(2, 2)*2*"},
    {[] { embedding(of(2, 2), ids(0, -1), {2}); }, "embedding: id -1*position 1*(2, 2)*2*"},
    {[] { embedding(of(2, 2), one, shape(1, 1, 1, 1)); }, "embedding: *(1, 1, 1, 1)*4*"},
    {[] { linear(of(4, 3), of(5, 2)); }, "linear: *(4, 3)*3*(5, 2)*2"},
    {[] { linear(of(4, 3), of(3)); }, "linear: *(4, 3)*(3)*"},
    {[] { linear(of(), of(3, 1)); }, "linear: *()*(3, 1)*"},
    {[] { linear(of(4, 3), of(5, 3), of(3)); }, "linear: *(5, 3)*5*(3)"},
    {[] { cross_entropy(of(2, 3), three); }, "cross_entropy: *(2, 3)*2*3*"},
    {[] { cross_entropy(of(), one); }, "cross_entropy: *()"},
    {[] { cross_entropy(of(2, 3), ids(0, 3)); }, "cross_entropy: target 3*row 1*(2, 3)*3*"},
    {[] { cross_entropy(of(2, 3), ids(-2, 0)); }, "cross_entropy: target -2*row 0*(2, 3)*3*"},
    {[] { drop(1.5); }, "dropout: p 1.5*"},
    {[] { drop(-0.1); }, "dropout: p -0.1*"},
    {[] { drop(not_a_number); }, "dropout: p nan*"},
    // attention
    {[] { self_attention(of(2, 3, 10), 2); }, "attention: *(2, 3, 10)*2*"},
    {[] { self_attention(of(2, 12), 2); }, "attention: *(2, 12)*2*"},
    {[] { self_attention(of(1, 2, 12), 0); }, "attention: *(1, 2, 12)*0*"},
    {[] { self_attention(of(1, 2, 12), Heads(3, 2)); }, "attention: 3*2*"},
    {[] { self_attention(of(1, 2, 12), Heads(2, 0)); }, "attention: 2*0*"},
    {[] { self_attention(of(1, 2, 12), Heads(6, 2)); }, "attention: *(1, 2, 12)*6*2*"},
    {[] { self_attention(of(1, 2, 12), 2, 0, nullptr, {.scale = -1}); }, "attention: scale -1*"},
    {[] { self_attention(of(1, 2, 12), 2, 0, nullptr, {not_a_number}); }, "attention: scale nan*"},
    {[] {
       KvCache cache(2, 2, 5);
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: 3*3*5"},
    {[] {
       KvCache cache(2, 2, 5);
       cache.size = -1;
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: 3*-1*5"},
    {[] {
       KvCache cache(2, 2, 5);
       cached_self_attention(of(2, 3, 12), 2, {}, cache);
     },
     "attention: *(2, 3, 12)*2*2*(2, 1, 2, 128)*(2, 5, 2)*"},
    {[] {
       KvCache cache(2, 2, 5);
       cache.keys = Tensor();
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: *(1, 3, 12)*2*2*(0)*(2, 5, 2)*"},
    {[] {
       KvCache cache(2, 2, 5);
       Tape tape;
       cached_self_attention(of(1, 3, 12), 2, {}, cache);
     },
     "attention: with a cache there is no backward pass*"},
    // a packed weight
    {[] { linear(of(2, 3), kernels::PackedMatrix(of(4, 5).matrix())); },
     "linear: *(2, 3)*3*(5, 4)*4"},
    {[] { linear(of(), kernels::PackedMatrix(of(1, 5).matrix())); }, "linear: *()"},
    {[] {
       Tape tape;
       linear(of(2, 4), kernels::PackedMatrix(of(4, 5).matrix()));
     },
     "linear: a packed weight has no backward pass*"},
    {[] { linear(of(2, 0), kernels::PackedMatrix()); }, "linear: *(2, 0)*"},
    {[] {
       nn::Linear layer(3, 2);
       layer.pack();
       nn::parameter_count(layer);
     },
     "linear: a packed layer*(2, 3)*"},
    {[] {
       nn::Linear layer(3, 2);
       layer.pack();
       Generator generator(1);
       nn::initialize(layer, generator);
     },
     "linear: a packed layer*(2, 3)*"},
    // rms_norm, rope, swiglu
    {[] { rms_norm(of(), of(1)); }, "rms_norm: *()"},
    {[] { rms_norm(of(2, 3), of(2)); }, "rms_norm: *(2, 3)*3*(2)"},
    {[] { qk_norm(of(2, 12), 2, of(3), of(3)); }, "qk_norm: *(2, 12)*2*2*3*"},
    {[] { qk_norm(of(2, 18), 2, of(3), of(2)); }, "qk_norm: *(3)*(2)*"},
    {[] { rope(of(4, 8), of(4), 1); }, "rope: *(4, 8)*(4)*"},
    {[] { rope(of(4, 8), rope_angles(4, 6), 1); }, "rope: *(4, 8)*"},
    {[] { rope(of(4, 8), rope_angles(4, 4), 3); }, "rope: *(4, 8)*"},
    {[] { rope(of(4, 8), rope_angles(5, 4), 2, 2); }, "rope: 4*2*5*"},
    {[] { rope_angles(5, 3); }, "rope: *3*"},
    {[] { swiglu(of(2, 3)); }, "swiglu: *(2, 3)*"},
    {[] { self_attention(of(1, 2, 12), 2, 0.5); }, "dropout: p 0.5*"},
    {[] { nn::attention(of(2, 3), of(4, 2), of(4, 3)); }, "attention: *(2, 3)*(4, 2)*3*2"},
    {[] { nn::attention(of(2, 3), of(4, 3), of(5, 3)); }, "attention: *(4, 3)*(5, 3)*4*5"},
    {[] { nn::attention(of(3), of(4, 3), of(4, 3)); }, "attention: *(3)*(4, 3)*(4, 3)*"},
    {[] { nn::CausalSelfAttention(10, 3, false, 0); }, "attention: 10*3*"},
    // numbers with sums and products that do not fit an Index
    {[] { self_attention(of(1, 2, 6), most); }, "attention: *(1, 2, 6)*9223372036854775807*"},
    {[] { qk_norm(of(2, 6), most, of(2), of(2)); },
     "qk_norm: *(2, 6)*9223372036854775807*9223372036854775807*2*"},
    {[] { rope(of(4, 8), rope_angles(4, 4), most); }, "rope: *(4, 8)*"},
    {[] { rope(of(4, 8), rope_angles(4, 4), 2, most); }, "rope: 4*9223372036854775807*4*"},
    {[] { nn::CausalSelfAttention(most, Heads(1, most), false, 0); },
     "shape: (1, 9223372036854775807)*"},
    {[] { nn::FeedForward(most, false, Activation::gelu, 0); }, "shape: (8, 9223372036854775807)*"},
    {[] { concat_all(1, of(0, most / 8), of(0, most / 8), of(0, most / 8)); },
     "shape: (0, *) has more elements*"},
    {[] { KvCache(1, 1, most); }, "shape: (1, 72057594037927936, 1, 128)*"},
    {[] { (void)Buffer(4).part(2, most); }, "buffer: 9223372036854775807*2*4"},
    {[] { Buffer(-1); }, "buffer: -1 values*"},
    {[] { Tensor::on(Buffer(2), {3}); }, "tensor: *(3)*3*2"},
    {[] { Tensor::zeros({Index(1) << 50}); }, "out of memory: * bytes were requested"},
    // gradients
    {[] { Gradient().accumulate(of(0)); }, "gradient: this tensor has none*"},
    {[] { (void)Gradient().data_or_zeros(); }, "gradient: this tensor has none*"},
    {[] { of(2).require_gradient().gradient().accumulate(of(3)); }, "gradient: *(3)*(2)"},
    {[] { of(2).require_gradient().require_gradient(Buffer(2)); }, "require_gradient: *(2)*"},
    {[] {
       Tape tape;
       const Tensor x = of(1).require_gradient(), loss = x * 2;
       tape.backward(
           record("own", of(1), {x.gradient()}, [&](const Tensor&) { tape.backward(loss); }));
     },
     "backward of own: backward: called by the backward of an op*"},
    {[] { cross_entropy(of(2, 0), two); }, "cross_entropy: target 0*row 0*(2, 0)*0*"},
    // backward
    {[] { Tape().backward(of(2)); }, "backward: *(2)*"},
    {[] { Tape().backward(of(1)); }, "backward: nothing was recorded for this tensor*"},
    {[] { Tape().backward(of(2), of(3)); }, "backward: *(2)*(3)"},
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
    INFO(text << ", expected " << misuse.text);
    CHECK(program::matches(misuse.text, text));
  }
}
