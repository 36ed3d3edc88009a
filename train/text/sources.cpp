#include "train/text/sources.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "model/base/path.h"
#include "model/base/utf8.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "train/system/console.h"
#include "train/system/files.h"
#include "train/text/tokenizer_directory.h"

namespace train {

TextPart Sources::part(Split part) const {
  if (part == Split::train) return {texts, 0, split};
  if (are_apart()) return {val_texts};
  return {texts, split};
}

namespace {

// If a place is inside a separator, the separator's end; else the place itself.
std::size_t behind_separator(std::string_view text, std::size_t at, std::string_view separator) {
  if (separator.empty() || at == 0) return at;
  const std::size_t begin = text.rfind(separator, at - 1);
  return begin == text.npos ? at : std::max(at, begin + separator.size());
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
  sources.characters = model::count_characters(text);
  const auto first = [&](Index count) {
    return static_cast<Index>((1 - val_fraction) * static_cast<double>(count));
  };
  const std::size_t split = sources.are_apart() ? text.size()
                            : model::is_nearly_utf8(text)
                                ? model::first_characters(text, first(sources.characters))
                                : engine::unsigned_size(first(std::ssize(text)));
  sources.split = behind_separator(text, split, separator);
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
                     ": is validation text with the contents of a training text, ",
                     printable(training.texts.paths[copy->second]));
  });
  if (count > 0)
    notes.add(first,
              count == 1
                  ? ""
                  : joined(count == 2 ? "; so is " : "; so are ", counted(count - 1, "other file")),
              "; the loss says little about other texts");
}

std::string_view separator_of(const model::Tokenizer& tokenizer) {
  const std::optional<std::int32_t> id = tokenizer.end_of_text();
  return id ? tokenizer.token_bytes(*id) : std::string_view();
}

namespace {

// Whether the text repeats itself so much that its tokens are very long, and too few to train on.
bool is_repetitive(std::string_view text, const model::Tokenizer& tokenizer) {
  text = text.substr(0, 1 << 16);
  model::TokenIds ids(tokenizer.vocabulary_size());
  tokenizer.encode(text, ids);
  return ids.size() < std::ssize(text) / 16;
}

struct Choice {
  model::TokenizerKind kind;
  std::string why = {};                   // for a note; empty if the kind was given
  model::TokenizerHandle tokenizer = {};  // if choosing required making it
};

// The kind of tokenizer for the texts between separators; `learned` are those of the training part.
// If no kind was given, the size of the text decides. Characters and words need UTF-8: unless they
// were given, a few broken bytes become tokens of their own beside the characters, and a text in
// another encoding is trained on as bytes.
Choice choose_kind(const TokenizerRequest& request, const Sources& sources,
                   std::span<const std::string_view> texts,
                   std::span<const std::string_view> learned) {
  using enum model::TokenizerKind;
  const auto given = request.kind;
  if (given == byte || given == bpe) return {*given};
  if (!given && request.vocabulary_size) return {bpe};
  constexpr Index long_enough = 100'000;
  Index bytes = 0, broken = 0;
  for (const std::string_view text : texts) {
    bytes += std::ssize(text);
    broken += model::count_broken_bytes(text);
  }
  const bool is_text = model::is_nearly_utf8(broken, bytes),
             is_long = !given && is_text && bytes >= long_enough;
  const auto made = is_long ? model::train_tokenizer(bpe, learned) : nullptr;
  const bool repeats = is_long && !learned.empty() && is_repetitive(learned[0], *made);
  std::string wrong = broken == 0 ? "" : broken_byte(sources.texts);
  if (broken > 0 && wrong.empty()) wrong = broken_byte(sources.val_texts);
  const bool is_utf8 = wrong.empty();
  check(is_utf8 || !given || !request.was_given, wrong);

  struct Row {
    bool applies;
    Choice choice;
  };
  const Row rows[] = {
      {is_long && !repeats,
       {bpe,
        joined("tokenizer bpe: the text is long enough to learn ",
               made ? made->vocabulary_size() : 0, " tokens; --tokenizer char uses characters"),
        made}},
      {is_utf8 && (given || !request.was_given), {given.value_or(character)}},
      {is_utf8 && repeats, {character, "tokenizer char: the text repeats itself"}},
      {is_utf8, {character, "tokenizer char: the text is short"}},
      {is_text && given != word, {character, wrong + "; such bytes become tokens of their own"}},
      {true,
       {byte, joined(wrong, "; training on bytes instead of characters (if the text is Latin-1, ",
                     system::makes_utf8, ")")}}};
  return std::ranges::find_if(rows, &Row::applies)->choice;
}

// The tokenizer for the texts between separators. learned: those of the training part.
model::TokenizerHandle make_plain_tokenizer(const TokenizerRequest& request, const Sources& sources,
                                            std::span<const std::string_view> texts,
                                            std::span<const std::string_view> learned,
                                            Notes& notes) {
  if (!request.directory.empty()) return read_tokenizer_directory(request.directory);
  const Choice choice = choose_kind(request, sources, texts, learned);
  if (!choice.why.empty()) notes.add(choice.why);
  if (choice.tokenizer) return choice.tokenizer;
  try {
    return model::train_tokenizer(choice.kind,
                                  choice.kind == model::TokenizerKind::bpe ? learned : texts,
                                  request.vocabulary_size.value_or(0));
  } catch (const Error& error) {
    fail(sources.texts.name, ": ", error.what());
  }
}

}  // namespace

