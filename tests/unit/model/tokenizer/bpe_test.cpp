// Byte-pair encoding: GPT-2's splitting rule against the regular expression, training against a
// trainer that counts everything again each time, encoding against GPT-2's own loop, and its two
// files.
#include "model/base/text.h"
#include "model/format/json_writer.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/base/utf8.h"
#include "model/exchange/byte_level.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "model/tokenizer/bpe/split.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "model/tokenizer/unicode.h"
#include "tests/catch.h"
#include "tests/unit/model/error.h"
#include "tests/unit/model/tokenizer/ids.h"

using namespace model;

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> chunks;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = gpt2_chunk_end(text, begin);
    chunks.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return chunks;
}

Ids joined(const Ids& ids, Pair pair, std::int32_t token) {
  Ids out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool match = i + 1 < ids.size() && ids[i] == pair.first && ids[i + 1] == pair.second;
    out.push_back(match ? token : ids[i]);
    i += match;
  }
  return out;
}

Ids bytes_of(std::string_view text) {
  Ids ids;
  for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
  return ids;
}

// The definition: count all pairs, join the best, start again.
std::vector<Pair> plain_training(std::string_view text, int count, int at_least) {
  std::vector<Ids> chunks;
  for (const std::string& chunk : split(text)) chunks.push_back(bytes_of(chunk));
  std::vector<Pair> merges;
  while (std::ssize(merges) < count) {
    std::map<Pair, int> counts;
    for (const Ids& chunk : chunks)
      for (std::size_t i = 0; i + 1 < chunk.size(); ++i) ++counts[{chunk[i], chunk[i + 1]}];
    Pair best;
    int most = 1;
    for (const auto& [pair, times] : counts)
      if (times > most) best = pair, most = times;
    if (most < at_least) break;
    for (Ids& chunk : chunks) chunk = joined(chunk, best, std::int32_t(256 + merges.size()));
    merges.push_back(best);
  }
  return merges;
}

// GPT-2's encoder: join all places of the pair with the earliest merge until there is none.
Ids plain_encoding(const BpeTokenizer& tokenizer, std::string_view text) {
  std::map<std::string, std::int32_t> ids;
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id)
    ids[std::string(tokenizer.token_bytes(id))] = std::int32_t(id);
  Ids out;
  for (const std::string& chunk : split(text)) {
    Ids tokens;
    for (const char byte : chunk) tokens.push_back(ids.at({byte}));
    for (std::size_t rank = 0; rank < tokenizer.merges().size();) {
      const auto [left, right] = tokenizer.merges()[rank];
      const std::string made =
          std::string(tokenizer.token_bytes(left)) + std::string(tokenizer.token_bytes(right));
      const std::size_t before = tokens.size();
      tokens = joined(tokens, {left, right}, ids.at(made));
      rank = tokens.size() < before ? 0 : rank + 1;
    }
    out.insert(out.end(), tokens.begin(), tokens.end());
  }
  return out;
}

std::string random_text(std::mt19937& random, std::size_t size, std::string_view alphabet) {
  std::string text;
  while (text.size() < size) text += alphabet[random() % alphabet.size()];
  return text;
}

std::vector<std::string> byte_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  return tokens;
}

auto trained(std::string_view text, Index vocabulary_size) {
  return BpeTokenizer::train(std::span(&text, 1), vocabulary_size);
}

std::vector<Pair> merges_of(std::string_view text, Index count, Index at_least = 2,
                            Index min_count = 0) {
  std::vector<Pair> merges;
  for (const auto [left, right] : train_bpe(std::span(&text, 1), count, at_least, min_count))
    merges.emplace_back(left, right);
  return merges;
}

}  // namespace

