// The texts of a command as tokens: where separators stand, and what is left of unknown texts.
#include "train/text/texts.h"

#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"

using namespace train;

namespace {

Texts of(const std::vector<std::string>& files) {
  Texts texts;
  texts.name = "texts";
  for (const std::string& file : files) {
    texts.paths.push_back("file " + std::to_string(texts.paths.size()));
    texts.joined += file;
    texts.ends.push_back(texts.joined.size());
  }
  return texts;
}

// The tokens as text.
std::string encoded(const std::vector<std::string>& files, const model::Tokenizer& tokenizer,
                    model::UnknownSymbols* unknown = nullptr) {
  model::TokenIds ids(tokenizer.vocabulary_size());
  encode({of(files)}, tokenizer, ids, unknown);
  std::string text;
  for (Index i = 0; i < ids.size(); ++i) text += tokenizer.token_bytes(ids[i]);
  return text;
}

}  // namespace

TEST_CASE("texts: a separator ends each file if it ended those of the training") {
  const auto bytes = std::make_shared<model::ByteTokenizer>();
  const model::DocumentTokenizer ends(bytes, "|"), bare(bytes, "|", false);
  CHECK(encoded({"ab", "c|d", "e|"}, ends) == "ab|c|d|e|");
  CHECK(encoded({"ab", "c|d", "e|"}, bare) == "abc|de|");
  CHECK(encoded({"ab", "c|d", "e|"}, *bytes) == "abc|de|");
}

TEST_CASE("texts: an error names the file of a wrong byte and its place there") {
  const std::vector<std::string> files = {"abc", "", "de", "f", "", "ghij"};
  const model::DocumentTokenizer tokenizer(std::make_shared<model::CharTokenizer>("abcdefghij"),
                                           "|");
  for (std::size_t file = 0; file < files.size(); ++file)
    for (std::size_t at = 0; at < files[file].size(); ++at) {
      std::vector<std::string> wrong = files;
      const std::string place = "file " + std::to_string(file) + ": byte " + std::to_string(at);
      INFO(place);
      wrong[file][at] = '\xff';
      CHECK(broken_byte(of(wrong)) == place + ": 0xff is not UTF-8");
      wrong[file][at] = 'x';
      CHECK(broken_byte(of(wrong)) == "");
      CHECK_THROWS_WITH(encoded(wrong, tokenizer), place + ": 'x' is not in the vocabulary");
    }
  CHECK(broken_byte(of(files)) == "");
}

TEST_CASE("texts: a part has of each file what lies in it, and passes over those that do not") {
  const std::vector<std::string> files = {"abc", "", "de", "f", "", "ghij"};
  const Texts texts = of(files);
  for (std::size_t begin = 0; begin <= texts.joined.size(); ++begin)
    for (std::size_t end = begin; end <= texts.joined.size(); ++end) {
      std::vector<std::pair<std::size_t, std::string>> expected, found;
      for (std::size_t file = 0, at = 0; file < files.size(); at += files[file++].size()) {
        std::string inside;
        for (std::size_t i = 0; i < files[file].size(); ++i)
          if (at + i >= begin && at + i < end) inside += files[file][i];
        if (!inside.empty()) expected.emplace_back(file, inside);
      }
      const TextPart part{texts, begin, end};
      part.for_each_file([&](std::size_t file, std::string_view text) {
        found.emplace_back(file, std::string(text));
      });
      INFO("bytes " << begin << " to " << end);
      CHECK(found == expected);
      CHECK(part.files().size() == expected.size());
      CHECK(part.text() == texts.joined.substr(begin, end - begin));
    }
}
