// The public families of models, and the names under which their programs keep our weights.
#pragma once

#include <string_view>

#include "model/gpt/config.h"

namespace model {

enum class Family { gpt2, llama, qwen3 };
std::string_view name(Family family);

// The family whose programs compute what a model of this architecture does. An error that names
// the setting that no family has.
Family family_of(const Config& config);

// A tensor of another program is one of our parameters, or some rows of it.
enum class Slice { all, queries, keys, values, gates, hidden };

struct TensorName {
  std::string_view ours, transformers, gguf;
  Slice slice = Slice::all;
};

// Outside the blocks. transformers: GPT-2's names begin with `transformer.`, the others' with
// `model.`, but the head's.
inline constexpr TensorName gpt2_tensors[] = {
    {"transformer.wte.weight", "transformer.wte.weight", "token_embd.weight"},
    {"transformer.wpe.weight", "transformer.wpe.weight", "position_embd.weight"},
    {"transformer.ln_f.weight", "transformer.ln_f.weight", "output_norm.weight"},
    {"transformer.ln_f.bias", "transformer.ln_f.bias", "output_norm.bias"},
    {"lm_head.weight", "lm_head.weight", "output.weight"},
};
inline constexpr TensorName llama_tensors[] = {
    {"transformer.wte.weight", "model.embed_tokens.weight", "token_embd.weight"},
    {"transformer.ln_f.weight", "model.norm.weight", "output_norm.weight"},
    {"lm_head.weight", "lm_head.weight", "output.weight"},
};

// In block i, after `transformer.h.i.` (ours and GPT-2's), `model.layers.i.`, `blk.i.` (gguf).
inline constexpr TensorName gpt2_block[] = {
    {"ln_1.weight", "ln_1.weight", "attn_norm.weight"},
    {"ln_1.bias", "ln_1.bias", "attn_norm.bias"},
    {"attn.c_attn.weight", "attn.c_attn.weight", "attn_qkv.weight"},
    {"attn.c_attn.bias", "attn.c_attn.bias", "attn_qkv.bias"},
    {"attn.c_proj.weight", "attn.c_proj.weight", "attn_output.weight"},
    {"attn.c_proj.bias", "attn.c_proj.bias", "attn_output.bias"},
    {"ln_2.weight", "ln_2.weight", "ffn_norm.weight"},
    {"ln_2.bias", "ln_2.bias", "ffn_norm.bias"},
    {"mlp.c_fc.weight", "mlp.c_fc.weight", "ffn_up.weight"},
    {"mlp.c_fc.bias", "mlp.c_fc.bias", "ffn_up.bias"},
    {"mlp.c_proj.weight", "mlp.c_proj.weight", "ffn_down.weight"},
    {"mlp.c_proj.bias", "mlp.c_proj.bias", "ffn_down.bias"},
};
// Llama's, and Qwen3's, which has q_norm and k_norm.
inline constexpr TensorName llama_block[] = {
    {"ln_1.weight", "input_layernorm.weight", "attn_norm.weight"},
    {"attn.c_attn.weight", "self_attn.q_proj.weight", "attn_q.weight", Slice::queries},
    {"attn.c_attn.weight", "self_attn.k_proj.weight", "attn_k.weight", Slice::keys},
    {"attn.c_attn.weight", "self_attn.v_proj.weight", "attn_v.weight", Slice::values},
    {"attn.q_norm.weight", "self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"attn.k_norm.weight", "self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"attn.c_proj.weight", "self_attn.o_proj.weight", "attn_output.weight"},
    {"ln_2.weight", "post_attention_layernorm.weight", "ffn_norm.weight"},
    {"mlp.c_fc.weight", "mlp.gate_proj.weight", "ffn_gate.weight", Slice::gates},
    {"mlp.c_fc.weight", "mlp.up_proj.weight", "ffn_up.weight", Slice::hidden},
    {"mlp.c_proj.weight", "mlp.down_proj.weight", "ffn_down.weight"},
};

}  // namespace model
