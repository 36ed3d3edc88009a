#include "train/run/run.h"

#include <algorithm>
#include <cstdint>
#include <new>

#include "model/base/setting.h"
#include "model/base/utf8.h"
#include "train/system/activity.h"
#include "train/system/files.h"
#include "train/system/limits.h"

namespace train {

using model::metadata_text;
using model::metadata_value;
using model::value_text;

namespace {

// Writes `kind`s, the number of texts, and kind.0.path, kind.0.size, kind.0.hash, ...
void write_texts(model::SafetensorsWriter& writer, const std::string& kind,
                 const std::vector<TextIdentity>& texts, Paths paths) {
  writer.add_metadata(kind + "s", value_text(Index(std::ssize(texts))));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextIdentity& text = texts[i];
    const std::string key = joined(kind, ".", i, ".");
    const std::string path =
        paths == Paths::names ? text.path.substr(last_separator(text.path) + 1) : text.path;
    const bool storable = model::valid_utf8_prefix(path) == path.size();
    writer.add_metadata(key + "path", storable ? path : "");
    writer.add_metadata(key + "size", value_text(text.size));
    writer.add_metadata(key + "hash", value_text(text.hash));
  }
}

std::vector<TextIdentity> read_texts(const model::Metadata& metadata, const std::string& kind) {
  std::vector<TextIdentity> texts;
  const Index count = metadata_value<Index>(metadata, kind + "s");
  for (Index i = 0; i < count; ++i) {
    const std::string key = joined(kind, ".", i, ".");
    texts.push_back({metadata_text(metadata, key + "path"),
                     metadata_value<std::uint64_t>(metadata, key + "size"),
                     metadata_value<std::uint64_t>(metadata, key + "hash")});
  }
  return texts;
}

constexpr std::string_view end_count_key = "note.end_token_count";

// Keys of the n-grams in the metadata: the loss for each length of the context, and what is counted
// (tokens, if the file does not say).
std::string ngram_key(std::size_t context) { return joined("note.ngram_", context); }
constexpr std::string_view ngram_symbol_key = "note.ngrams_of";

constexpr std::string_view record_interval_key = "note.record_interval",
                           validation_key = "note.validation", init_from_key = "note.init_from";

// Empty for a very long text, or if memory is short.
Ngrams ngrams_of(const Corpus& corpus, const model::Tokenizer& tokenizer, Index vocabulary,
                 Notes& notes) {
  constexpr Index max_tokens = 20'000'000;
  if (corpus.ids().size() > max_tokens) return {};
  const Activity counting("counting n-grams");
  try {
    return count_ngrams(corpus.ids(), corpus.size(Split::train), tokenizer, vocabulary);
  } catch (const std::bad_alloc&) {
    notes.add("not enough memory to count n-grams for comparison", memory_limit());
    return {};
  }
}

// The token that occurs least often in the training text, the first one if there are several.
EndToken find_end_token(const Corpus& corpus, Index vocabulary) {
  std::vector<Index> counts(engine::unsigned_size(vocabulary));
  const Index begin = corpus.begin(Split::train), end = begin + corpus.size(Split::train);
  for (Index i = begin; i < end; ++i) ++engine::at(counts, corpus.ids()[i]);
  const auto least = std::ranges::min_element(counts);
  return {least - counts.begin(), *least};
}

}  // namespace

RunInfo info_of_texts(const Sources& sources, const Corpus& corpus, Index vocabulary,
                      const model::Tokenizer& tokenizer, Notes& notes) {
  return {sources.texts.identities, sources.val_texts.identities,
          ngrams_of(corpus, tokenizer, vocabulary, notes),
          find_end_token(corpus, tokenizer.vocabulary_size())};
}

void write_info(const RunInfo& info, Paths paths, model::SafetensorsWriter& writer) {
  write_texts(writer, "text", info.texts, paths);
  write_texts(writer, "val_text", info.val_texts, paths);
  for (std::size_t k = 0; k < info.ngrams.losses.size(); ++k)
    writer.add_metadata(ngram_key(k), value_text(info.ngrams.losses[k]));
  if (info.ngrams.counted()) writer.add_metadata(ngram_symbol_key, info.ngrams.symbol);
  if (info.record_interval != 1)
    writer.add_metadata(record_interval_key, value_text(info.record_interval));
  if (!info.validation.empty()) writer.add_metadata(validation_key, info.validation);
  if (!info.init_from.empty())
    writer.add_metadata(init_from_key,
                        paths == Paths::names ? last_name(info.init_from) : info.init_from);
  if (!info.end_token) return;
  writer.add_metadata(end_token_key, value_text(info.end_token->id));
  writer.add_metadata(end_count_key, value_text(info.end_token->count));
}

RunInfo read_info(const model::Metadata& metadata) {
  RunInfo info{read_texts(metadata, "text"), read_texts(metadata, "val_text"),
               read_ngrams(metadata), read_end_token(metadata)};
  if (metadata.contains(record_interval_key))
    info.record_interval = metadata_value<Index>(metadata, record_interval_key);
  const auto read = [&](std::string_view key, std::string& text) {
    if (metadata.contains(key)) text = metadata_text(metadata, key);
  };
  read(validation_key, info.validation);
  read(init_from_key, info.init_from);
  check(info.record_interval > 0, "metadata \"", record_interval_key, "\": 0, expected 1 or more");
  return info;
}

RunDescription read_description(const model::Metadata& metadata, const model::Config& config) {
  check(metadata.contains("step"), "was not written by gradus train");
  RunDescription run;
  static_cast<model::Config&>(run.plan) = config;
  read_plan(metadata, Holds::for_the_run, run.plan);
  if (metadata.contains("max_iters")) read_plan(metadata, Holds::until_resumed, run.plan);
  run.info = read_info(metadata);
  run.step = metadata_value<Index>(metadata, "step");
  return run;
}

const TextIdentity* known_text(const model::Metadata& metadata, const Texts& texts) {
  if (!metadata.contains("step")) return nullptr;
  const std::vector<TextIdentity> known = read_texts(metadata, "text");
  for (const TextIdentity& text : texts.identities)
    for (const TextIdentity& other : known)
      if (text.matches(other)) return &text;
  return nullptr;
}

std::optional<EndToken> read_end_token(const model::Metadata& metadata) {
  if (!metadata.contains(end_token_key)) return {};
  EndToken token{metadata_value<Index>(metadata, end_token_key), -1};
  if (metadata.contains(end_count_key))
    token.count = metadata_value<Index>(metadata, end_count_key);
  return token;
}

Ngrams read_ngrams(const model::Metadata& metadata) {
  Ngrams ngrams;
  while (metadata.contains(ngram_key(ngrams.losses.size())))
    ngrams.losses.push_back(metadata_value<double>(metadata, ngram_key(ngrams.losses.size())));
  if (!metadata.contains(ngram_symbol_key)) return ngrams;
  ngrams.symbol = metadata_text(metadata, ngram_symbol_key);
  check(ngrams.symbol == "character" || ngrams.symbol == "byte" || ngrams.symbol == "token",
        "metadata \"", ngram_symbol_key, "\": ", in_quotes(ngrams.symbol),
        " is not a character, a byte or a token");
  return ngrams;
}

}  // namespace train
