// The tokenizer that suits a text, and where validation begins.
#include "train/text/sources.h"

#include <fstream>
#include <random>

#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/model/error.h"

using namespace train;

namespace {

Texts texts_of(const std::vector<std::string>& files) {
  Texts texts;
  texts.name = "text";
  for (const std::string& file : files) {
    texts.joined += file;
    texts.ends.push_back(texts.joined.size());
    texts.paths.push_back(std::string("in/") + static_cast<char>('a' + texts.paths.size()));
  }
  return texts;
}

Sources one_text(const std::string& text, double val_fraction = 0.1) {
  return split_texts(texts_of({text}), {}, val_fraction);
}

}  // namespace

TEST_CASE("sources: the first int((1 - val_fraction) n) of n characters are trained on") {
  const auto training = [](const std::string& text, double val_fraction) {
    const Sources sources = one_text(text, val_fraction);
    const std::string_view first = sources.part(Split::train).text();
    CHECK(std::string(first) + std::string(sources.part(Split::validation).text()) == text);
    return first.size();
  };
  // Tiny shakespeare's split, as nanoGPT's prepare.py prints it.
  CHECK(training(std::string(1'115'394, 'x'), 0.1) == 1'003'854);
  CHECK(training("0123456789", 0.25) == 7);
  CHECK(training("0123456789", 0) == 10);
  // Characters of 1 to 4 bytes; of a text that is not UTF-8, bytes.
  const std::string text = "aé€😀zb";
  const std::size_t begins[] = {0, 1, 3, 6, 10, 11};
  for (int i = 0; i < 6; ++i) CHECK(training(text, 1 - (i + 0.5) / 6) == begins[i]);
  CHECK(training("caf\xe9 \xe9t\xe9", 0.5) == 4);
  CHECK(training(std::string(10, '\x80'), 0.5) == 5);
}

TEST_CASE("sources: no separator is cut in two") {
  const std::string text = "aaa<end>bbb<end>";
  const std::size_t ends[] = {0, 1, 2, 3, 8, 8, 8, 8, 8, 9, 10, 11, 16, 16, 16, 16, 16};
  for (std::size_t at = 0; at < 17; ++at)
    CHECK(split_texts(texts_of({text}), {}, 1 - (double(at) + 0.1) / 16, "<end>").split ==
          ends[at]);
  CHECK(one_text(text, 0.75).split == 4);
}

TEST_CASE("sources: where a part has no context, the error names flags that help") {
  const auto refusal = [](const Sources& sources, Index T) {
    Notes notes;
    const Corpus corpus = encode(sources, *make_tokenizer({}, sources, notes), false, notes);
    return error_of([&] { check_context(sources, corpus, T); });
  };
  const std::string text(130, 'x');
  CHECK(refusal(one_text(text), 12) == "accepted");
  CHECK_THAT(refusal(one_text(text), 13),
             Catch::EndsWith("needed: --block_size 12, or a larger --val_fraction"));
  CHECK_THAT(refusal(one_text(text, 0.904), 12),
             Catch::EndsWith("needed: --block_size 11, or a smaller --val_fraction"));
  CHECK_THAT(refusal(one_text("abcd"), 1), Catch::EndsWith("needed: a larger --val_fraction"));
  CHECK_THAT(refusal(one_text("abc"), 1), Catch::EndsWith("needed"));
}

TEST_CASE("sources: what is validated on teaches a bpe nothing") {
  TokenizerRequest request{.kind = model::TokenizerKind::bpe};
  std::string training, other;
  for (int i = 0; i < 900; ++i) training += "the cat sat. ";
  for (int i = 0; i < 100; ++i) other += "zweifelhaft? ";
  for (const std::string separator : {"", "."}) {
    INFO("separator " << separator);
    request.separator = separator;
    Notes notes;
    const auto saved_with = [&](const std::string& validation) {
      return make_tokenizer(request, one_text(training + validation), notes)->save();
    };
    CHECK(saved_with(other) == saved_with(std::string(other.size(), 'x')));
    // Validation texts from --val_text are not trained on either; then all of the text is trained
    // on.
    const Sources apart =
        split_texts(texts_of({training + other}), texts_of({std::string(500, 'q')}), 0.1);
    const std::string saved = make_tokenizer(request, apart, notes)->save();
    CHECK(saved.find("qq") == std::string::npos);
    CHECK(saved != saved_with(other));
  }
}

TEST_CASE("sources: the files and the byte that several texts' validation begins at") {
  const auto place = [](double val_fraction) {
    const Texts texts = texts_of({std::string(20, 'x'), std::string(21, 'y'), "xxxxxx"});
    return validation_place(split_texts(texts, {}, val_fraction), val_fraction);
  };
  CHECK(place(0.25) == "the last 25 %, from b, byte 15, to c");  // 35 of 47 bytes
  CHECK(place(6.0 / 47) == "the last 12.766 %, c from byte 0 on");
  CHECK(place(0.05) == "the last 5 %, c from byte 3 on");
}

TEST_CASE("sources: a file that is split in two has its separator behind its end") {
  Sources sources = split_texts(texts_of({"aaaa", "bbbb", "cc"}), {}, 0.4);
  Notes notes;
  const model::TokenizerHandle tokenizer =
      make_tokenizer({.kind = model::TokenizerKind::character, .separator = "|"}, sources, notes);
  const Corpus corpus = encode(sources, *tokenizer, false, notes);
  std::string text;
  for (Index i = 0; i < corpus.ids().size(); ++i) {
    if (i == corpus.size(Split::train)) text += ' ';
    text += tokenizer->token_bytes(corpus.ids()[i]);
  }
  CHECK(text == "aaaa|bb bb|cc|");
}

