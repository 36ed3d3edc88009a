// Tokenizers: losslessness, their ids, their errors, and the way through the model file.
#include "model/tokenizer/factory.h"

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "model/base/utf8.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/model/tokenizer/ids.h"

using namespace model;

namespace {

constexpr TokenizerKind kinds[] = {TokenizerKind::character, TokenizerKind::byte,
                                   TokenizerKind::word, TokenizerKind::bpe};

std::string every_byte() {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  return text;
}

// The first `words` words of two letters, on a line each, `times` times; each is a pair.
std::string pairs(int words, int times) {
  std::string text;
  for (int word = 0; word < words; ++word)
    for (int i = 0; i < times; ++i)
      text += {static_cast<char>('a' + word % 26), static_cast<char>('A' + word / 26), '\n'};
  return text;
}

// Saved and loaded, a tokenizer is the same: same tokens, same ids.
void check_survives(const Tokenizer& tokenizer, std::string_view text) {
  const std::string saved = tokenizer.save();
  CHECK(model::valid_utf8_prefix(saved) == saved.size());
  const TokenizerHandle loaded = load_tokenizer(saved);
  CHECK(loaded->kind() == tokenizer.kind());
  REQUIRE(loaded->vocabulary_size() == tokenizer.vocabulary_size());
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id)
    REQUIRE(loaded->token_bytes(id) == tokenizer.token_bytes(id));
  CHECK(encode(*loaded, text) == encode(tokenizer, text));
  CHECK(loaded->save() == saved);
}

}  // namespace

TEST_CASE("tokenizer: characters have ids in code point order, as in nanoGPT") {
  const std::string text = "hello, wörld 😀\r\n";
  const TokenizerHandle tokenizer = train_tokenizer(TokenizerKind::character, text);
  CHECK(tokenizer->kind() == TokenizerKind::character);
  CHECK(tokenizer->vocabulary_size() == 13);  // \n \r space , d e h l o r w ö 😀
  CHECK(encode(*tokenizer, "\n\r ,dehlorwö😀") == Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(tokenizer->token_bytes(12) == "😀");
  CHECK(tokenizer->decode(encode(*tokenizer, text)) == text);
  check_survives(*tokenizer, text);
}

TEST_CASE("tokenizer: bytes accept everything") {
  const TokenizerHandle tokenizer = train_tokenizer(TokenizerKind::byte, "");
  CHECK(tokenizer->vocabulary_size() == 256);
  CHECK(encode(*tokenizer, every_byte())[200] == 200);
  CHECK(tokenizer->decode(encode(*tokenizer, every_byte())) == every_byte());
  check_survives(*tokenizer, every_byte());
}

TEST_CASE("tokenizer: words are runs of letters and numbers, the rest single characters") {
  const TokenizerHandle tokenizer =
      train_tokenizer(TokenizerKind::word, "Der Bär, der 2 B2-Bären  sah's\n");
  std::vector<std::string> tokens;
  for (Index id = 0; id < tokenizer->vocabulary_size(); ++id)
    tokens.emplace_back(tokenizer->token_bytes(id));
  CHECK(tokens == std::vector<std::string>{"\n", " ", "'", ",", "-", "2", "B2", "Bär", "Bären",
                                           "Der", "der", "s", "sah"});
  CHECK(encode(*tokenizer, "der Bär  sah") == Ids{10, 1, 7, 1, 1, 12});
  check_survives(*tokenizer, "Der Bär, der 2 B2-Bären  sah's\n");
  // Of ASCII, letters and digits alone: an underscore stands between two words, unlike in \w.
  std::string ascii;
  for (char c = ' '; c <= '~'; ++c) ascii += {'a', c, 'b', '\n'};
  const TokenizerHandle of_ascii = train_tokenizer(TokenizerKind::word, ascii);
  for (char c = ' '; c <= '~'; ++c) {
    INFO(c);
    const bool joins = std::isalnum(static_cast<unsigned char>(c)) != 0;
    CHECK(encode(*of_ascii, std::string{'a', c, 'b'}).size() == (joins ? 1 : 3));
  }
}

TEST_CASE("tokenizer: random texts come back byte for byte, line ends and NUL too") {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::string text = "\xEF\xBB\xBF\r\n\n\r";  // a byte-order mark
    for (std::size_t i = random() % 40 + 1; i > 0; --i) {
      const char32_t value = random() >> (random() % 32) & 0x1FFFFF;
      model::append_utf8(text,
                         value < 0xD800 || (value > 0xDFFF && value < 0x110000) ? value : ' ');
    }
    for (const TokenizerKind kind : kinds) {
      const TokenizerHandle tokenizer = train_tokenizer(kind, text, 270);
      REQUIRE(tokenizer->decode(encode(*tokenizer, text)) == text);
      if (round == 0) check_survives(*tokenizer, text);
    }
  }
}

