// nanoGPT's files: ckpt.pt, which its sample.py and train.py --init_from=resume read, and meta.pkl,
// its vocabulary of characters. Both are pickles: read and written without Python (container/pickle.h,
// container/torch_file.h).
//
// ckpt.pt holds the weights under the names that ours have, the state of AdamW, model_args, iter_num,
// best_val_loss and config, of which sample.py takes the name of the dataset.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/exchange/container/torch_file.h"
#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"
#include "nn/adamw.h"

namespace model {

// --- Reading -------------------------------------------------------------------------------------

// The model of a ckpt.pt. Errors name what is missing or not nanoGPT's.
GPT read_nanogpt(std::string_view ckpt);

// The tokenizer of a meta.pkl: its key gradus_tokenizer if it has one, else characters.
TokenizerHandle read_nanogpt_meta(std::string_view meta_pkl);

// --- Writing -------------------------------------------------------------------------------------

using NanogptValue = std::variant<bool, Index, double, std::string>;

struct NanogptCheckpoint {
  Index iter_num = 0;
  double best_val_loss = 1e9;  // nanoGPT's own beginning
  nn::AdamWOptions adamw;
  double learning_rate = 0;
  float steps = 0;  // of AdamW, a float as in PyTorch
  // AdamW's two moments of each parameter in reflect's order; none: the optimizer starts anew.
  std::vector<std::pair<const engine::real*, const engine::real*>> moments;
  std::vector<std::pair<std::string, NanogptValue>> config;
};

// Throws unless nanoGPT's model.py computes what this architecture does; `note` gets a line on what
// it computes slightly otherwise.
void check_is_nanogpt(const Config& config, std::string& note);

// Writes ckpt.pt. The model and the moments must stay until the writer's pieces are written.
void write_nanogpt(TorchWriter& out, GPT& gpt, const NanogptCheckpoint& checkpoint);

// meta.pkl. A token that is no text by itself reads U+FFFD. Whether nanoGPT can encode every token:
// its sample.py does so character by character.
std::string nanogpt_meta(const Tokenizer& tokenizer);
bool is_characters(const Tokenizer& tokenizer);

}  // namespace model
