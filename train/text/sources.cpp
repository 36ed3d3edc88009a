#include "train/text/sources.h"

#include <algorithm>
#include <map>
#include <memory>

#include "model/base/path.h"
#include "model/base/system.h"
#include "model/base/utf8.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "train/text/tokenizer_directory.h"

namespace train {

bool is_tokenizer_directory(std::string_view kind) {
  constexpr std::string_view kinds[] = {"char", "byte", "word", "bpe", "auto"};
  return std::ranges::count(kinds, kind) == 0;
}

TextPart Sources::part(Split part) const {
  if (part == Split::train) return {texts, 0, split};
  if (are_apart()) return {val_texts};
  return {texts, split};
}

namespace {

// The separator that begins before a place and ends behind it; else nothing, at that place.
struct Cut {
  std::size_t begin, end;
};
Cut cut_separator(std::string_view text, std::size_t at, std::string_view separator) {
  if (separator.empty() || at == 0) return {at, at};
  const std::size_t begin = text.rfind(separator, at - 1), end = begin + separator.size();
  return begin != text.npos && end > at ? Cut{begin, end} : Cut{at, at};
}

}  // namespace

std::vector<std::string> Sources::paths() const {
  std::vector<std::string> paths = texts.paths;
  paths.insert(paths.end(), val_texts.paths.begin(), val_texts.paths.end());
  return paths;
}

Sources split_texts(Texts texts, Texts val_texts, double val_fraction, std::string_view separator) {
  Sources sources{std::move(texts), std::move(val_texts)};
  const std::string_view text = sources.texts.joined;
  const auto first = [&](Index count) {
    return static_cast<Index>((1 - val_fraction) * static_cast<double>(count));
  };
  const std::size_t split =
      sources.are_apart() ? text.size()
      : model::is_nearly_utf8(text)
          ? model::first_characters(text, first(model::count_characters(text)))
          : engine::unsigned_size(first(std::ssize(text)));
  sources.split = cut_separator(text, split, separator).end;
  return sources;
}

void note_copies(const Sources& sources, Notes& notes) {
  const TextPart training = sources.part(Split::train),
                 validation = sources.part(Split::validation);
  std::map<std::uint64_t, std::size_t> trained;  // the first file with a hash
  training.for_each_file([&](std::size_t file, std::string_view) {
    trained.emplace(training.texts.identities[file].hash, file);
  });
  std::string first;
  Index count = 0;
  validation.for_each_file([&](std::size_t file, std::string_view) {
    const auto copy = trained.find(validation.texts.identities[file].hash);
    if (copy == trained.end() || (!sources.are_apart() && copy->second == file)) return;
    if (++count == 1)
      first = joined(printable(validation.texts.paths[file]),
                     ": is validated on, and its contents are trained on as ",
                     printable(training.texts.paths[copy->second]));
  });
  if (count > 0)
    notes.add(first, count == 1 ? "" : joined("; so are ", counted(count - 1, "other file")),
              "; the loss says little of other texts");
}

std::string_view separator_of(const model::Tokenizer& tokenizer) {
  const std::optional<std::int32_t> id = tokenizer.end_of_text();
  return id ? tokenizer.token_bytes(*id) : std::string_view();
}

namespace {

// What becomes of characters or words, as `kind` says, if the texts are not UTF-8 throughout: an
// error if they were asked for. Otherwise a few broken bytes become tokens of their own beside the
// characters, and a text in another encoding is trained on as bytes.
std::string kind_for_encoding(const std::string& kind, bool may_be_bytes, const Sources& sources,
                              Notes& notes) {
  Index broken = 0, bytes = 0;
  std::string first;  // of the mistakes
  for (const Texts* texts : {&sources.texts, &sources.val_texts}) {
    broken += model::count_broken_bytes(texts->joined);
    bytes += std::ssize(texts->joined);
    try {
      check_utf8(*texts);
    } catch (const Error& error) {
      if (first.empty()) first = error.what();
    }
  }
  if (first.empty()) return kind;
  check(may_be_bytes, first);
  if (kind == "char" && model::is_nearly_utf8(broken, bytes)) {
    notes.add(first, "; such bytes become tokens of their own");
    return kind;
  }
  notes.add(first, "; training on bytes instead of characters (if the text is Latin-1, ",
            model::system::makes_utf8, ")");
  return "byte";
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
model::TokenizerHandle make_plain_tokenizer(const TokenizerWish& wish, const Sources& sources,
                                            std::span<const std::string_view> texts,
                                            std::span<const std::string_view> learned,
                                            Notes& notes) {
  std::string kind = wish.kind;
  if (is_tokenizer_directory(kind)) return read_tokenizer_directory(kind);
  const auto named = [&](auto make) {
    try {
      return make();
    } catch (const Error& error) {
      fail(sources.texts.name, ": ", error.what());
    }
  };
  if (kind == "auto" && wish.vocabulary_size) kind = "bpe";
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
    if (kind == choice.kind && wish.was_given) notes.add("tokenizer ", kind, ": ", choice.reason);
  }
  if (kind == "char" || kind == "word")
    kind = kind_for_encoding(kind, wish.may_be_bytes, sources, notes);
  return named([&] {
    return model::train_tokenizer(kind, kind == "bpe" ? learned : texts,
                                  wish.vocabulary_size.value_or(0));
  });
}

}  // namespace

model::TokenizerHandle make_tokenizer(const TokenizerWish& wish, const Sources& sources,
                                      Notes& notes) {
  const TextPart training = sources.part(Split::train),
                 validation = sources.part(Split::validation);
  const std::string_view learned = training.text(), both[] = {learned, validation.text()};
  const std::string& separator = wish.separator;
  if (separator.empty())
    return make_plain_tokenizer(wish, sources, both, std::span(&learned, 1), notes);
  std::vector<std::string_view> files = training.files();
  const std::vector<std::string_view> learned_files = files;
  for (const std::string_view text : validation.files()) files.push_back(text);
  if (std::ranges::all_of(files,
                          [&](std::string_view text) { return text.find(separator) == text.npos; }))
    notes.add(
        "--document_separator: ", in_quotes(separator),
        " does not occur in the text; it only ends ",
        sources.texts.paths.size() + sources.val_texts.paths.size() == 1 ? "it" : "each file");
  return std::make_shared<model::DocumentTokenizer>(
      make_plain_tokenizer(wish, sources, model::documents(files, separator),
                           model::documents(learned_files, separator), notes),
      separator);
}

model::TokenizerHandle tokenizer_of_model(const std::string& separator,
                                          const model::TokenizerHandle& tokenizer,
                                          const Texts& texts, Notes& notes) {
  const auto* const documents = dynamic_cast<const model::DocumentTokenizer*>(tokenizer.get());
  const std::string own(separator_of(*tokenizer));
  if (!separator.empty() && separator != own)
    fail("--document_separator: ", in_quotes(separator), " is not that of the model, which has ",
         documents ? std::string(in_quotes(own)) : "none");
  if (!documents || documents->appends_end_of_text()) return tokenizer;
  if (!separator.empty())
    return std::make_shared<model::DocumentTokenizer>(documents->inner(), own);
  if (texts.paths.size() > 1)
    notes.add(texts.name, ": read as one text; --document_separator '", printable(own),
              "' ends each file with the model's token");
  return tokenizer;
}

Corpus encode(const Sources& sources, const model::Tokenizer& tokenizer, Index* unknown) {
  model::TokenIds ids(tokenizer.vocabulary_size());
  Index tokens = 0;
  // Memory for all of them at once.
  for (const Split part : {Split::train, Split::validation})
    if (const std::string_view text = sources.part(part).text(); tokenizer.kind() == "char")
      tokens += model::count_characters(text);
    else if (tokenizer.kind() == "byte")
      tokens += std::ssize(text);
  ids.reserve(tokens);
  encode(sources.part(Split::train), tokenizer, ids, unknown);
  const Index train_size = ids.size();
  encode(sources.part(Split::validation), tokenizer, ids, unknown);
  const TextUnits units =
      units_of(text_of(ids, train_size, ids.size(), tokenizer), ids.size() - train_size);
  return Corpus(std::move(ids), train_size, units);
}

void ensure_context(Sources& sources, Corpus& corpus, const model::Tokenizer& tokenizer, Index T) {
  const Index needed = T + 1;
  const auto lacks = [&](Split part) { return needed - corpus.size(part); };
  const auto check_size = [&](const Texts& texts, Split part) {
    check(lacks(part) <= 0, texts.name, ": ", counted(corpus.size(part), "token"),
          ", need at least ", count_text(needed), " (block_size ", T, " + 1)");
  };
  if (sources.are_apart()) {
    check_size(sources.texts, Split::train);
    check_size(sources.val_texts, Split::validation);
    return;
  }
  const auto check_both = [&] {
    check(corpus.ids().size() >= 2 * needed, sources.texts.name, ": ",
          counted(corpus.ids().size(), "token"), ", need at least ", count_text(2 * needed),
          " (block_size ", T, " + 1 for training, as many for validation)");
  };
  check_both();
  // Every missing token is a character or more.
  const std::string_view text = sources.texts.joined;
  const bool utf8 = model::is_nearly_utf8(text);
  const auto bytes_of = [&](auto characters_at, std::string_view side, Index count) {
    return utf8 ? characters_at(side, count) : std::min(engine::unsigned_size(count), side.size());
  };
  const auto cut_at = [&](std::size_t at) {
    return cut_separator(text, at, separator_of(tokenizer));
  };
  const auto split_at = [&](std::size_t at) {
    sources.split = at;
    Index unknown = 0;  // left out, as at first
    corpus = encode(sources, tokenizer, &unknown);
    check_both();
  };
  while (lacks(Split::validation) > 0)
    split_at(cut_at(sources.split - bytes_of(model::last_characters, text.substr(0, sources.split),
                                             lacks(Split::validation)))
                 .begin);
  while (lacks(Split::train) > 0)
    split_at(cut_at(sources.split + bytes_of(model::first_characters, text.substr(sources.split),
                                             lacks(Split::train)))
                 .end);
  check_size(sources.texts, Split::validation);
}

void free_text(Sources& sources) {
  for (Texts* texts : {&sources.texts, &sources.val_texts}) std::string().swap(texts->joined);
}

std::string validation_place(const Sources& sources, double val_fraction) {
  const Texts& texts = sources.texts;
  if (sources.are_apart() || texts.paths.size() == 1) return "";
  const auto file = static_cast<std::size_t>(std::ranges::upper_bound(texts.ends, sources.split) -
                                             texts.ends.begin());
  const auto folder = [&](std::size_t i) { return model::directory_of(texts.paths[i]); };
  const bool one_folder = folder(0) == folder(file) && folder(0) == folder(texts.paths.size() - 1);
  const auto name = [&](std::size_t i) {
    const std::string_view last = last_name(texts.paths[i]);
    return printable(one_folder ? std::string(last)
                                : model::inside(std::string(last_name(folder(i))), last));
  };
  const std::string byte =
      count_text(static_cast<Index>(sources.split - (file > 0 ? texts.ends[file - 1] : 0)));
  const std::string part = joined("the last ", short_text(100 * val_fraction), " %, ");
  return file + 1 == texts.ends.size() ? joined(part, name(file), " from byte ", byte, " on")
                                       : joined(part, "from ", name(file), ", byte ", byte, ", to ",
                                                name(texts.ends.size() - 1));
}

}  // namespace train
