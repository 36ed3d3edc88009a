// Writes a model as one file of llama.cpp: gguf_writer.h with the keys and names of its families.
#pragma once

#include <deque>
#include <string>

#include "model/base/files.h"
#include "model/base/words.h"
#include "model/exchange/byte_level.h"
#include "model/exchange/gguf_writer.h"
#include "model/gpt/gpt.h"

namespace model {

// What llama.cpp computes otherwise than gradus, in words, for one line; an error if it cannot
// compute the model at all. Empty: nothing.
std::string difference_to_llama_cpp(const Config& config);

// Adds the model to a file. dtype: of the matrices; vectors and the position embedding stay
// float32. `memory` keeps what is not in the model as the file has it. Returns whether a row was
// no multiple of 32 long, so that its matrix is float16 instead of q8_0.
bool add_gguf_model(GgufWriter& writer, GPT& gpt, const ByteLevel& tokens, Index end,
                    std::string_view title, Dtype dtype, std::deque<FileBytes>& memory);

}  // namespace model