TEST_CASE("unicode: classes of code points, as many as there are and each where it is") {
  Index letters = 0, numbers = 0, spaces = 0;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    letters += character_class(code) == CharacterClass::letter;
    numbers += character_class(code) == CharacterClass::number;
    spaces += character_class(code) == CharacterClass::space;
  }
  // Of Unicode 17: `len(regex.findall(r"\p{L}", every_code_point))` and so on.
  CHECK(letters == 145672);
  CHECK(numbers == 1924);
  CHECK(spaces == 25);

  const auto all = [](std::u32string_view text, CharacterClass expected) {
    for (const char32_t code : text) {
      INFO(model::code_point_name(code));
      CHECK(character_class(code) == expected);
    }
  };
  all(U"azAZªµºÀöØʰαЯאعकกあア漢한\U00020000\U0001D400", CharacterClass::letter);
  all(U"09²¼٣०৪Ⅷ①〇𝟘", CharacterClass::number);
  all(U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000",
      CharacterClass::space);
  all(U"@[`{×÷_'!\u0000\u001C\u001F\u007F\u00AD\u0301\u093E\u180E\u200B\u2060\uFEFF€😀\U0010FFFF",
      CharacterClass::other);
}

TEST_CASE("bpe: chunks are those of GPT-2's regular expression") {
  std::ifstream file("tests/reference/gpt2_split.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json json(text);
  CHECK(json.root().size() > 200);
  for (const Json::Value row : json.root().elements()) {
    std::vector<std::string> expected;
    std::string whole;
    for (const Json::Value chunk : row.elements()) {
      expected.emplace_back(chunk.string());
      whole += expected.back();
    }
    INFO(model::in_quotes(whole));
    CHECK(split(whole) == expected);
  }
}

// ` ?\p{N}+`, ` ?\p{L}+` and so on: a run is a chunk, however long. (Later GPTs cut digits in threes.)
TEST_CASE("bpe: runs of digits, letters, signs and spaces of any length are one chunk") {
  for (const std::size_t length : {1u, 2u, 3u, 4u, 5u, 17u, 300u})
    for (const char character : {'7', 'a', '#'}) {
      const std::string run(length, character);
      CHECK(split(run + " " + run) == std::vector<std::string>{run, " " + run});
    }
  CHECK(split("in 1234567,89") == std::vector<std::string>{"in", " 1234567", ",", "89"});
  CHECK(split("a" + std::string(300, ' ') + "b") ==
        std::vector<std::string>{"a", std::string(299, ' '), " b"});
  CHECK(split("ab\xFF\x80 \xC3") == std::vector<std::string>{"ab", "\xFF\x80", " \xC3"});
}

TEST_CASE("bpe: training joins the pairs that counting everything again would") {
  std::mt19937 random(2);
  const std::string_view alphabets[] = {"ab", "aaab ", "abcdefgh  \n", "xyz'st 019!?", "a"};
  for (int round = 0; round < 200; ++round) {
    const std::string_view alphabet = alphabets[std::size_t(round) % std::size(alphabets)];
    const std::string text = random_text(random, random() % 400 + 1, alphabet);
    INFO("round " << round << ": " << text);
    for (const int at_least : {2, 3, 10})
      for (const int min_count : {0, 1, 7, 100}) {
        const std::vector<Pair> merges = merges_of(text, 100, at_least, min_count);
        // Those that occur often enough, or the first of those that occur twice, whichever are more.
        const std::vector<Pair> often = plain_training(text, 100, at_least),
                                first = plain_training(text, min_count, 2);
        REQUIRE(merges == (often.size() > first.size() ? often : first));
      }
  }
}

TEST_CASE("bpe: encoding gives the tokens of GPT-2's own loop") {
  std::mt19937 random(3);
  std::string every_byte;
  for (const std::string& byte : byte_tokens()) every_byte += byte;
  const std::string alphabets[] = {"abc ", "etaoin shrdlu'  \n1", every_byte};
  for (int round = 0; round < 90; ++round) {
    const std::string& alphabet = alphabets[round % 3];
    const auto tokenizer = trained(random_text(random, 600, alphabet), 256 + 60);
    const std::string text =
        random_text(random, 300, alphabet) + random_text(random, 50, every_byte);
    INFO("round " << round << ": " << model::in_quotes(text));
    REQUIRE(encode(*tokenizer, text) == plain_encoding(*tokenizer, text));
    REQUIRE(tokenizer->decode(encode(*tokenizer, text)) == text);
  }
}

TEST_CASE("bpe: encoding gives the tokens of GPT-2's own loop for merges in any order") {
  // Tokens that several merges make, merges listed before those that make their parts.
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> tokens = byte_tokens();
    for (const char* token : {"ab", "ba", "aa", "bb", "aba", "abb", "baa", "aab", "abab", "aaa"})
      tokens.emplace_back(token);
    std::map<std::string, std::int32_t> ids;
    for (std::size_t id = 0; id < tokens.size(); ++id) ids[tokens[id]] = std::int32_t(id);
    std::vector<Merge> merges;
    for (std::size_t id = 256; id < tokens.size(); ++id)
      for (std::size_t cut = 1; cut < tokens[id].size(); ++cut)
        if (ids.count(tokens[id].substr(0, cut)) && ids.count(tokens[id].substr(cut)))
          merges.push_back({ids[tokens[id].substr(0, cut)], ids[tokens[id].substr(cut)]});
    std::shuffle(merges.begin(), merges.end(), random);
    const BpeTokenizer tokenizer(tokens, merges);
    const std::string text = random_text(random, 60, "aabb ");
    INFO("round " << round << ": " << text);
    REQUIRE(encode(tokenizer, text) == plain_encoding(tokenizer, text));
  }
}

