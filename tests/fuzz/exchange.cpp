// Models of other programs: a ckpt.pt whose checksums are made right, a meta.pkl, or a
// JSON text that may be config.json, tokenizer.json or a list of weight files. A model that is
// accepted has finite weights, and written again it is the same.
#include <algorithm>
#include <cmath>
#include <deque>

#include "model/exchange/nanogpt.h"
#include "model/exchange/transformers.h"
#include "tests/fuzz/archive.h"
#include "tests/fuzz/fuzz.h"

using namespace model;

namespace {

void check_finite(GPT& gpt) {
  for (const nn::NamedParameter& p : nn::parameters(gpt))
    fuzz::demand(std::ranges::all_of(p.tensor.values(),
                                     [](engine::real value) { return std::isfinite(value); }));
}

void check_same(GPT& a, GPT& b) {
  fuzz::demand(a.config == b.config);
  const auto left = nn::parameters(a), right = nn::parameters(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    fuzz::demand(std::ranges::equal(left[i].tensor.values(), right[i].tensor.values()));
}

void check_tokenizer(const Tokenizer& tokenizer) {
  const std::string text = "a b\n";
  Index skipped = 0;
  (void)tokenizer.encode(text, &skipped);
}

void check_ckpt(std::string_view bytes) {
  GPT gpt = read_nanogpt(bytes);
  check_finite(gpt);
  TorchWriter writer;
  write_nanogpt(writer, gpt, {});
  GPT again = read_nanogpt(joined_pieces(writer.pieces("ckpt")));
  check_same(gpt, again);
}

void check_json(std::string_view bytes) {
  fuzz::accepts([&] {
    const TransformersConfig config = read_transformers_config(bytes);
    (void)config.config.parameter_count();
    // No weights: refused before memory is taken for them.
    fuzz::demand(!fuzz::accepts([&] { (void)read_transformers_weights(config, {}); }));
  });
  fuzz::accepts([&] {
    for (const std::string& name : files_of_index(bytes))
      fuzz::demand(name.find('/') == name.npos && name[0] != '.');
  });
  fuzz::accepts([&] {
    const ByteLevel tokens = read_tokenizer_json(bytes, 1);
    const TokenizerHandle tokenizer = tokenizer_of(tokens);
    check_tokenizer(*tokenizer);
    const ByteLevel again = read_tokenizer_json(tokenizer_json(tokens), 1);
    fuzz::demand(again.tokens == tokens.tokens && again.separator == tokens.separator &&
                 again.merges.size() == tokens.merges.size());
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::bytes_of(data, size);
  fuzz::accepts([&] {
    if (bytes.starts_with("PK"))
      check_ckpt(fuzz::put_right(bytes));
    else if (bytes.starts_with("{"))
      check_json(bytes);
    else
      check_tokenizer(*read_nanogpt_meta(bytes));
  });
  return 0;
}