TEST_CASE("tokenizer: what is unknown is named with its offset, or skipped and counted") {
  const struct {
    TokenizerKind kind;
    const char *known, *text, *first;
    Index count;
    Ids rest;
  } cases[] = {{TokenizerKind::character, "abé", "éab😀", "byte 4: U+1F600", 1, {2, 0, 1}},
               {TokenizerKind::character, "abé", "xa😀b\xFFé\xC3", "byte 0: 'x'", 4, {0, 1, 2}},
               {TokenizerKind::character, "abé", "a\xFFx", "byte 1: 0xff is not UTF-8", 2, {0}},
               {TokenizerKind::word, "ein Wort", "ein Zebra", "byte 4: \"Zebra\"", 1, {2, 0}},
               {TokenizerKind::word, "ein Wort", "ein\n", "byte 3: U+000A", 1, {2}},
               {TokenizerKind::word, "ein Wort", "kein Wort\xFF!", "byte 0: \"kein\"", 3, {0, 1}},
               {TokenizerKind::word, "ein Wort", "ein\xFF", "byte 3: 0xff is not UTF-8", 1, {2}}};
  for (const auto& c : cases) {
    INFO(c.text);
    const TokenizerHandle tokenizer = train_tokenizer(c.kind, c.known);
    CHECK_THROWS_WITH(encode(*tokenizer, c.text), Catch::StartsWith(c.first));
    UnknownSymbols unknown;
    CHECK(list(tokenizer->encode(c.text, &unknown)) == c.rest);
    CHECK(unknown.count == c.count);
    CHECK_THAT(unknown.first, Catch::StartsWith(c.first));
  }
}

TEST_CASE("tokenizer: characters, and a token for each distinct broken byte") {
  using namespace std::string_literals;
  const TokenizerHandle tokenizer =
      train_tokenizer(TokenizerKind::character, "b\xff\xc3\xa9\xe9"s + "a\xff");
  CHECK(tokenizer->vocabulary_size() == 5);  // a b é, 0xe9 0xff
  const std::string text = "a\xe9\xc3\xa9\xff\xff"s + "b";
  CHECK(encode(*tokenizer, text) == Ids{0, 3, 2, 4, 4, 1});
  CHECK(tokenizer->decode(encode(*tokenizer, text)) == text);
  CHECK_THROWS(encode(*tokenizer, "a\xfe"));
  CHECK(tokenizer->save() ==
        "{\"kind\":\"char\",\"characters\":\"abé\",\"broken_bytes\":[233,255]}");
  check_survives(*tokenizer, text);
  const auto load = [](const std::string& bytes) {
    return load_tokenizer(R"({"kind":"char","characters":"a","broken_bytes":[)" + bytes + "]}");
  };
  CHECK(load("128,255")->vocabulary_size() == 3);
  for (const char* wrong : {"127", "256", "-1", "200,200", "200,199", "9223372036854775807"})
    CHECK_THROWS_WITH(load(wrong), Catch::Contains("broken byte "));
}

TEST_CASE("tokenizer: what cannot be trained on says why") {
  CHECK_THROWS_WITH(train_tokenizer(TokenizerKind::word, "ab\xFF"), "byte 2: 0xff is not UTF-8");
  CHECK_THROWS_WITH(train_tokenizer(TokenizerKind::word, ""), Catch::StartsWith("no words"));
  CHECK_THROWS_WITH(train_tokenizer(TokenizerKind::character, ""),
                    Catch::StartsWith("no characters"));
}

