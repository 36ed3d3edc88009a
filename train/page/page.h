// gradus in a browser (`make page`): the functions that a page's script calls, compiled to
// WebAssembly. Each returns its answer as JSON, with `error` if it failed; the text stays valid
// until the next call of any of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/format/json_writer.h"
#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"

extern "C" {

// --- run.cpp: one run at a time, with the losses of ./gradus with the flags that `begin` returns.

// What training on a text of `size` bytes at `text` costs with each size of model. `small`,
// `medium` and `large` are budgets in floating-point operations.
__attribute__((used)) const char* estimate(const char* text, int size, double small, double medium,
                                           double large);
// Starts a run on the text with a budget of `flops` floating-point operations. After an error the
// previous run stays.
__attribute__((used)) const char* begin(const char* text, int size, double flops);
// Trains for up to `steps` updates or `seconds`, so that the script can listen between two calls.
// At the end `verdict` says what was found, `kept` the loss of the kept model on the whole
// validation text, `advice` the setting most likely to help, or "none", and `value` its value.
__attribute__((used)) const char* advance(int steps, double seconds);

// --- model.cpp: of the run's model, or of one that was opened ---

// Continues a prompt by `count` tokens.
__attribute__((used)) const char* continue_text(const char* prompt, int size, int count,
                                                double temperature, double seed);
// The token after a prompt: the probabilities at a temperature of the 30 likeliest, whether the
// filters leave them, and with what probability each is drawn then; of all, how many are left. As
// in continue_text and attention, characters that the model does not know are left out: `left_out`
// has them.
__attribute__((used)) const char* next_token(const char* prompt, int size, double temperature,
                                             int top_k, double top_p);
// The attention weights of the last layer, and its number from 1, for the prompt's first 24 tokens:
// rows for each head.
__attribute__((used)) const char* attention(const char* prompt, int size);
// The model as a .safetensors file: its address and size. The script copies it.
__attribute__((used)) const char* save();
// Opens a model.safetensors of gradus; it writes until the run continues or another one begins.
__attribute__((used)) const char* open_model(const char* bytes, int size);
}

namespace page {

// Text of the bytes at an address of the engine's memory.
inline std::string_view text_at(const char* bytes, int size) {
  return {bytes, static_cast<std::size_t>(size)};
}

// A token may be part of a character: what is not UTF-8 becomes U+FFFD.
std::string as_utf8(std::string_view bytes);

// What a function of the page returns: the text of what f returns, or of the error that it throws.
const char* answer_of(const std::function<model::JsonObject()>& f);

struct Model {
  const model::Tokenizer& tokenizer;
  model::GPT& gpt;
};
std::optional<Model> model_of_run();  // none before the first run
struct Run;
extern std::shared_ptr<Run> run;  // none before the first
void close_opened();              // the run's model is the one that is asked again

}  // namespace page
