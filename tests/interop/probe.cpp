// What gradus computes with a model, in full precision, for tests/interop to compare with other
// programs. MODEL is whatever gradus eval opens.
//
//     probe ids MODEL TEXTFILE          the text's token ids, one a line
//     probe logits MODEL IDSFILE        (T, V) float32, raw: after each of the ids, block_size at most
//     probe greedy MODEL IDSFILE COUNT  the likeliest next token, COUNT times, one id a line
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "model/base/files.h"
#include "model/generate/generate.h"
#include "train/exchange/open_model.h"

namespace {

using engine::Index;
using Ids = std::vector<std::int32_t>;

std::string read(const char* path) { return model::read_file(path, model::max_file_size()); }

// Whitespace between numbers.
Ids read_ids(const char* path) {
  const std::string text = read(path);
  const char* const end = text.data() + text.size();
  Ids ids;
  for (const char* at = text.data(); at < end; ++at) {
    std::int32_t id = 0;
    const std::from_chars_result result = std::from_chars(at, end, id);
    if (result.ec != std::errc()) continue;
    ids.push_back(id);
    at = result.ptr;
  }
  return ids;
}

int run(std::string_view what, model::LoadedModel& model, const char* input, const char* count) {
  const model::Tokenizer& tokenizer = *model.tokenizer;
  if (what == "ids") {
    const model::TokenIds ids = tokenizer.encode(read(input));
    for (Index i = 0; i < ids.size(); ++i) std::printf("%d\n", ids[i]);
    return 0;
  }
  const Ids ids = read_ids(input);
  const Index size = std::ssize(ids);
  for (const std::int32_t id : ids)
    engine::check(0 <= id && id < model.gpt.config.vocab_size, "id ", id, ": outside of the model");
  if (what == "logits") {
    engine::check(size <= model.gpt.config.block_size, "more ids than block_size");
    const engine::Tensor logits = model.gpt.logits(ids, 1, size);
    const std::vector<float> values(logits.values().begin(), logits.values().end());
    std::fwrite(values.data(), sizeof(float), values.size(), stdout);
  } else if (what == "greedy") {
    Ids text = ids;
    model.gpt.pack();
    model::Sampler sampler({.temperature = 0}, 0);
    model::generate(model.gpt, sampler, tokenizer.vocabulary_size(), text, std::atoi(count),
                    [](std::int32_t id) { return std::printf("%d\n", id) > 0; });
  } else {
    engine::fail("expected ids, logits or greedy");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  engine::check(argc >= 4, "probe ids|logits|greedy MODEL FILE [COUNT]");
  model::LoadedModel model = train::open_model(argv[2]).model;
  return run(argv[1], model, argv[3], argc > 4 ? argv[4] : "200");
} catch (const engine::Error& error) {
  std::fprintf(stderr, "probe: %s\n", error.what());
  return 1;
}