model::TokenizerHandle make_tokenizer(const TokenizerRequest& request, const Sources& sources,
                                      Notes& notes) {
  const TextPart training = sources.part(Split::train),
                 validation = sources.part(Split::validation);
  const std::string_view learned = training.text(), both[] = {learned, validation.text()};
  const std::string& separator = request.separator;
  if (separator.empty())
    return make_plain_tokenizer(request, sources, both, std::span(&learned, 1), notes);
  std::vector<std::string_view> files = training.files();
  const std::vector<std::string_view> learned_files = files;
  for (const std::string_view text : validation.files()) files.push_back(text);
  if (std::ranges::all_of(files,
                          [&](std::string_view text) { return text.find(separator) == text.npos; }))
    notes.add(
        "--document_separator: ", in_quotes(separator),
        " does not occur in the text; it is only added at the end",
        sources.texts.paths.size() + sources.val_texts.paths.size() == 1 ? "" : " of each file");
  return std::make_shared<model::DocumentTokenizer>(
      make_plain_tokenizer(request, sources, model::documents(files, separator),
                           model::documents(learned_files, separator), notes),
      separator);
}

model::TokenizerHandle tokenizer_of_model(const std::string& separator,
                                          const model::TokenizerHandle& tokenizer,
                                          const Texts& texts, Notes& notes) {
  const auto* const documents = dynamic_cast<const model::DocumentTokenizer*>(tokenizer.get());
  const std::string own(separator_of(*tokenizer));
  if (!separator.empty() && separator != own)
    fail("--document_separator: ", in_quotes(separator), " is not the model's separator, which is ",
         documents ? std::string(in_quotes(own)) : "none");
  if (!documents || documents->appends_end_of_text()) return tokenizer;
  if (!separator.empty())
    return std::make_shared<model::DocumentTokenizer>(documents->inner(), own);
  if (texts.paths.size() > 1)
    notes.add(texts.name, ": read as one text; --document_separator '", printable(own),
              "' ends each file with the model's token");
  return tokenizer;
}

Corpus encode(const Sources& sources, const model::Tokenizer& tokenizer, bool skip_unknown,
              Notes& notes) {
  model::TokenIds ids(tokenizer.vocabulary_size());
  // Memory for all of them at once.
  if (tokenizer.kind() == model::TokenizerKind::character)
    ids.reserve(sources.characters + model::count_characters(sources.val_texts.joined));
  else if (tokenizer.kind() == model::TokenizerKind::byte)
    ids.reserve(std::ssize(sources.texts.joined) + std::ssize(sources.val_texts.joined));
  const TextPart training = sources.part(Split::train),
                 validation = sources.part(Split::validation);
  model::UnknownSymbols unknown;
  encode(training, tokenizer, ids, &unknown);
  const Index train_size = ids.size(), before = sources.are_apart() ? train_size : 0;
  if (sources.are_apart())
    report_unknown(training.texts, std::exchange(unknown, {}), train_size, skip_unknown, notes);
  encode(validation, tokenizer, ids, &unknown);
  report_unknown(validation.texts, unknown, ids.size() - before, skip_unknown, notes);
  const TextUnits units =
      units_of(text_of(ids, train_size, ids.size(), tokenizer), ids.size() - train_size);
  return Corpus(std::move(ids), train_size, units);
}

void check_context(const Sources& sources, const Corpus& corpus, Index T) {
  const Index longest = corpus.longest_context();
  if (longest >= T) return;
  const bool trains = corpus.size(Split::train) < corpus.size(Split::validation);
  const Split lacking = trains ? Split::train : Split::validation;
  std::string flags = longest > 0 ? joined("--block_size ", longest) : "";
  if (!sources.are_apart() && corpus.ids().size() >= 2 * (T + 1))
    flags +=
        joined(flags.empty() ? "" : ", or ", trains ? "a smaller" : "a larger", " --val_fraction");
  fail(sources.part(lacking).texts.name, ": the ", trains ? "training" : "validation", " part has ",
       counted(corpus.size(lacking), "token"), ", block_size + 1 = ", count_text(T + 1),
       " are needed", flags.empty() ? "" : ": ", flags);
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
    const std::string last = last_name(texts.paths[i]);
    return printable(one_folder ? last : model::inside(last_name(folder(i)), last));
  };
  const std::string byte =
      count_text(static_cast<Index>(sources.split - (file > 0 ? texts.ends[file - 1] : 0)));
  const std::string part = joined("the last ", short_text(100 * val_fraction), " %, ");
  return file + 1 == texts.ends.size() ? joined(part, name(file), " from byte ", byte, " on")
                                       : joined(part, "from ", name(file), ", byte ", byte, ", to ",
                                                name(texts.ends.size() - 1));
}

}  // namespace train