// bpe_test.cpp: which pairs.
TEST_CASE("tokenizer: bpe learns as many as it is told, else the pairs that occur 30 times") {
  const auto learned = [](const std::string& text, Index size = 0) {
    return train_tokenizer(TokenizerKind::bpe, text, size)->vocabulary_size();
  };
  const std::string rare = pairs(600, 29);
  CHECK(learned(pairs(300, 30) + rare.substr(rare.size() / 2)) == 256 + 300);
  CHECK(learned(rare) == 512);  // at least that many, if pairs occur twice
  CHECK(learned(pairs(100, 2)) == 256 + 100);
  for (const Index size : {257, 513, 932}) CHECK(learned(pairs(676, 2), size) == size);
  CHECK(learned(pairs(676, 2), 2000) == 256 + 676);

  // No more than 6,144: every word of three letters adds a pair to those of two.
  std::string many;
  for (char first = 'a'; first <= 'z'; ++first)
    for (char second = 'a'; second <= 'z'; ++second)
      for (char third = 'a'; third <= 'i'; ++third)
        for (int i = 0; i < 30; ++i) many += {first, second, third, '\n'};
  CHECK(learned(many) == 6144);
}

TEST_CASE("tokenizer: an id outside the vocabulary is an error") {
  const TokenizerHandle tokenizer = train_tokenizer(TokenizerKind::character, "abc");
  CHECK_THROWS_WITH(tokenizer->token_bytes(3), "token 3 is outside the vocabulary of 3");
  CHECK_THROWS_WITH(tokenizer->token_bytes(-1), "token -1 is outside the vocabulary of 3");
}

TEST_CASE("tokenizer: what was saved is not trusted") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "byte 0: expected a value"},
      {"[]", "byte 0: expected an object"},
      {"{}", R"(byte 0: this object has no "kind")"},
      {R"({"kind":"x"})", R"(unknown kind "x")"},
      {R"({"kind":"char"})", R"(byte 0: this object has no "characters")"},
      {R"({"kind":"char","characters":""})", "no characters"},
      {R"({"kind":"char","characters":"aba"})", "byte 2: 'a' is not greater"},
      {R"({"kind":"char","characters":"aa"})", "byte 1: 'a' is not greater"},
      {R"({"kind":"word","words":[]})", "no words"},
      {R"({"kind":"word","words":["a b"]})", "token 0 is not one word"},
      {R"({"kind":"word","words":["a",""]})", "token 1 is not one word"},
      {R"({"kind":"word","words":["ab","ab"]})", R"(token 1, "ab", is not greater)"}};
  for (const auto& [saved, says] : cases)
    CHECK_THROWS_WITH(load_tokenizer(saved), Catch::StartsWith(std::string("tokenizer: ") + says));
}

TEST_CASE("token ids: 16 bits for 65,536 tokens, 32 above, and windows of both") {
  for (const Index vocabulary : {65536, 65537}) {
    TokenIds ids(vocabulary);
    for (std::int32_t id = 0; id < vocabulary; ++id) ids.push_back(id);
    CHECK(ids.size() == vocabulary);
    CHECK(ids[vocabulary - 1] == vocabulary - 1);
    Ids window(3);
    ids.copy(65533, window);
    CHECK(window == Ids{65533, 65534, 65535});
  }
}

