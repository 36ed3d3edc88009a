// The tokenizer that suits a text, and where validation begins.
#include "train/text/sources.h"

#include <fstream>
#include <random>

#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"

using namespace train;

namespace {

Sources one_text(const std::string& text) {
  Sources sources;
  sources.training.name = "text";
  sources.training.joined = text;
  sources.training.ends = {text.size()};
  sources.training.paths = {"text"};
  return sources;
}

}  // namespace

TEST_CASE("sources: what is validated on teaches a bpe nothing") {
  Settings settings;
  settings.tokenizer = "bpe";
  settings.given = {"tokenizer"};
  std::string training, other;
  for (int i = 0; i < 900; ++i) training += "the cat sat. ";
  for (int i = 0; i < 100; ++i) other += "zweifelhaft? ";
  for (const std::string separator : {"", "."}) {
    INFO("separator " << separator);
    settings.document_separator = separator;
    const auto saved_with = [&](const std::string& validation) {
      Sources sources = one_text(training + validation);
      Notes notes;
      return make_tokenizer(settings, sources, notes)->save();
    };
    CHECK(saved_with(other) == saved_with(std::string(other.size(), 'x')));
    // Validation texts of their own are no part of training either; then all of the text is.
    Sources apart = one_text(training + other);
    apart.validation = one_text(std::string(500, 'q')).training;
    Notes notes;
    const std::string saved = make_tokenizer(settings, apart, notes)->save();
    CHECK(saved.find("qq") == std::string::npos);
    CHECK(saved != saved_with(other));
  }
}