TEST_CASE("bpe: texts with little to offer give small vocabularies") {
  CHECK(trained("", 1000)->vocabulary_size() == 256);
  CHECK(trained("a", 1000)->vocabulary_size() == 256);
  CHECK(trained("abcabd", 1000)->vocabulary_size() == 257);
  CHECK(trained("abab abab", 256)->vocabulary_size() == 256);
  CHECK_THROWS_WITH(trained("abc", 255), Catch::StartsWith("vocab_size 255 is too small"));
}

TEST_CASE("bpe: a million equal characters take no time to speak of") {
  const std::string text(1'000'000, 'a');
  const auto start = std::chrono::steady_clock::now();
  const auto tokenizer = trained(text, 300);
  const Ids ids = encode(*tokenizer, text);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(tokenizer->decode(ids) == text);
  CHECK(tokenizer->token_bytes(257).size() == 4);  // aa, aaaa, ...
  // About 0.3 s; a pass over the text per merge or per token would take minutes. The allowance is
  // for sanitizers and busy machines.
  CHECK(seconds.count() < 15);
}

TEST_CASE("bpe: in GPT-2's files a separator is a token like any other, whatever is in it") {
  const auto tokenizer = trained("low lower lowest, new newer newest", 260);
  const ByteLevel separated = byte_level(DocumentTokenizer(tokenizer, "\n---\n x"));
  const auto again = read_gpt2_tokenizer(vocab_json(separated), merges_txt(separated));
  CHECK(again->token_bytes(260) == "\n---\n x");
}

TEST_CASE("bpe: a tokenizer in GPT-2's own order, with a token nothing makes") {
  // GPT-2 numbers visible bytes first: ! is 0, the space 220, and the merges follow from 256.
  std::string vocab = "{", characters;
  int id = 0;
  for (const bool visible : {true, false})
    for (const std::string& byte : byte_tokens()) {
      const std::string written = printable_bytes(byte);
      if (visible != (model::first_code_point(written).value < 0x100)) continue;
      vocab += json_string(written) + ":" + std::to_string(id++) + ",";
    }
  vocab += R"("Ġt":256,"Ġa":257,"he":258,"Ġthe":259,"<|endoftext|>":260})";
  const std::string merges = "#version: 0.2\r\nĠ t\r\nĠ a\r\nh e\r\nĠt he\r\n";
  const auto tokenizer = read_gpt2_tokenizer(vocab, merges);
  CHECK(tokenizer->vocabulary_size() == 261);
  CHECK(tokenizer->token_bytes(0) == "!");
  CHECK(tokenizer->token_bytes(220) == " ");
  CHECK(tokenizer->token_bytes(260) == "<|endoftext|>");
  CHECK(encode(*tokenizer, " the a!") == Ids{259, 257, 0});
  CHECK(tokenizer->decode(encode(*tokenizer, "<|endoftext|>")) == "<|endoftext|>");
  CHECK(encode(*tokenizer, "<|endoftext|>")[0] != 260);
  CHECK(load_tokenizer(tokenizer->save())->save() == tokenizer->save());
}

