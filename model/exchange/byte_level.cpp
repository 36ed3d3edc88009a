#include "model/exchange/byte_level.h"

#include <algorithm>
#include <cstdint>

#include "model/base/files.h"
#include "model/base/hash_map.h"
#include "model/base/utf8.h"
#include "model/format/json.h"
#include "model/format/json_writer.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"

namespace model {

using engine::at;

std::string ByteLevel::text(Index id) const {
  return id == end_of_text ? at(tokens, id) : printable_bytes(at(tokens, id));
}

std::string ByteLevel::text(const Merge& merge) const {
  return text(merge.left) + ' ' + text(merge.right);
}

ByteLevel byte_level(const Tokenizer& tokenizer) {
  const auto* const documents = dynamic_cast<const DocumentTokenizer*>(&tokenizer);
  const Tokenizer& inner = documents ? *documents->inner() : tokenizer;
  ByteLevel result;
  result.end_of_text = tokenizer.end_of_text();
  result.appends_end_of_text = tokenizer.appends_end_of_text();
  check(inner.kind() != TokenizerKind::word,
        "no other program has this tokenizer of words; train with --tokenizer byte or bpe");
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const std::string_view token = tokenizer.token_bytes(id);
    check(inner.kind() != TokenizerKind::character || id == result.end_of_text || token.size() == 1,
          "other programs have no tokens for characters of several bytes, such as ",
          in_quotes(token), "; train with --tokenizer byte or bpe");
    check(id != result.end_of_text || valid_utf8_prefix(token) == token.size(),
          "the document separator, ", in_quotes(token), ", is not UTF-8");
    result.tokens.emplace_back(token);
  }
  if (const auto end = result.end_of_text)
    for (Index id = 0; id < std::ssize(result.tokens); ++id)
      check(id == end || result.text(id) != at(result.tokens, *end), "the document separator, ",
            in_quotes(at(result.tokens, *end)), ", is the name of another token, ",
            in_quotes(at(result.tokens, id)), ", in files of other programs; train with another");
  if (const auto* const bpe = dynamic_cast<const BpeTokenizer*>(&inner))
    result.merges = bpe->merges();
  return result;
}

namespace {

// Whether the tokens [0, count) are the bytes 0, 1, ..., 255.
bool are_all_bytes(const std::vector<std::string>& tokens, Index count) {
  if (count != 256) return false;
  for (Index byte = 0; byte < count; ++byte)
    if (at(tokens, byte) != std::string(1, static_cast<char>(byte))) return false;
  return true;
}

// Characters of one byte, then broken bytes, as a CharTokenizer orders them.
TokenizerHandle make_char_tokenizer(const std::vector<std::string>& tokens, Index count) {
  std::string characters;
  std::vector<Index> broken_bytes;
  for (Index id = 0; id < count; ++id) {
    const int byte = static_cast<unsigned char>(at(tokens, id)[0]);
    if (byte < 0x80) {
      check(broken_bytes.empty(), "token ", id, ", ", in_quotes(at(tokens, id)),
            ", is not in the order of the bytes");
      characters += at(tokens, id);
    } else {
      broken_bytes.push_back(byte);
    }
  }
  return std::make_shared<CharTokenizer>(characters, broken_bytes);
}

}  // namespace

TokenizerHandle tokenizer_of(const ByteLevel& byte_level) {
  const std::vector<std::string>& tokens = byte_level.tokens;
  const Index size = std::ssize(tokens);
  // If the end-of-text token is the last one, the inner tokenizer may not have it.
  const bool separate = byte_level.end_of_text && *byte_level.end_of_text == size - 1;
  const Index count = separate ? size - 1 : size;
  const bool are_bytes = std::all_of(tokens.data(), tokens.data() + count,
                                     [](const std::string& token) { return token.size() == 1; });
  TokenizerHandle inner;
  if (byte_level.merges.empty() && are_bytes && are_all_bytes(tokens, count))
    inner = std::make_shared<ByteTokenizer>();
  else if (byte_level.merges.empty() && are_bytes && count < 256)
    inner = make_char_tokenizer(tokens, count);
  else
    inner = std::make_shared<BpeTokenizer>(tokens, byte_level.merges);
  if (!byte_level.end_of_text) return inner;
  return std::make_shared<DocumentTokenizer>(inner, at(tokens, *byte_level.end_of_text),
                                             byte_level.appends_end_of_text);
}

// --- Files ---------------------------------------------------------------------------------------

