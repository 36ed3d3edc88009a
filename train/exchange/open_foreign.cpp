#include "train/exchange/open_foreign.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "model/base/utf8.h"
#include "model/exchange/transformers.h"
#include "model/tokenizer/document_tokenizer.h"
#include "train/run/run.h"
#include "train/system/files.h"

namespace train {

using model::FileBytes;

namespace {

constexpr std::int64_t max_config = 1 << 20;     // config.json has 1 KB
constexpr std::int64_t max_text_file = 1 << 28;  // GPT-2's vocabulary is 1 MB, tokenizer.json 2 MB

std::string text_of(const std::string& path, std::int64_t limit = max_text_file) {
  return read_file(path, limit);
}

void check_fits(const model::LoadedModel& model) {
  const model::Index tokens = model.tokenizer->vocabulary_size(),
                     rows = model.gpt.config.vocab_size;
  check(tokens <= rows, "the tokenizer has ", tokens, " tokens but the model only ", rows);
}

// Keeps the token that ends a text for other programs, for the next export.
model::Metadata end_metadata(std::optional<model::Index> end, const model::Tokenizer& tokenizer) {
  model::Metadata metadata;
  if (end && 0 <= *end && *end < tokenizer.vocabulary_size())
    metadata.emplace(end_token_key, model::value_text(*end));
  return metadata;
}

// vocab.json and merges.txt of a GPT-2 tokenizer, in which <|endoftext|> separates documents.
model::TokenizerHandle gpt2_tokenizer_in(const std::string& directory, bool ends_texts) {
  const std::string added = inside(directory, "added_tokens.json");
  check(!file_exists(added), printable(added),
        ": gradus finds no added tokens in a text, expected no such file");
  const std::string vocab = text_of(inside(directory, "vocab.json"));
  const std::string merges = text_of(inside(directory, "merges.txt"));
  const auto bpe = opening(directory, [&] { return model::read_gpt2_tokenizer(vocab, merges); });
  constexpr std::string_view end = "<|endoftext|>";
  for (model::Index id = 0; id < bpe->vocabulary_size(); ++id)
    if (bpe->token_bytes(id) == end)
      return std::make_shared<model::DocumentTokenizer>(bpe, end, ends_texts);
  return bpe;
}

model::TokenizerHandle transformers_tokenizer(const std::string& directory,
                                              const model::TransformersConfig& config) {
  const std::string path = inside(directory, "tokenizer.json");
  if (!file_exists(path)) return gpt2_tokenizer_in(directory, config.appends_end_of_text);
  std::string json = text_of(path);
  return opening(path, [&] {
    model::ByteLevel tokens = model::read_tokenizer_json(json, config.end);
    tokens.appends_end_of_text = config.appends_end_of_text;
    std::string().swap(json);  // gives the file's memory back
    return model::tokenizer_of(tokens);
  });
}

// Throws Error if the directory has its weights in another form than .safetensors.
void refuse_pytorch(const std::string& directory) {
  for (const char* const name : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
    if (const std::string path = inside(directory, name); file_exists(path))
      fail(printable(path),
           ": gradus does not open PyTorch's files; transformers' save_pretrained writes "
           "model.safetensors");
}

OpenedModel open_transformers(const std::string& directory) {
  const std::string path = inside(directory, "config.json");
  const std::string json = text_of(path, max_config);
  const model::TransformersConfig config =
      opening(path, [&] { return model::read_transformers_config(json); });
  std::vector<std::string> names = {"model.safetensors"};
  const std::string index = inside(directory, "model.safetensors.index.json");
  if (!file_exists(inside(directory, names[0]))) {
    if (file_exists(index)) {
      const std::string listed = text_of(index);
      names = opening(index, [&] { return model::files_of_index(listed); });
    } else {
      refuse_pytorch(directory);
    }
  }
  std::vector<FileBytes> bytes;
  std::vector<model::SafetensorsFile> files;
  std::int64_t size = 0;
  std::set<FileIdentity> read;
  for (const std::string& name : names) {
    const std::string file = inside(directory, name);
    if (!read.insert(file_identity(file)).second) continue;
    bytes.push_back(
        model::read_large_file(file, model::max_file_size() - size, model::look_at_safetensors));
    size += std::ssize(bytes.back());
    files.push_back(opening(
        file, [&] { return model::SafetensorsFile(view(bytes.back()), model::FileOf::others); }));
  }
  model::TokenizerHandle tokenizer = transformers_tokenizer(directory, config);
  return opening(directory, [&] {
    model::Metadata metadata = end_metadata(config.end, *tokenizer);
    OpenedModel opened{directory,
                       size,
                       {model::read_transformers_weights(config, files), std::move(tokenizer),
                        std::move(metadata)}};
    check_fits(opened.model);
    return opened;
  });
}

}  // namespace

void fail_too_large(const std::string& path, const std::exception& error, std::string_view what) {
  const auto memory = engine::pool::out_of_memory(error, joined("reading ", what));
  if (!memory) throw;
  const std::string size =
      is_directory(path) ? ""
                         : joined(", the file has ", count_text(model::file_size(path)), " bytes");
  fail(printable(path), ": ", *memory, size);
}

std::optional<OpenedModel> open_foreign_directory(const std::string& directory) {
  if (file_exists(inside(directory, "config.json"))) return open_transformers(directory);
  return {};
}

}  // namespace train
