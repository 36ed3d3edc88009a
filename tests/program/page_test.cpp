// A run of the page in a browser, compared with gradus train with the flags that the page shows: the
// tokenizer, the split, the plan, and each loss to the last bit.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/gpt/attention_weights.h"
#include "model/model_file.h"
#include "tests/program/run.h"
#include "tests/unit/model/tokenizer/ids.h"
#include "train/page/page.h"

using program::Sandbox;

namespace {

// The value of a key, the first of that name: a number, or what is between quotes.
std::string value(const std::string& json, const std::string& key) {
  const std::size_t at = json.find('"' + key + "\":");
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + key.size() + 3;
  if (json[from] == '"') return json.substr(from + 1, json.find('"', from + 1) - from - 1);
  return json.substr(from, json.find_first_of(",}", from) - from);
}

// The validation losses in nats of all evaluations, as text.
std::vector<double> page_losses(const std::string& json) {
  std::vector<double> losses;
  for (std::size_t at = 0; (at = json.find("\"nats\":", at)) != std::string::npos;)
    losses.push_back(std::stod(json.substr(at += 7)));
  return losses;
}

std::vector<double> log_losses(const std::string& log) {
  std::vector<double> losses;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::string last = line.substr(line.rfind(',') + 1);
    if (!last.empty() && last != "val_loss") losses.push_back(std::stod(last));
  }
  return losses;
}

std::string repeated(const std::string& text, std::size_t size) {
  std::string all;
  while (all.size() < size) all += text;
  return all;
}

std::string prose(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i)
    text += std::string(i % 3 ? "The fox" : "A mouse") + " said " + std::to_string(i * i % 9973) +
            " words.\n";
  return text;
}

// A run on a text begins in the page.
std::string begun(const std::string& text) {
  const std::string page = begin(text.data(), int(text.size()), 1e7);
  INFO(page);
  REQUIRE(page.find("\"error\"") == std::string::npos);
  return page;
}

// The bytes of the page's model, until it saves again.
std::string_view saved() {
  const std::string file = save();
  return {reinterpret_cast<const char*>(std::stoull(value(file, "at"))),
          std::stoull(value(file, "size"))};
}

}  // namespace