namespace {

// text_of(token): how the file writes it.
JsonObject vocabulary(const ByteLevel& tokens, auto text_of) {
  JsonObject json;
  for (Index id = 0; id < std::ssize(tokens.tokens); ++id) json.add(text_of(id), id);
  return json;
}

// Sets the token of this id, which must be below tokens.size() and not be set already.
void set_token(std::vector<std::string>& tokens, Json::Value from, std::int64_t id,
               std::string bytes) {
  check(0 <= id && id < std::ssize(tokens), "byte ", from.offset(), ": id ", id,
        ", expected each of 0..", tokens.size() - 1, " once");
  std::string& token = at(tokens, id);
  check(token.empty(), "byte ", from.offset(), ": second token with the id ", id);
  check(!bytes.empty(), "byte ", from.offset(), ": token ", id, " is empty");
  token = std::move(bytes);
}

// The tokens' ids by their bytes.
TextMap<Index> ids_of(const std::vector<std::string>& tokens) {
  TextMap<Index> ids;
  ids.reserve(std::ssize(tokens));
  for (const std::string& token : tokens) ids.insert(token, ids.size());
  return ids;
}

std::vector<std::string> read_vocabulary(std::string_view vocab_json) {
  const Json json(vocab_json);
  const Json::Value root = json.root();
  std::vector<std::string> tokens(unsigned_size(root.size()));
  for (const Json::Value member : root.members())
    set_token(tokens, member, member.integer(), bytes_of_printable(member.key()));
  return tokens;
}

std::vector<Merge> read_merges(std::string_view merges_txt,
                               const std::vector<std::string>& tokens) {
  const TextMap<Index> ids = ids_of(tokens);
  std::vector<Merge> merges;
  for (std::size_t begin = 0, number = 1; begin < merges_txt.size(); ++number) {
    const std::size_t end = std::min(merges_txt.find('\n', begin), merges_txt.size());
    std::string_view line = merges_txt.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const auto id = [&](std::string_view side) {
      const Index* found = ids.find(bytes_of_printable(side));
      check(found != nullptr, in_quotes(side), " is not in vocab.json");
      return static_cast<std::int32_t>(*found);
    };
    const auto read = [&] {
      const std::size_t space = line.find(' ');
      check(space != line.npos, "expected two tokens with a space between them");
      merges.push_back({id(line.substr(0, space)), id(line.substr(space + 1))});
    };
    within(read, "line ", number);
  }
  return merges;
}

}  // namespace

std::string vocab_json(const ByteLevel& tokens) {
  const auto text_of = [&](Index id) { return printable_bytes(at(tokens.tokens, id)); };
  return vocabulary(tokens, text_of).text();
}

std::string merges_txt(const ByteLevel& tokens) {
  std::string text = "#version: 0.2\n";
  for (const auto [left, right] : tokens.merges)
    text += printable_bytes(at(tokens.tokens, left)) + ' ' +
            printable_bytes(at(tokens.tokens, right)) + '\n';
  return text;
}

std::shared_ptr<const BpeTokenizer> read_gpt2_tokenizer(std::string_view vocab_json,
                                                        std::string_view merges_txt) {
  const auto tokens = within([&] { return read_vocabulary(vocab_json); }, "vocab.json");
  auto merges = within([&] { return read_merges(merges_txt, tokens); }, "merges.txt");
  return within([&] { return std::make_shared<BpeTokenizer>(tokens, std::move(merges)); },
                "vocab.json and merges.txt");
}

// "use_regex" is GPT-2's split. The vocabulary has the end-of-text token under its own text, so
// that the library finds the token of that id instead of adding one.
std::string tokenizer_json(const ByteLevel& tokens) {
  std::vector<JsonObject> added;
  if (const auto id = tokens.end_of_text)
    added.push_back(JsonObject().add("id", *id, "content", tokens.text(*id), "single_word", false,
                                     "lstrip", false, "rstrip", false, "normalized", false,
                                     "special", true));
  const auto by_bytes = [](bool prefix) {
    return JsonObject().add("type", "ByteLevel", "add_prefix_space", prefix, "trim_offsets", true,
                            "use_regex", true);
  };
  const auto vocab = vocabulary(tokens, [&](Index id) { return tokens.text(id); });
  const auto merge = [&](Index i) { return tokens.text(at(tokens.merges, i)); };
  JsonObject model;
  model.add("type", "BPE", "dropout", nullptr, "unk_token", nullptr, "continuing_subword_prefix",
            "", "end_of_word_suffix", "", "fuse_unk", false, "byte_fallback", false, "vocab", vocab,
            "merges", json_array(std::ssize(tokens.merges), merge));
  return JsonObject()
      .add("version", "1.0", "truncation", nullptr, "padding", nullptr, "added_tokens",
           json_array(added), "normalizer", nullptr, "pre_tokenizer", by_bytes(false),
           "post_processor", nullptr, "decoder", by_bytes(true), "model", model)
      .text();
}

