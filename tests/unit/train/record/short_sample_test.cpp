// A sample's length, and where it ends.
#include "train/record/short_sample.h"

#include "model/base/utf8.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"

TEST_CASE("short sample: the prompt and as many characters, or until the model ends its document") {
  const std::string_view text = "aé";
  const model::TokenizerHandle characters = model::CharTokenizer::train({&text, 1});
  const model::DocumentTokenizer documents(characters, "|");
  // Without weights every token is as likely as any other: one in three ends the document.
  const model::GPT gpt({.vocab_size = 3, .block_size = 8, .n_layer = 1, .n_head = 1, .n_embd = 4});
  const std::int32_t prompt[] = {1, 0};
  for (const engine::Index step : {0, 1, 2, 3, 4}) {
    INFO("step " << step);
    const std::string plain = train::short_sample(gpt, *characters, 1, step, 200, prompt);
    CHECK_THAT(plain, Catch::StartsWith("éa"));
    CHECK(model::count_characters(plain) == 202);
    const std::string ended = train::short_sample(gpt, documents, 1, step, 200);
    CHECK_THAT(ended, !Catch::Contains("|"));
    CHECK(model::count_characters(ended) < 40);  // else by a chance of 1e-7
  }
}

TEST_CASE("short sample: a thousandth of the tokens between two, from 40 to 200") {
  const std::pair<double, engine::Index> lengths[] = {
      {0, 40}, {41'000, 41}, {199'999, 199}, {1e27, 200}};  // the last more than an Index holds
  for (const auto& [tokens, length] : lengths) {
    CAPTURE(tokens);
    CHECK(train::sample_length(tokens, true) == length);
    CHECK(train::sample_length(tokens, false) == 40);
  }
}
