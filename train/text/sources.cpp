#include "train/text/sources.h"

#include <algorithm>
#include <memory>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/utf8.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "train/text/text_units.h"
#include "train/text/tokenizer_directory.h"

namespace train {

using engine::check;
using engine::fail;
using engine::joined;

bool is_tokenizer_directory(const Settings& settings) {
  return !find_flag("tokenizer")->offers(settings.tokenizer);
}

namespace {

// What becomes of characters or words, as `kind` says, if the texts are not UTF-8 throughout: an
// error if they were asked for. Otherwise a few broken bytes become tokens of their own beside the
// characters, and a text in another encoding is trained on as bytes.
std::string kind_for_encoding(const std::string& kind, const Settings& settings,
                              const Sources& sources, Notes& notes) {
  Index broken = 0, bytes = 0;
  std::string first;  // of the mistakes
  for (const Texts* texts : {&sources.training, &sources.validation}) {
    broken += engine::count_broken_bytes(texts->joined);
    bytes += std::ssize(texts->joined);
    try {
      check_utf8(*texts);
    } catch (const engine::Error& error) {
      if (first.empty()) first = error.what();
    }
  }
  if (first.empty()) return kind;
  check(settings.tokenizer == (settings.is_nanogpt() ? "char" : "auto"), first);
  if (kind == "char" && engine::is_nearly_utf8(broken, bytes)) {
    notes.add(first, "; such bytes become tokens of their own");
    return kind;
  }
  notes.add(first,
            "; training on bytes instead of characters (if the text is Latin-1, iconv -f LATIN1 "
            "-t UTF-8 makes it UTF-8)");
  return "byte";
}

// Of so many bytes of the training texts, those that are not validated on.
std::size_t training_bytes(std::size_t all, const Sources& sources, double val_fraction) {
  if (sources.are_apart()) return all;
  return static_cast<std::size_t>((1 - val_fraction) * static_cast<double>(all));
}

// Whether the tokens are so long that the text must be one thing over and over: then there are too
// few of them to train on.
bool is_repetitive(std::string_view text, const model::Tokenizer& tokenizer) {
  text = text.substr(0, 1 << 16);
  model::TokenIds ids(tokenizer.vocabulary_size());
  tokenizer.encode(text, ids);
  return ids.size() < std::ssize(text) / 16;
}

// The tokenizer for the texts between separators. learned: those of the training part.
model::TokenizerHandle make_plain_tokenizer(const Settings& settings, const Sources& sources,
                                            std::span<const std::string_view> texts,
                                            std::span<const std::string_view> learned,
                                            Notes& notes) {
  std::string kind = settings.tokenizer;
  if (is_tokenizer_directory(settings)) return read_tokenizer_directory(kind);
  const auto named = [&](auto make) {
    try {
      return make();
    } catch (const engine::Error& error) {
      fail(sources.training.name, ": ", error.what());
    }
  };
  const bool sized = settings.was_given("vocab_size");
  if (kind == "auto" && sized) kind = "bpe";
  if (kind == "auto") {
    auto choice = named([&] { return model::choose_tokenizer(texts); });
    if (choice.kind == "bpe") {
      const auto bpe = named([&] { return model::train_tokenizer("bpe", learned); });
      if (learned.empty() || !is_repetitive(learned[0], *bpe)) {
        notes.add("tokenizer bpe: ", choice.reason, " for ", bpe->vocabulary_size(),
                  " tokens to be learned; --tokenizer char takes characters");
        return bpe;
      }
      choice = {"char", "the text repeats itself"};
    }
    // What becomes of a text that is not UTF-8, kind_for_encoding says.
    kind = choice.kind == "byte" ? "char" : choice.kind;
    if (kind == choice.kind && settings.was_given("tokenizer"))
      notes.add("tokenizer ", kind, ": ", choice.reason);
  }
  if (kind == "char" || kind == "word") kind = kind_for_encoding(kind, settings, sources, notes);
  return named([&] {
    return model::train_tokenizer(kind, kind == "bpe" ? learned : texts,
                                  sized ? settings.vocab_size : 0);
  });
}

}  // namespace

model::TokenizerHandle make_tokenizer(const Settings& settings, const Sources& sources,
                                      Notes& notes) {
  std::vector<std::string_view> texts{sources.training.joined, sources.validation.joined};
  const std::size_t learned = training_bytes(texts[0].size(), sources, settings.val_fraction);
  if (settings.document_separator.empty()) {
    const std::string_view part = texts[0].substr(0, learned);
    return make_plain_tokenizer(settings, sources, texts, std::span(&part, 1), notes);
  }
  texts = files_of(sources.training);
  for (const std::string_view text : files_of(sources.validation)) texts.push_back(text);
  const std::string& separator = settings.document_separator;
  if (std::ranges::all_of(texts,
                          [&](std::string_view text) { return text.find(separator) == text.npos; }))
    notes.add("--document_separator: ", engine::in_quotes(separator),
              " does not occur in the text; it only ends ", texts.size() == 1 ? "it" : "each file");
  return std::make_shared<model::DocumentTokenizer>(
      make_plain_tokenizer(settings, sources, model::documents(texts, separator),
                           model::documents(files_of(sources.training, learned), separator), notes),
      separator);
}

Index learned_tokens(const Corpus& corpus, const Sources& sources, const Plan& plan,
                     const model::Tokenizer& tokenizer) {
  const std::size_t all = sources.training.ends.back();
  return tokens_before_last(all - training_bytes(all, sources, plan.val_fraction), corpus,
                            tokenizer);
}

model::TokenizerHandle tokenizer_of_model(const Settings& settings,
                                          const model::TokenizerHandle& tokenizer,
                                          const Texts& texts, Notes& notes) {
  const auto* const documents = dynamic_cast<const model::DocumentTokenizer*>(tokenizer.get());
  const std::string own(documents ? documents->token_bytes(*documents->separator()) : "");
  const std::string& asked = settings.document_separator;
  if (!asked.empty() && asked != own)
    fail("--document_separator: ", engine::in_quotes(asked),
         " is not that of the model, which has ",
         documents ? std::string(engine::in_quotes(own)) : "none");
  if (!documents || documents->ends_texts()) return tokenizer;
  if (!asked.empty()) return std::make_shared<model::DocumentTokenizer>(documents->inner(), own);
  if (texts.paths.size() > 1)
    notes.add(texts.name, ": read as one text; --document_separator '", engine::printable(own),
              "' ends each file with the model's token");
  return tokenizer;
}

Corpus encode(Sources& sources, const model::Tokenizer& tokenizer) {
  model::TokenIds ids(tokenizer.vocabulary_size());
  encode(sources.training, tokenizer, ids);
  const Index train_size = ids.size();
  encode(sources.validation, tokenizer, ids);
  for (Texts* texts : {&sources.training, &sources.validation}) std::string().swap(texts->joined);
  return Corpus(std::move(ids), train_size);
}

void cut(Corpus& corpus, const Sources& sources, const Plan& plan, Index at_least) {
  const Index T = plan.block_size;
  const auto check_size = [&](const Texts& texts, Index size) {
    check(size > T, texts.name, ": ", engine::counted(size, "token"), ", need at least ",
          engine::count_text(T + 1), " (block_size ", T, " + 1)");
  };
  if (sources.are_apart()) {
    check_size(sources.training, corpus.size(Split::train));
    check_size(sources.validation, corpus.size(Split::validation));
    return;
  }
  try {
    corpus.cut(plan.val_fraction, T, at_least);
  } catch (const engine::Error& error) {
    fail(sources.training.name, ": ", error.what());
  }
}

std::string validation_place(const Corpus& corpus, const Sources& sources, const Plan& plan,
                             const model::Tokenizer& tokenizer) {
  const Texts& texts = sources.training;
  if (sources.are_apart() || texts.paths.size() == 1) return "";
  const model::TokenIds& ids = corpus.ids();
  const std::vector<std::size_t>& ends = texts.ends;
  const std::size_t last = ends.size() - 1;
  std::size_t bytes = 0, file = 0;  // before a token, and the file that they end in
  for (Index i = 0; i < corpus.size(Split::train); ++i) {
    // A separator that `encode` put at the end of a file is no part of it.
    if (bytes == ends[file] && tokenizer.ends_texts() && ids[i] == *tokenizer.separator() &&
        ids[i - 1] != ids[i])
      continue;
    bytes += tokenizer.token_bytes(ids[i]).size();
    while (file < last && bytes > ends[file]) ++file;
  }
  if (file < last && bytes == ends[file]) ++file;
  const auto name = [&](std::size_t i) {
    return engine::printable(engine::last_name(texts.paths[i]));
  };
  const std::string byte =
      engine::count_text(static_cast<Index>(bytes - (file > 0 ? ends[file - 1] : 0)));
  const std::string part = joined("the last ", engine::short_text(100 * plan.val_fraction), " %, ");
  return file == last ? joined(part, name(file), " from byte ", byte, " on")
                      : joined(part, "from ", name(file), ", byte ", byte, ", to ", name(last));
}

}  // namespace train
