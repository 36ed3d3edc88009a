// The public families of models, and the names under which their programs keep our weights.
#pragma once

#include <span>
#include <string_view>

#include "model/gpt/config.h"

namespace model {

// A tensor of another program is one of our parameters, or some rows of it.
enum class Slice { all, queries, keys, values, gates, hidden };

// How a tensor is stored: as ours, or differently in one program's files:
enum class Layout {
  same,
  transposed,   // transformers': (in, out)
  interleaved,  // llama.cpp's, of FamilyTables::interleaved: pairs of features side by side
};

struct TensorName {
  std::string_view ours, transformers, gguf;
  Layout layout = Layout::same;
  Slice slice = Slice::all;
};

// Tensors outside the blocks. transformers: GPT-2's names begin with `transformer.`, the others'
// with `model.`, except the head's.
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

// In block i, after `transformer.h.i.` (ours), FamilyTables::block_prefix, `blk.i.` (gguf).
inline constexpr TensorName gpt2_block[] = {
    {"ln_1.weight", "ln_1.weight", "attn_norm.weight"},
    {"ln_1.bias", "ln_1.bias", "attn_norm.bias"},
    {"attn.c_attn.weight", "attn.c_attn.weight", "attn_qkv.weight", Layout::transposed},
    {"attn.c_attn.bias", "attn.c_attn.bias", "attn_qkv.bias"},
    {"attn.c_proj.weight", "attn.c_proj.weight", "attn_output.weight", Layout::transposed},
    {"attn.c_proj.bias", "attn.c_proj.bias", "attn_output.bias"},
    {"ln_2.weight", "ln_2.weight", "ffn_norm.weight"},
    {"ln_2.bias", "ln_2.bias", "ffn_norm.bias"},
    {"mlp.c_fc.weight", "mlp.c_fc.weight", "ffn_up.weight", Layout::transposed},
    {"mlp.c_fc.bias", "mlp.c_fc.bias", "ffn_up.bias"},
    {"mlp.c_proj.weight", "mlp.c_proj.weight", "ffn_down.weight", Layout::transposed},
    {"mlp.c_proj.bias", "mlp.c_proj.bias", "ffn_down.bias"},
};
// Llama's, and Qwen3's, which has q_norm and k_norm.
inline constexpr TensorName llama_block[] = {
    {"ln_1.weight", "input_layernorm.weight", "attn_norm.weight"},
    {"attn.c_attn.weight", "self_attn.q_proj.weight", "attn_q.weight", Layout::interleaved,
     Slice::queries},
    {"attn.c_attn.weight", "self_attn.k_proj.weight", "attn_k.weight", Layout::interleaved,
     Slice::keys},
    {"attn.c_attn.weight", "self_attn.v_proj.weight", "attn_v.weight", Layout::same, Slice::values},
    {"attn.q_norm.weight", "self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"attn.k_norm.weight", "self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"attn.c_proj.weight", "self_attn.o_proj.weight", "attn_output.weight"},
    {"ln_2.weight", "post_attention_layernorm.weight", "ffn_norm.weight"},
    {"mlp.c_fc.weight", "mlp.gate_proj.weight", "ffn_gate.weight", Layout::same, Slice::gates},
    {"mlp.c_fc.weight", "mlp.up_proj.weight", "ffn_up.weight", Layout::same, Slice::hidden},
    {"mlp.c_proj.weight", "mlp.down_proj.weight", "ffn_down.weight"},
};

// The families, in the order of Family.
struct FamilyTables {
  std::string_view name;       // in files
  std::string_view in_python;  // transformers' class
  std::span<const TensorName> tensors, block;
  std::string_view block_prefix;  // transformers'
  bool interleaved;
};
inline constexpr FamilyTables families[] = {
    {"gpt2", "GPT2LMHeadModel", gpt2_tensors, gpt2_block, "transformer.h.", false},
    {"llama", "LlamaForCausalLM", llama_tensors, llama_block, "model.layers.", true},
    {"qwen3", "Qwen3ForCausalLM", llama_tensors, llama_block, "model.layers.", false},
};
inline const FamilyTables& tables(Family family) {
  return families[static_cast<std::size_t>(family)];
}

// The family with programs that compute what a model of this architecture computes. Throws Error,
// naming the setting, if there is none.
Family family_of(const Config& config);
// The family with this name, which is the value of `key` in a file.
Family family_named(std::string_view name, std::string_view key);

}  // namespace model