TEST_CASE("tokenizer: documents are kept apart by a token of their own") {
  const std::string_view texts[] = {"a||b||", "||", "", "c|d"};
  CHECK(documents(texts, "||") == std::vector<std::string_view>{"a", "b", "", "", "", "", "c|d"});
  const std::string_view text = "one<|>two<|><|>\xC3\xA9 three";
  const std::vector<std::string_view> pieces = documents(std::span(&text, 1), "<|>");
  for (const TokenizerKind kind : kinds) {
    INFO(engine::name_of(kind));
    const TokenizerHandle plain = train_tokenizer(kind, pieces, 260);
    const DocumentTokenizer tokenizer(plain, "<|>");
    CHECK(tokenizer.kind() == kind);
    CHECK(tokenizer.vocabulary_size() == plain->vocabulary_size() + 1);
    CHECK(tokenizer.end_of_text() == plain->vocabulary_size());
    CHECK_FALSE(plain->end_of_text());
    const Ids ids = list(tokenizer.encode(text));
    CHECK(tokenizer.decode(ids) == text);
    CHECK(std::ranges::count(ids, *tokenizer.end_of_text()) == 3);
    // Between separators it is the plain tokenizer's ids.
    Ids joined;
    for (const std::string_view piece : pieces) {
      if (piece.data() != text.data()) joined.push_back(*tokenizer.end_of_text());
      for (const std::int32_t id : list(plain->encode(piece))) joined.push_back(id);
    }
    CHECK(ids == joined);
    check_survives(tokenizer, text);
    CHECK(load_tokenizer(tokenizer.save())->end_of_text() == tokenizer.end_of_text());
  }
  // A part of a separator is text, and offsets are those of the whole.
  const DocumentTokenizer chars(train_tokenizer(TokenizerKind::character, pieces), "<|>");
  CHECK_THROWS_WITH(chars.encode("one<|>two<"), "byte 9: '<' is not in the vocabulary");
  CHECK_THROWS_WITH(chars.encode("one<|>two\xFF"), "byte 9: 0xff is not UTF-8");
  const DocumentTokenizer words(train_tokenizer(TokenizerKind::word, pieces), "<|>");
  CHECK_THROWS_WITH(words.encode("one<|>six"), "byte 6: \"six\" is not in the vocabulary");
  UnknownSymbols unknown;
  CHECK(chars.decode(list(chars.encode("<<|>one|", &unknown))) == "<|>one");
  CHECK(unknown.count == 2);
}

TEST_CASE("tokenizer: a separator that is a token already keeps its id") {
  const DocumentTokenizer bytes(train_tokenizer(TokenizerKind::byte, ""), "\n");
  CHECK(bytes.vocabulary_size() == 256);
  CHECK(bytes.end_of_text() == 10);
  CHECK(list(bytes.encode("a\nb")) == Ids{97, 10, 98});
  CHECK_THROWS_WITH(DocumentTokenizer(train_tokenizer(TokenizerKind::byte, ""), ""),
                    "the document separator is empty");
}

TEST_CASE("tokenizer: whether a separator ends texts is saved; in older files it does") {
  const DocumentTokenizer ends(train_tokenizer(TokenizerKind::byte, ""), "x"),
      bare(train_tokenizer(TokenizerKind::byte, ""), "x", false);
  CHECK_THROWS_WITH(DocumentTokenizer(nullptr, "x"), Catch::Contains("null"));
  CHECK(ends.save() == R"({"kind":"documents","separator":"x","of":{"kind":"byte"}})");
  CHECK(bare.save() ==
        R"({"kind":"documents","separator":"x","ends_texts":false,"of":{"kind":"byte"}})");
  CHECK(load_tokenizer(ends.save())->appends_end_of_text());
  const TokenizerHandle loaded = load_tokenizer(bare.save());
  CHECK_FALSE(loaded->appends_end_of_text());
  CHECK(loaded->end_of_text() == 120);
  CHECK(loaded->save() == bare.save());
  CHECK_FALSE(load_tokenizer(R"({"kind":"byte"})")->appends_end_of_text());
}

TEST_CASE("tokenizer: a saved separator is not trusted") {
  const TokenizerHandle space =
      load_tokenizer(R"({"kind":"documents","separator":"\u0120","of":{"kind":"byte"}})");
  CHECK(space->end_of_text() == 32);
  for (const char* saved :
       {R"({"kind":"documents","separator":"","of":{"kind":"byte"}})",
        R"({"kind":"documents","separator":" ","of":{"kind":"byte"}})",
        R"({"kind":"documents","separator":"x"})", R"({"kind":"documents","of":{"kind":"byte"}})",
        R"({"kind":"documents","separator":"x","of":"byte"})",
        R"({"kind":"documents","separator":"x","of":{"kind":"documents",
                                "separator":"y","of":{"kind":"byte"}}})"}) {
    INFO(saved);
    CHECK_THROWS_AS(load_tokenizer(saved), engine::Error);
  }
}

TEST_CASE("tokenizer: many short documents take no longer than a long one") {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "ab\n";
  const DocumentTokenizer tokenizer(train_tokenizer(TokenizerKind::character, "ab"), "\n");
  CHECK(tokenizer.encode(text).size() == 600'000);  // minutes, if each allocated memory
}