TEST_CASE("bpe: files of GPT-2 that are wrong are refused with the place") {
  const auto error = [](std::string vocab, std::string_view merges) {
    // 256 bytes first, then what is given.
    std::string bytes = "{";
    for (const std::string& byte : byte_tokens())
      bytes += json_string(printable_bytes(byte)) + ":" +
               std::to_string(static_cast<unsigned char>(byte[0])) + ",";
    if (vocab.starts_with("+")) vocab.replace(0, 1, bytes);
    return error_of([&] { read_gpt2_tokenizer(vocab, merges); });
  };
  const std::string good = R"(+"ab":256,"abc":257})";
  CHECK(error(good, "#version: 0.2\na b\nab c\n") == "accepted");
  CHECK(error(good, "a b\n\nab c") == "accepted");
  const struct {
    std::string vocab;
    const char *merges, *expected;
  } cases[] = {
      {good, "a b\nab d\n", "vocab.json and merges.txt: merge 1 of tokens 256 and 100 makes no"},
      {good, "a b\na b\n", "vocab.json and merges.txt: merge 1 of tokens 97 and 98 is there twice"},
      {good, "a b\nabx c\n", "merges.txt: line 2: \"abx\""},
      {good, "ab\n", "merges.txt: line 1: expected two tokens"},
      {good, "a b c\n", "merges.txt: line 1: ' ' in a token stands for no byte"},
      {good, "a b\n#version: 0.2\n", "merges.txt: line 2: \"#version:\""},
      {"[]", "", "vocab.json: byte 0: expected an object"},
      {"{}", "", "vocab.json and merges.txt: no token for the byte 0"},
      {R"({"a":1})", "", "vocab.json: byte 5: id 1,"},
      {R"({"a":-1})", "", "vocab.json: byte 5: id -1,"},
      {R"({"a":0,"b":0})", "", "vocab.json: byte 11: second token with the id 0"},
      {R"({"":0})", "", "vocab.json: byte 4: token 0 is empty"},
      {R"({"😀":0})", "", "vocab.json: U+1F600 in a token stands for no byte"},
      {R"({"a":"x"})", "", "vocab.json: byte 5: expected an integer"}};
  for (const auto& c : cases) {
    INFO(c.vocab << ' ' << c.merges);
    CHECK_THAT(error(c.vocab, c.merges), Catch::StartsWith(c.expected));
  }
}

TEST_CASE("bpe: what was saved is not trusted") {
  const std::string saved = trained("abab cdcd", 258)->save();
  const auto error = [&](std::string_view from, std::string_view to) {
    std::string changed = saved;
    REQUIRE(changed.find(from) != changed.npos);
    changed.replace(changed.find(from), from.size(), to);
    return error_of([&] { load_tokenizer(changed); });
  };
  CHECK(error("[97,98", "[97,98") == "accepted");
  CHECK_THAT(error("[97,98", "[97,258"), Catch::Contains(": merge of token 258,"));
  CHECK_THAT(error("[97,98", "[97,-1"), Catch::Contains(": merge of token -1,"));
  CHECK_THAT(error("[97,98,", "[97,"), Catch::StartsWith("tokenizer: an odd number"));
  CHECK_THAT(error("\"b\",", "\"a\","), Catch::StartsWith("tokenizer: token 98 has the same"));
  CHECK_THAT(error("\"b\",", "\"\","), Catch::StartsWith("tokenizer: token 98 is empty"));
  CHECK_THAT(error("\"merges\"", "\"Merges\""), Catch::EndsWith("no \"merges\""));
}
