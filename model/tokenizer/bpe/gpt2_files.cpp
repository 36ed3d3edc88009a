#include "model/tokenizer/bpe/gpt2_files.h"

#include <array>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/utf8.h"

namespace model {

using engine::append_utf8;
using engine::check;
using engine::checked_code_point;
using engine::code_point_name;
using engine::CodePoint;
using engine::fail;
using engine::in_quotes;

namespace {

constexpr int last_printable = 0x143;  // the last of 68 characters from U+0100 on

struct Alphabet {
  std::array<char32_t, 256> character_of;
  std::array<int, last_printable + 1> byte_of;  // -1: none
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet{};
  for (int& byte : alphabet.byte_of) byte = -1;
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const bool visible = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    const char32_t character = visible ? static_cast<char32_t>(byte) : next++;
    engine::at(alphabet.character_of, byte) = character;
    alphabet.byte_of[character] = byte;
  }
  return alphabet;
}

constexpr Alphabet alphabet = make_alphabet();

// Returns read(). Its errors begin with `where`.
auto within(std::string_view where, auto read) try {
  return read();
} catch (const engine::Error& error) {
  fail(where, ": ", error.what());
}

std::vector<std::string> read_vocabulary(std::string_view vocab_json) {
  const Json json(vocab_json);
  const Json::Value root = json.root();
  const std::int64_t size = root.size();
  std::vector<std::string> tokens(engine::unsigned_size(size));
  for (const Json::Value member : root.members()) {
    const std::int64_t id = member.integer();
    check(0 <= id && id < size, "byte ", member.offset(), ": id ", id, ", expected each of 0..",
          size - 1, " once");
    std::string& token = engine::at(tokens, id);
    check(token.empty(), "byte ", member.offset(), ": second token with the id ", id);
    token = bytes_of_printable(member.key());
    check(!token.empty(), "byte ", member.offset(), ": token ", id, " is empty");
  }
  return tokens;
}

std::vector<Merge> read_merges(std::string_view merges_txt,
                               const std::vector<std::string>& tokens) {
  StringIndex ids;
  ids.reserve(std::ssize(tokens));
  for (const std::string& token : tokens) ids.insert(token);

  std::vector<Merge> merges;
  for (std::size_t begin = 0, number = 1; begin < merges_txt.size(); ++number) {
    const std::size_t end = std::min(merges_txt.find('\n', begin), merges_txt.size());
    std::string_view line = merges_txt.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;

    const std::size_t space = line.find(' ');
    check(space != line.npos, "line ", number, ": expected two tokens with a space between them");
    const auto id = [&](std::string_view printable) {
      const Index found = ids.find(bytes_of_printable(printable));
      check(found >= 0, in_quotes(printable), " is not in vocab.json");
      return static_cast<std::int32_t>(found);
    };
    try {
      merges.push_back({id(line.substr(0, space)), id(line.substr(space + 1))});
    } catch (const engine::Error& error) {
      fail("line ", number, ": ", error.what());
    }
  }
  return merges;
}

}  // namespace

std::string printable_bytes(std::string_view bytes) {
  std::string printable;
  for (const char byte : bytes)
    append_utf8(printable, alphabet.character_of[static_cast<unsigned char>(byte)]);
  return printable;
}

std::string bytes_of_printable(std::string_view printable) {
  std::string bytes;
  for (std::size_t at = 0; at < printable.size();) {
    const CodePoint point = checked_code_point(printable, at);
    const int byte = point.value <= last_printable ? alphabet.byte_of[point.value] : -1;
    if (byte < 0) fail(code_point_name(point.value), " in a token stands for no byte");
    bytes += static_cast<char>(byte);
    at += point.size();
  }
  return bytes;
}

std::shared_ptr<const BpeTokenizer> read_gpt2_tokenizer(std::string_view vocab_json,
                                                        std::string_view merges_txt) {
  const auto tokens = within("vocab.json", [&] { return read_vocabulary(vocab_json); });
  auto merges = within("merges.txt", [&] { return read_merges(merges_txt, tokens); });
  return within("vocab.json and merges.txt",
                [&] { return std::make_shared<BpeTokenizer>(tokens, std::move(merges)); });
}

std::string gpt2_vocab_json(const Tokenizer& tokenizer) {
  std::string json = "{";
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (id > 0) json += ", ";
    json += json_string(printable_bytes(tokenizer.token_bytes(id))) + ": " + std::to_string(id);
  }
  return json + "}\n";
}

std::string gpt2_merges_txt(const BpeTokenizer& tokenizer) {
  std::string text = "#version: 0.2\n";
  for (const auto [left, right] : tokenizer.merges())
    text += printable_bytes(tokenizer.token_bytes(left)) + ' ' +
            printable_bytes(tokenizer.token_bytes(right)) + '\n';
  return text;
}

}  // namespace model