TEST_CASE("sources: a separator that does not occur in several files is said to end each") {
  Notes notes;
  make_tokenizer({.separator = "<end>"}, split_texts(texts_of({"one", "two"}), {}, 0.1), notes);
  REQUIRE(notes.waiting().size() == 1);
  CHECK_THAT(notes.waiting()[0], Catch::EndsWith("of each file"));
}

TEST_CASE("sources: another program's separator ends each file only if the user gives it") {
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
    std::string separator, note;
    bool appends_end_of_text;
  };
  for (const Case& row : {Case{inner, files, "", "", false}, Case{ours, files, "", "", true},
                          Case{ours, files, "<end>", "", true}, Case{other, one, "", "", false},
                          Case{other, files, "<end>", "", true},
                          Case{other, files, "",
                               "2 files: read as one text; --document_separator '<end>' ends each "
                               "file with the model's token",
                               false}}) {
    Notes notes;
    INFO(row.separator << ", " << row.note);
    const model::TokenizerHandle made =
        tokenizer_of_model(row.separator, row.of_model, row.texts, notes);
    CHECK(made->appends_end_of_text() == row.appends_end_of_text);
    CHECK((notes.waiting().empty() ? "" : notes.waiting()[0]) == row.note);
  }
  Notes notes;
  CHECK_THROWS_WITH(tokenizer_of_model("<x>", inner, one, notes),
                    "--document_separator: \"<x>\" is not the model's separator, which is none");
}

TEST_CASE("sources: by default the text's size decides on tokens or characters") {
  std::mt19937 random(1);
  std::string words, list, table, sentence;
  while (words.size() < 300'000) {
    for (int i = 0; i < 4; ++i) words += static_cast<char>('a' + random() % 26);
    words += ' ';
  }
  // A letter from U+0100 on has two bytes, so a word and its space have nine.
  std::string accented;
  for (const char c : words.substr(0, 62'500))
    accented += c == ' ' ? " " : std::string{'\xC4', static_cast<char>(c - 'a' + 0x80)};
  CHECK(accented.size() == 112'500);
  std::ifstream file("data/fables.txt", std::ios::binary);
  const std::string prose{std::istreambuf_iterator<char>(file), {}};
  for (int i = 0; list.size() < 150'000; ++i) list += engine::joined("item ", i, " of the list\n");
  while (table.size() < 150'000)
    table += engine::joined("2026-11-26T17:", random() % 60, ":", random() % 60, "Z,",
                            random() % 1000, ",ok\n");
  while (sentence.size() < 150'000) sentence += "All work and no play makes Jack a dull boy.\n";
  const auto repeated = [](std::string_view word) {
    std::string text;
    while (text.size() < 150'000) text += word;
    return text;
  };
  const std::string thousand(999, 'a'),
      latin = std::string(200'000, '\xe9') + words.substr(0, 1000);

  const auto kind_of = [](const TokenizerRequest& request, const std::string& text,
                          double val_fraction = 0.1) {
    Notes notes;
    const model::TokenizerHandle made =
        make_tokenizer(request, one_text(text, val_fraction), notes);
    return engine::joined(engine::name_of(made->kind()), ' ', made->vocabulary_size(),
                          notes.waiting().empty() ? "" : ": " + notes.waiting()[0]);
  };
  for (const auto& [text, kind] : std::initializer_list<std::pair<std::string, const char*>>{
           {words.substr(0, 99'999), "char 27"},
           {words.substr(0, 100'000), "bpe "},
           {accented, "bpe "},  // bytes count
           {accented.substr(0, 99'999), "char 27"},
           {thousand + "\xE9", "char 2: "},  // one broken byte in a thousand is let pass
           {thousand.substr(1) + "\xE9", "byte 256: "},
           {latin, "byte 256: "},
           // The same over and over would be a handful of tokens. Those of 17 bytes are too few,
           // those of ordinary texts are not, nor one sentence again and again.
           {std::string(200'000, 'a'), "char 1"},
           {repeated(" abcdefghijklmno"), "bpe "},
           {repeated(" abcdefghijklmnop"), "char "},
           {prose, "bpe "},
           {list, "bpe "},
           {table, "bpe "},
           {sentence, "bpe "}}) {
    INFO(text.size() << " bytes, " << text.substr(0, 40));
    CHECK_THAT(kind_of({}, text), Catch::StartsWith(kind));
  }
  // A validation text of its own is part of what is encoded, and counts.
  for (const std::size_t size : {40'000u, 39'999u}) {
    Notes notes;
    const Sources apart =
        split_texts(texts_of({words.substr(0, 60'000)}), texts_of({words.substr(0, size)}), 0.1);
    CHECK((make_tokenizer({}, apart, notes)->kind() == model::TokenizerKind::bpe) ==
          (size == 40'000));
  }
  CHECK(kind_of({}, words) ==
        "bpe 1243: tokenizer bpe: the text is long enough to learn 1243 tokens; --tokenizer char "
        "uses characters");
  CHECK(kind_of({.vocabulary_size = 300}, words.substr(0, 50'000)) == "bpe 300");
  // The training part is nearly empty: no merges are learned, and no memory outside of it is read.
  CHECK_THAT(kind_of({.separator = "<end>"}, words, 1 - 1e-9), Catch::StartsWith("bpe 257: "));
  const TokenizerRequest given{.was_given = true};  // --tokenizer auto
  CHECK(kind_of(given, "to be or not to be") == "char 7: tokenizer char: the text is short");
  CHECK(kind_of(given, std::string(200'000, 'a')) ==
        "char 1: tokenizer char: the text repeats itself");
  // A flag that is given its own default changes nothing.
  for (const std::string& text : {std::string(200, 'a') + "\xff" + std::string(200, 'b'), latin})
    CHECK(kind_of(given, text) == kind_of({}, text));
}
