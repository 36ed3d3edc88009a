#include "train/text/tokenizer_directory.h"

#include "engine/base/check.h"
#include "engine/base/directories.h"
#include "engine/base/files.h"
#include "engine/base/utf8.h"
#include "model/exchange/byte_level.h"
#include "model/tokenizer/document_tokenizer.h"

namespace train {

using engine::check;

namespace {

std::string vocabulary_in(const std::string& directory) { return directory + "/vocab.json"; }
std::string merges_in(const std::string& directory) { return directory + "/merges.txt"; }

}  // namespace

model::TokenizerHandle read_tokenizer_directory(const std::string& directory) {
  constexpr std::int64_t max_bytes = 1 << 28;  // GPT-2's are about 1 MB
  const std::string vocabulary = engine::read_file(vocabulary_in(directory), max_bytes);
  const std::string merges = engine::read_file(merges_in(directory), max_bytes);
  try {
    return model::read_gpt2_tokenizer(vocabulary, merges);
  } catch (const engine::Error& error) {
    engine::fail(engine::printable(directory), "/", error.what());
  }
}

void write_tokenizer_directory(const std::string& directory, const model::Tokenizer& tokenizer) {
  const auto* const wrapper = dynamic_cast<const model::DocumentTokenizer*>(&tokenizer);
  const auto* const bpe =
      dynamic_cast<const model::BpeTokenizer*>(wrapper ? wrapper->inner().get() : &tokenizer);
  check(bpe != nullptr, engine::printable(directory), ": a ", tokenizer.kind(),
        " tokenizer has no vocab.json and merges.txt, only bpe has");
  for (const std::string& path : {vocabulary_in(directory), merges_in(directory)})
    check(!engine::file_exists(path), engine::printable(path),
          ": exists already; it is not replaced");
  engine::make_directories(directory);
  const auto write = [](const std::string& path, const std::string& bytes) {
    const std::string_view piece = bytes;
    engine::write_file(path, std::span(&piece, 1));
  };
  model::ByteLevel tokens{{}, bpe->merges()};
  for (model::Index id = 0; id < tokenizer.vocabulary_size(); ++id)
    tokens.tokens.emplace_back(tokenizer.token_bytes(id));
  write(vocabulary_in(directory), vocab_json(tokens));
  write(merges_in(directory), merges_txt(tokens));
}

}  // namespace train