TEST_CASE("page: ten texts become the run that train makes of them, loss by loss") {
  const std::vector<std::string> texts = {
      prose(3000),                                // characters
      prose(130'000),                             // long enough for a byte-pair encoding
      repeated("all the same ", 130'000),         // a sentence again and again
      std::string(130'000, 'a'),                  // nothing but repetition: characters after all
      prose(40),                                  // validation has less than one context
      repeated("Grüße, Жизнь, 生活, 😀. ", 5000),  // characters of two to four bytes
      prose(2000) + '\xff' + prose(2000),         // one broken byte: a token of its own
      repeated("caf\xe9 au lait, d\xe9j\xe0 vu; ", 3000),  // Latin-1: bytes
      repeated("line\r\nend\r\n", 2000),                   // as on Windows
      "\xef\xbb\xbf" + prose(2500)};                       // with a byte-order mark
  const Sandbox box;
  int best_before_the_end = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO("text " << i);
    program::write(box / "text.txt", texts[i]);
    const std::string page = begun(texts[i]);
    // Three of them to the end, of the others the loss before the first update.
    const bool to_the_end = i == 0 || i == 1 || i == 6;
    const std::string all = advance(to_the_end ? 1'000'000 : 1, 1e9);
    const auto run = box.done("train text.txt --force --out_dir run " + value(page, "flags") +
                              (to_the_end ? "" : " --max_iters 0"));
    const engine::Index tokens = std::stol(value(page, "tokens"));
    CHECK_THAT(run.err, Catch::Contains("text.txt: " + engine::count_text(tokens) + " tokens (" +
                                        value(page, "kind") + ", " + value(page, "vocabulary") +
                                        " distinct)"));
    if (to_the_end)
      CHECK_THAT(run.err, Catch::Contains("steps 0 to " + value(page, "steps") + " of"));
    const std::size_t listed = run.err.find(": ", run.err.find("for comparison, n-grams"));
    std::istringstream printed(run.err.substr(listed + 2));
    double bits = 0, least = INFINITY;
    while (printed >> bits) least = std::min(least, bits);
    CHECK(std::stod(value(page, "ngram")) == Approx(least).margin(6e-5));
    const std::vector<double> losses = page_losses(all);
    CHECK(losses.size() == (to_the_end ? 13 : 1));
    CHECK(losses == log_losses(program::read(box / "run/log.csv")));
    if (!to_the_end) continue;
    // The page saves what the run keeps: the model of the best evaluation.
    best_before_the_end += *std::ranges::min_element(losses) < losses.back();
    const std::string kept = program::read(box / "run/model.safetensors");
    const model::SafetensorsFile of_run(kept), of_page(saved());
    REQUIRE(of_page.tensors().size() == of_run.tensors().size());
    for (const model::TensorEntry& tensor : of_run.tensors()) {
      INFO(tensor.name);
      REQUIRE(of_page.find(tensor.name) != nullptr);
      CHECK((of_page.find(tensor.name)->data == tensor.data));
    }
  }
  CHECK(best_before_the_end > 0);
}

TEST_CASE("page: attention is that of the last block, head by head") {
  const std::string prompt = "The fox said";
  begun(prose(3000));
  advance(30, 1e9);
  const std::string map = attention(prompt.data(), int(prompt.size()));
  const model::LoadedModel model = model::load_model(model::SafetensorsFile(saved()));
  const Ids tokens = encode(*model.tokenizer, prompt);
  const std::vector<engine::Tensor> layers = model::attention_weights(model.gpt, tokens);
  REQUIRE(layers.size() > 1);
  std::string expected = "\"heads\":[";
  const engine::Tensor& last = layers.back();
  const engine::Index H = last.shape()[0], T = last.shape()[1];
  for (engine::Index h = 0; h < H; ++h)
    for (engine::Index i = 0; i < T; ++i)
      for (engine::Index j = 0; j < T; ++j)
        expected += std::string(j > 0   ? ","
                                : i > 0 ? "],["
                                : h > 0 ? "]],[["
                                        : "[[") +
                    model::fixed_text(double(last.data()[(h * T + i) * T + j]), 3);
  CHECK_THAT(map, Catch::Contains(expected + "]]]"));
  // Of a longer prompt it is that of the beginning.
  const std::string whole = prose(100);
  const std::size_t most =
      engine::unsigned_size(std::min<engine::Index>(24, model.gpt.config.block_size));
  const std::string of_whole = attention(whole.data(), int(whole.size()));
  CHECK(of_whole == attention(whole.data(), int(most)));
  CHECK(of_whole != attention(whole.data(), int(most) - 1));
}

TEST_CASE(
    "page: the token after a prompt is one of the model's, given its last block_size tokens") {
  const std::string text = prose(3000);
  begun(text);
  advance(30, 1e9);
  const model::LoadedModel model = model::load_model(model::SafetensorsFile(saved()));
  const std::size_t block = engine::unsigned_size(model.gpt.config.block_size);
  for (const std::size_t length : {std::size_t(1), block - 1, block, block + 1, 3 * block}) {
    const std::string prompt = text.substr(100, length),
                      last = prompt.substr(length - std::min(length, block));
    const Ids tokens = encode(*model.tokenizer, last);
    const engine::Tensor logits = model.gpt.logits(tokens, 1, std::ssize(tokens));
    // The likeliest, by the model's own forward pass without a cache.
    const engine::Index V = model.tokenizer->vocabulary_size();
    const engine::real* const row = logits.data() + logits.size() - model.gpt.config.vocab_size;
    double sum = 0;
    for (engine::Index id = 0; id < V; ++id) sum += std::exp(double(row[id]));
    const engine::Index best = std::max_element(row, row + V) - row;
    const std::string answer = next_token(prompt.data(), int(prompt.size()), 1, 0, 1);
    INFO(length << " characters: " << answer);
    CHECK(std::stod(answer.substr(answer.find("\"p\":") + 4)) ==
          Approx(std::exp(double(row[best])) / sum).epsilon(1e-4));
    std::string token = "{\"tokens\":[{\"token\":";
    REQUIRE(answer.starts_with(token));
    CHECK(answer.substr(token.size() + 1)
              .starts_with(model.tokenizer->token_bytes(std::int32_t(best))));
  }
}

TEST_CASE("page: at temperature 0 a text is continued in one way, above it in many") {
  begun(prose(3000));
  advance(1, 1e9);
  const auto text = [](double temperature, double seed) {
    return std::string(continue_text("The", 3, 40, temperature, seed));
  };
  CHECK(text(0, 1) == text(0, 2));
  CHECK(text(1, 1) != text(1, 2));
  CHECK(text(1, 1) != text(0.3, 1));
}

TEST_CASE("page: a text that train refuses is refused") {
  const std::string empty = begin("", 0, 1e7), three = begin("abc", 3, 1e7);
  CHECK(value(empty, "error") == "The text is empty.");
  CHECK_THAT(value(three, "error"), Catch::Contains("The text is too short"));
}