TEST_CASE("sources: validation begins behind what the tokenizer was learned from") {
  Settings settings;
  settings.tokenizer = "bpe";
  settings.vocab_size = 280;
  settings.given = {"tokenizer", "vocab_size"};
  settings.block_size = 4;
  // Long tokens at the end: a tenth of the tokens is more than a tenth of the bytes.
  std::string text;
  for (int i = 0; i < 2000; ++i) text += static_cast<char>('A' + i * 7 % 53);
  while (text.size() < 10'000) text += " ababab";
  text.resize(10'000);
  Sources sources = one_text(text);
  Notes notes;
  const model::TokenizerHandle tokenizer = make_tokenizer(settings, sources, notes);
  Corpus corpus = encode(sources, *tokenizer);
  const Index learned = learned_tokens(corpus, sources, settings, *tokenizer);
  const auto bytes_from = [&](Index first) {
    std::size_t bytes = 0;
    for (Index i = first; i < corpus.ids().size(); ++i)
      bytes += tokenizer->token_bytes(corpus.ids()[i]).size();
    return bytes;
  };
  CHECK(bytes_from(learned) <= 1000);
  CHECK(bytes_from(learned - 1) > 1000);
  cut(corpus, sources, settings, 0);
  CHECK(bytes_from(corpus.size(Split::train)) > 1000);
  cut(corpus, sources, settings, learned);
  CHECK(corpus.size(Split::train) == learned);
}

TEST_CASE("sources: the files and the byte that several texts' validation begins at") {
  Settings settings;
  settings.block_size = 4;
  settings.val_fraction = 0.25;
  Sources sources = one_text("");
  Texts& texts = sources.training;
  const auto place = [&](const std::string& separator) {
    texts.paths.clear(), texts.ends.clear(), texts.joined.clear();
    for (const std::string file : {"a", "b", "c"}) {
      texts.paths.push_back("in/" + file);
      // The second ends with the separator, the others get one.
      texts.joined += std::string(file == "c" ? 6 : 20, 'x') + (file == "b" ? "|" : "");
      texts.ends.push_back(texts.joined.size());
    }
    settings.document_separator = separator;
    Notes notes;
    const model::TokenizerHandle tokenizer = make_tokenizer(settings, sources, notes);
    Corpus corpus = encode(sources, *tokenizer);
    cut(corpus, sources, settings, 0);
    return validation_place(corpus, sources, settings, *tokenizer);
  };
  CHECK(place("") == "the last 25 %, from b, byte 15, to c");   // 35 of 47 tokens
  CHECK(place("|") == "the last 25 %, from b, byte 15, to c");  // 36 of 49, one of them between
  settings.val_fraction = 6.0 / 47;
  CHECK(place("") == "the last 12.766 %, c from byte 0 on");
  settings.val_fraction = 0.05;
  CHECK(place("|") == "the last 5 %, c from byte 2 on");  // 5 tokens at least
}

TEST_CASE("sources: a separator that does not occur is said to end the text, or each file") {
  Settings settings;
  settings.document_separator = "<end>";
  Sources sources = one_text("one text, and another");
  const auto note = [&] {
    Notes notes;
    make_tokenizer(settings, sources, notes);
    return notes.waiting().empty() ? std::string() : notes.waiting()[0];
  };
  CHECK_THAT(note(), Catch::Contains("\"<end>\" does not occur in the text; it only ends it"));
  sources.training.ends.insert(sources.training.ends.begin(), 8);
  CHECK_THAT(note(), Catch::Contains("it only ends each file"));
  sources.training.joined = "a text with <end> in it";
  sources.training.ends = {sources.training.joined.size()};
  CHECK(note().empty());
}

TEST_CASE(
    "sources: the separator of somebody else's model ends each file only if it is asked for") {
  const std::string_view text = "ab";
  const model::TokenizerHandle inner = model::CharTokenizer::train({&text, 1}),
                               ours = std::make_shared<model::DocumentTokenizer>(inner, "<end>"),
                               other = std::make_shared<model::DocumentTokenizer>(inner, "<end>",
                                                                                  false);
  Texts files;
  files.name = "2 files";
  files.paths = {"a", "b"};
  Texts one = files;
  one.paths.pop_back();
  struct Case {
    const model::TokenizerHandle& of_model;
    const Texts& texts;
    std::string asked, note;
    bool ends_texts;
  };
  for (const Case& row :
       {Case{inner, files, "", "", false}, Case{ours, files, "", "", true},
        Case{ours, files, "<end>", "", true}, Case{other, one, "", "", false},
        Case{other, files, "<end>", "", true},
        Case{other, files, "",
             "2 files: read as one text; --document_separator '<end>' ends each file with the "
             "model's token",
             false}}) {
    Settings settings;
    settings.document_separator = row.asked;
    Notes notes;
    INFO(row.asked << ", " << row.note);
    const model::TokenizerHandle made =
        tokenizer_of_model(settings, row.of_model, row.texts, notes);
    CHECK(made->ends_texts() == row.ends_texts);
    CHECK((notes.waiting().empty() ? "" : notes.waiting()[0]) == row.note);
  }
  Settings settings;
  settings.document_separator = "<x>";
  Notes notes;
  CHECK_THROWS_WITH(tokenizer_of_model(settings, other, one, notes),
                    "--document_separator: \"<x>\" is not that of the model, which has \"<end>\"");
  CHECK_THROWS_WITH(tokenizer_of_model(settings, inner, one, notes),
                    "--document_separator: \"<x>\" is not that of the model, which has none");
}

TEST_CASE(
    "sources: without a word from the user, the text's size decides on tokens or characters") {
  std::mt19937 random(1);
  std::string words;
  while (words.size() < 300'000) {
    for (int i = 0; i < 4; ++i) words += static_cast<char>('a' + random() % 26);
    words += ' ';
  }
  const auto kind_of = [](Settings settings, const std::string& text) {
    Notes notes;
    const model::TokenizerHandle made = make_tokenizer(settings, one_text(text), notes);
    return engine::joined(made->kind(), ' ', made->vocabulary_size(),
                          notes.waiting().empty() ? "" : ": " + notes.waiting()[0]);
  };
  CHECK(kind_of({}, words.substr(0, 99'999)) == "char 27");
  CHECK(kind_of({}, words) ==
        "bpe 1243: tokenizer bpe: the text is long enough for 1243 tokens to be learned; "
        "--tokenizer char takes characters");
  Settings sized;
  sized.vocab_size = 300;
  sized.given = {"vocab_size"};
  CHECK(kind_of(sized, words.substr(0, 50'000)) == "bpe 300");
  // Next to nothing is trained on: nothing is learned, and nothing read that is not there.
  Settings nothing;
  nothing.val_fraction = 1 - 1e-9;
  nothing.document_separator = "<end>";
  CHECK_THAT(kind_of(nothing, words), Catch::StartsWith("bpe 257: "));
  // The same over and over would be a handful of tokens.
  CHECK(kind_of({}, std::string(200'000, 'a')) == "char 1");
  // Tokens of 17 bytes are too few, those of ordinary texts are not: prose, a list, rows of a table, nor
  // one sentence again and again, whose tokens are its words.
  std::ifstream file("data/fables.txt", std::ios::binary);
  const std::string prose{std::istreambuf_iterator<char>(file), {}};
  CHECK_THAT(kind_of({}, prose), Catch::StartsWith("bpe "));
  std::string list, table, sentence;
  for (int i = 0; list.size() < 150'000; ++i) list += engine::joined("item ", i, " of the list\n");
  while (table.size() < 150'000)
    table += engine::joined("2026-11-26T17:", random() % 60, ":", random() % 60, "Z,",
                            random() % 1000, ",ok\n");
  while (sentence.size() < 150'000) sentence += "All work and no play makes Jack a dull boy.\n";
  CHECK_THAT(kind_of({}, list), Catch::StartsWith("bpe "));
  CHECK_THAT(kind_of({}, table), Catch::StartsWith("bpe "));
  CHECK_THAT(kind_of({}, sentence), Catch::StartsWith("bpe "));
  for (const int letters : {15, 16}) {
    std::string word = " ", repeated;
    for (int i = 0; i < letters; ++i) word += static_cast<char>('a' + i);
    while (repeated.size() < 150'000) repeated += word;
    CHECK_THAT(kind_of({}, repeated), Catch::StartsWith(letters == 15 ? "bpe " : "char "));
  }
  Settings asked;
  asked.given = {"tokenizer"};  // --tokenizer auto
  CHECK(kind_of(asked, std::string(200'000, 'a')) ==
        "char 1: tokenizer char: the text repeats itself");
  CHECK_THAT(kind_of({}, std::string(200'000, '\xe9') + words.substr(0, 1000)),
             Catch::StartsWith("byte 256: ") && Catch::Contains("training on bytes"));
  // A flag that is given its own default changes nothing.
  for (const std::string& text : {std::string(200, 'a') + "\xff" + std::string(200, 'b'),
                                  std::string(200'000, '\xe9') + words.substr(0, 1000)})
    CHECK(kind_of(asked, text) == kind_of({}, text));
}
