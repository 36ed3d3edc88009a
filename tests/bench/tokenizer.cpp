// Tokenizers and n-grams on the clock:
//
//     make .build/g++-native-float/tests/bench/tokenizer
//     .build/g++-native-float/tests/bench/tokenizer TEXT...
//
// For each text 8,192 BPE merges are trained; then every kind of tokenizer encodes and decodes it,
// and n-grams are counted on its first 20 MB. Then a million equal characters, and a million random
// byte strings there and back. Times are CPU times, so that a busy machine does not matter; memory
// is the most the process has had so far, the text included.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "model/base/system.h"
#include "model/base/utf8.h"
#include "model/baseline/ngram.h"
#include "model/tokenizer/factory.h"
#include "train/system/console.h"

using namespace model;

namespace {

template <class Work>
double seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

double peak_megabytes() { return double(train::system::peak_memory()) / 1e6; }

bool comes_back(const Tokenizer& tokenizer, std::string_view text, const TokenIds& ids) {
  for (Index i = 0; i < ids.size(); ++i) {
    const std::string_view token = tokenizer.token_bytes(ids[i]);
    if (!text.starts_with(token)) return false;
    text.remove_prefix(token.size());
  }
  return text.empty();
}

const char* name_of(TokenizerKind kind) { return engine::name_of(kind).data(); }

void measure(TokenizerKind kind, std::string_view text) try {
  TokenizerHandle tokenizer;
  const double training = seconds([&] { tokenizer = train_tokenizer(kind, text, 256 + 8192); });
  const double peak = peak_megabytes();
  TokenIds ids(tokenizer->vocabulary_size());
  const double encoding = seconds([&] { tokenizer->encode(text, ids); });
  std::printf(
      "  %-4s  %6lld tokens trained in %6.3f s (peak %4.0f MB), encoded at %6.1f MB/s, "
      "%.2f bytes per token, %s\n",
      name_of(kind), static_cast<long long>(tokenizer->vocabulary_size()), training, peak,
      double(text.size()) / 1e6 / std::max(encoding, 1e-6),
      double(text.size()) / double(ids.size()),
      comes_back(*tokenizer, text, ids) ? "comes back" : "DOES NOT COME BACK");
} catch (const engine::Error& error) {
  std::printf("  %-4s  %s\n", name_of(kind), error.what());
}

void measure_ngrams(std::string_view text) {
  const TokenizerHandle tokenizer =
      train_tokenizer(is_nearly_utf8(text) ? TokenizerKind::character : TokenizerKind::byte, text);
  const TokenIds ids = tokenizer->encode(text);
  std::vector<double> losses;
  const double time = seconds([&] {
    losses = ngram_losses(ids, Index(0.9 * double(ids.size())), tokenizer->vocabulary_size());
  });
  std::printf("  n-grams of %.1f MB in %.3f s:", double(text.size()) / 1e6, time);
  for (const double loss : losses) std::printf(" %.4f", loss);
  std::printf("\n");
}

void measure_round_trips(const Tokenizer& tokenizer, int count) {
  std::mt19937 random(1);
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    std::string text(random() % 64, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    const TokenIds ids = tokenizer.encode(text);
    std::vector<std::int32_t> list(std::size_t(ids.size()));
    ids.copy(0, list);
    failures += tokenizer.decode(list) != text;
  }
  std::printf("%d random byte strings through %s: %d failures\n", count, name_of(tokenizer.kind()),
              failures);
}

}  // namespace

int main(int count, char** arguments) {
  std::string trained_on = "the quick brown fox jumps over the lazy dog, and over the quick fox";
  for (int i = 1; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s, %.1f MB\n", arguments[i], double(text.size()) / 1e6);
    for (const TokenizerKind kind :
         {TokenizerKind::bpe, TokenizerKind::character, TokenizerKind::word, TokenizerKind::byte})
      measure(kind, text);
    measure_ngrams(std::string_view(text).substr(0, 20'000'000));
    trained_on = text.substr(0, 1'000'000);
  }

  const std::string equal(1'000'000, 'a');
  TokenizerHandle tokenizer;
  const double training =
      seconds([&] { tokenizer = train_tokenizer(TokenizerKind::bpe, equal, 8448); });
  const double encoding = seconds([&] { tokenizer->encode(equal); });
  std::printf("a million equal characters: trained in %.3f s, encoded in %.3f s\n", training,
              encoding);

  std::mt19937 random(2);
  std::string noise(1'000'000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  for (const std::string_view text : {std::string_view(trained_on), std::string_view(noise)})
    measure_round_trips(*train_tokenizer(TokenizerKind::bpe, text, 8448), 1'000'000);
  measure_round_trips(*train_tokenizer(TokenizerKind::byte, ""), 1'000'000);
}