namespace {

bool is_null(std::optional<Json::Value> value) {
  return !value || value->type() == Json::Type::null;
}

bool is_true(Json::Value object, std::string_view key, bool otherwise) {
  const auto value = object.find(key);
  return is_null(value) ? otherwise : value->boolean();
}

// Refuses settings that would split a text differently from GPT-2's tokenizer.
void check_is_gpt2s(Json::Value root, Json::Value model) {
  const auto type = [](Json::Value value) { return value.at("type").string(); };
  check(is_null(root.find("normalizer")), "a normalizer changes the text before it is cut; ",
        "expected none");
  const auto split = root.find("pre_tokenizer");
  check(!is_null(split) && type(*split) == "ByteLevel" && is_true(*split, "use_regex", true) &&
            !is_true(*split, "add_prefix_space", true),
        "pre_tokenizer ", is_null(split) ? "null" : std::string(in_quotes(type(*split))),
        ": does not cut the text as GPT-2's tokenizer does, expected ByteLevel with use_regex and "
        "without add_prefix_space");
  if (const auto after = root.find("post_processor"); !is_null(after))
    check(type(*after) == "ByteLevel", "post_processor ", in_quotes(type(*after)),
          ": adds tokens to the text, expected none or ByteLevel");
  // Old files, such as GPT-2's on the hub, lack the model's type.
  if (const auto kind = model.find("type"))
    check(kind->string() == "BPE", "model ", in_quotes(kind->string()), ", expected BPE");
  for (const std::string_view key : {"byte_fallback", "ignore_merges"})
    check(!is_true(model, key, false), "model: ", key, " is true, expected false");
  for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (const auto text = model.find(key); !is_null(text))
      check(text->string().empty(), "model: ", key, " is ", in_quotes(text->string()),
            ", expected none");
}

// "a b" or ["a", "b"].
std::pair<std::string_view, std::string_view> sides_of(Json::Value merge) {
  if (merge.type() == Json::Type::array) {
    std::vector<std::string_view> sides;
    for (const Json::Value side : merge.elements()) sides.push_back(side.string());
    check(sides.size() == 2, "byte ", merge.offset(), ": a merge of ", sides.size(),
          " tokens, expected 2");
    return {sides[0], sides[1]};
  }
  const std::string_view text = merge.string();
  const std::size_t space = text.find(' ');
  check(space != text.npos, "byte ", merge.offset(), ": merge ", in_quotes(text),
        ", expected two tokens with a space between them");
  return {text.substr(0, space), text.substr(space + 1)};
}

// The token that ends a text, if it is an added one. transformers finds every added token in a text
// before it is cut, gradus only this one; another is refused.
std::optional<Json::Value> added_token(Json::Value root, std::optional<Index> end) {
  std::optional<Json::Value> found;
  const auto list = root.find("added_tokens");
  if (is_null(list)) return found;
  for (const Json::Value token : list->elements()) {
    const InQuotes text = in_quotes(token.at("content").string());
    check(token.at("id").integer() == end && !found, "added token ", text,
          ", expected none but the token that ends a text (eos_token_id)");
    for (const std::string_view key : {"single_word", "lstrip", "rstrip"})
      check(!is_true(token, key, false), "added token ", text, ": ", key,
            " is true, expected false");
    found = token;
  }
  return found;
}

}  // namespace

ByteLevel read_tokenizer_json(std::string_view text, std::optional<Index> end) {
  const Json json(text);
  const Json::Value root = json.root(), model = root.at("model"), vocab = model.at("vocab");
  check_is_gpt2s(root, model);
  // An added token is in the vocabulary under its own text, or not at all.
  const std::optional<Json::Value> added = added_token(root, end);
  std::optional<std::string_view> own_text;
  if (added) own_text = added->at("content").string();
  std::int64_t size = added ? 1 : 0;
  for (const Json::Value member : vocab.members()) size += member.key() != own_text;

  ByteLevel result;
  result.tokens.resize(unsigned_size(size));
  for (const Json::Value member : vocab.members())
    if (member.key() != own_text)
      set_token(result.tokens, member, member.integer(), bytes_of_printable(member.key()));
  if (added) {
    set_token(result.tokens, *added, *end, std::string(*own_text));
    result.end_of_text = static_cast<std::int32_t>(*end);
  }
  const TextMap<Index> ids = ids_of(result.tokens);
  for (const Json::Value merge : model.at("merges").elements()) {
    const auto id = [&](std::string_view side) {
      const Index* found = ids.find(bytes_of_printable(side));
      check(found != nullptr, "byte ", merge.offset(), ": merge of ", in_quotes(side),
            ", which is not a token");
      return static_cast<std::int32_t>(*found);
    };
    const auto [left, right] = sides_of(merge);
    result.merges.push_back({id(left), id(right)});
  }
  return result;
}

}  // namespace model
