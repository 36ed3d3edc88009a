// gradus sample, eval and info, from outside.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/text.h"
#include "model/model_file.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "tests/pieces.h"
#include "tests/program/rewrite.h"
#include "tests/program/run.h"

using program::Sandbox;

namespace {

// Trained for a moment on ASCII text; its model is in run/.
struct Trained : Sandbox {
  explicit Trained(const std::string& flags = "", const std::string& extra = "") {
    std::string text;
    for (int i = 0; i < 150; ++i)
      text += "The " + std::string(i % 2 ? "fox" : "hen") + " went " + std::to_string(i) +
              " miles.\n" + extra;
    program::write(*this / "tale.txt", text);
    const auto run = gradus(
        "train tale.txt --out_dir run --n_layer 2 --n_head 2 --n_embd 32 --block_size 16"
        " --batch_size 4 --max_iters 20 --dtype float32 " +
        flags);
    INFO(run.err);
    REQUIRE(run.status == 0);
  }
};

// Trained once; the tests do not touch what is there.
const Trained& tale() {
  static const Trained box;
  return box;
}

std::ptrdiff_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

}  // namespace

TEST_CASE("sample: the prompt and its continuation, and nothing else on standard output",
          "[shell]") {
  const Trained& box = tale();
  const auto run = box.gradus("sample run --prompt 'The fox' --max_new_tokens 40 --seed 1");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith("The fox"));
  CHECK(run.out.size() == 7 + 40 + 1);  // and a line end
  CHECK_THAT(run.err, Catch::StartsWith("40 tokens in ") && Catch::EndsWith(" tokens/s\n"));
  CHECK(lines_of(run.err) == 1);

  CHECK(box.gradus("sample run/model.safetensors --start='The fox' --max_new_tokens=40 --seed 1")
            .out == run.out);
  CHECK(box.gradus("sample run --prompt 'The fox' --max_new_tokens 40 --threads 1 --seed 1").out ==
        run.out);
  CHECK(box.gradus("sample run --prompt 'The fox' --max_new_tokens 40 --seed 2").out != run.out);
  CHECK(box.gradus("sample run --max_new_tokens 0").out == "\n\n");  // a line end to begin with
  // Without a model yet, a run's checkpoint will do.
  CHECK(box.shell("mkdir new; cp run/checkpoint.safetensors new; \"$GRADUS\" sample new "
                  "--max_new_tokens 3")
            .status == 0);
}

TEST_CASE("sample: several samples, with a line of dashes between them") {
  const Trained& box = tale();
  const auto run =
      box.gradus("sample run --prompt The --num_samples 3 --max_new_tokens 20 --stop '\n'");
  REQUIRE(run.status == 0);
  std::string rest = run.out;
  int samples = 0;
  const std::string dashes = "---------------\n";
  for (std::size_t at; (at = rest.find(dashes)) != std::string::npos; ++samples) {
    CHECK_THAT(rest.substr(0, at), Catch::StartsWith("The") && Catch::EndsWith("\n"));
    rest.erase(0, at + dashes.size());
  }
  CHECK(samples == 2);
  CHECK_THAT(rest, Catch::StartsWith("The"));
  CHECK(lines_of(run.out) == 5);  // stopped before each line end
}

TEST_CASE("sample: a prompt from a file, from standard input, one after another", "[shell]") {
  const Trained& box = tale();
  program::write(box / "prompt.txt", "The hen");
  const std::string expected =
      box.gradus("sample run --prompt 'The hen' --max_new_tokens 9 --seed 1").out;
  CHECK(box.gradus("sample run --prompt FILE:prompt.txt --max_new_tokens 9 --seed 1").out ==
        expected);
  CHECK(
      box.shell("printf 'The hen' | \"$GRADUS\" sample run --prompt - --max_new_tokens 9 --seed 1")
          .out == expected);
  const auto run = box.shell(
      "printf 'The hen\\n\xC3\xA9\\n\\nThe fox' | \"$GRADUS\" sample run --interactive "
      "--unknown error --max_new_tokens 9 --temperature 0");
  CHECK(run.status == 1);  // one of them was refused
  const auto greedy = [&](const std::string& prompt) {
    return box.gradus("sample run --max_new_tokens 9 --temperature 0" + prompt).out;
  };
  CHECK(run.out == greedy(" --prompt 'The hen'") + greedy("") + greedy(" --prompt 'The fox'"));
  CHECK_THAT(run.err,
             Catch::Contains("gradus chat: prompt: byte 0: ") && Catch::Contains("U+00E9"));
  // Escapes are those of --stop, and not for what is read; CRLF is read as LF.
  const std::string lines = greedy(" --prompt 'The hen\nThe'");
  CHECK(greedy(R"( --prompt 'The hen\nThe')") == lines);
  CHECK(greedy(R"( --prompt '\x54he hen\x0aThe' --stop '\x01')") == lines);
  program::write(box / "prompt.txt", "The hen\r\nThe");
  const auto crlf = box.gradus("sample run -n 9 --temperature 0 --prompt FILE:prompt.txt");
  CHECK(crlf.out == lines);
  CHECK_THAT(crlf.err, Catch::Contains("prompt.txt: lines end in CRLF, read as LF\n"));
  program::write(box / "prompt.txt", R"(The\nhen)");
  CHECK_THAT(box.gradus("sample run --prompt FILE:prompt.txt").err, Catch::Contains("know '\\'"));
  const auto piped =
      box.shell("printf 'The hen\\r\\nThe fox\\r\\n' | \"$GRADUS\" chat run -n 9 --temperature 0");
  CHECK(piped.out == greedy(" --prompt 'The hen'") + greedy(" --prompt 'The fox'"));
  CHECK_THAT(piped.err,
             Catch::Contains("\nstandard input: lines end in CRLF, read as LF\n9") ||
                 Catch::Contains("\nstandard input: lines end in CRLF, read as LF\n18 "));
  const auto empty = box.shell("\"$GRADUS\" sample run --prompt - </dev/null");
  CHECK(empty.status == 1);
  CHECK(empty.err == "gradus sample: standard input: is empty, expected a prompt\n");
}

TEST_CASE("sample: a prompt can begin a conversation, and chat leaves unknown symbols out",
          "[shell]") {
  const Trained& box = tale();
  const auto both =
      box.shell("echo 'The hen' | \"$GRADUS\" sample run -p 'The fox' -i -n 5 --temperature 0");
  CHECK(both.status == 0);
  CHECK_THAT(both.out, Catch::StartsWith("The fox") && Catch::Contains("\nThe hen"));
  const auto chat = box.shell("echo 'The %hen' | \"$GRADUS\" chat run -n 5");
  CHECK(chat.status == 0);
  CHECK_THAT(chat.out, Catch::Contains("The hen"));
  CHECK_THAT(chat.err,
             Catch::Contains("prompt: skipped 1 symbol that the vocabulary does not know"));
}

TEST_CASE("sample: each sample differs, says its seed, and that seed repeats it") {
  const Trained& box = tale();
  const auto first = box.gradus("sample run 'The fox' -n 60"),
             second = box.gradus("sample run 'The fox' -n 60");
  CHECK(first.out != second.out);
  const std::size_t at = first.err.find("--seed ");
  REQUIRE(at != std::string::npos);
  const std::string seed = first.err.substr(at, first.err.size() - at - 1);
  CHECK(box.gradus("sample run 'The fox' -n 60 " + seed).out == first.out);
  const auto file = box.gradus("sample run 'The fox' -n 60 -o sample.txt " + seed);
  CHECK(file.out.empty());
  CHECK(program::read(box / "sample.txt") == first.out);
  CHECK_THAT(box.gradus("sample run -o none/sample.txt").err, Catch::Contains("none"));
}

TEST_CASE("chat: prompts and answers, without dashes", "[shell]") {
  const Trained& box = tale();
  const auto chat =
      box.shell("printf 'The hen\\n\\nThe fox' | \"$GRADUS\" chat run -n 9 --temperature 0");
  INFO(chat.err);
  CHECK(chat.status == 0);
  CHECK_THAT(chat.out, Catch::StartsWith("The hen") && Catch::Contains("\nThe fox") &&
                           !Catch::Contains("---"));
  CHECK_THAT(chat.err, Catch::StartsWith("A GPT of "));
}

TEST_CASE("chat, sample: standard input without an end is refused after 16 MiB", "[shell]") {
  const Trained& box = tale();
  const auto chat = box.shell("\"$GRADUS\" chat run </dev/zero");
  CHECK(chat.status == 1);
  CHECK(chat.out.empty());
  CHECK_THAT(chat.err,
             Catch::EndsWith("\ngradus chat: standard input: a line of more than 16777216 "
                             "bytes\n"));
  const auto sample = box.shell("\"$GRADUS\" sample run --prompt - </dev/zero");
  CHECK(sample.status == 1);
  CHECK(sample.err == "gradus sample: standard input: a text of more than 16777216 bytes\n");
}

TEST_CASE("sample: symbols the model has never seen are refused by name, or skipped") {
  const Trained& box = tale();
  const auto refused = box.gradus("sample run --prompt 'The f\xC3\xA9x'");
  CHECK(refused.status == 1);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err,
             Catch::StartsWith("gradus sample: --prompt: byte 5: ") && Catch::Contains("U+00E9"));
  CHECK(lines_of(refused.err) == 1);
  const auto skipped =
      box.gradus("sample run --prompt 'The f\xC3\xA9x' --unknown skip --max_new_tokens 5");
  CHECK(skipped.status == 0);
  CHECK_THAT(skipped.out, Catch::StartsWith("The fx"));
  CHECK_THAT(skipped.err, Catch::Contains("--prompt: skipped 1 symbol that "));
  const auto nothing = box.gradus("sample run --prompt '\xC3\xA9' --unknown skip");
  CHECK(nothing.status == 1);
}

TEST_CASE("sample: a closed pipe ends it quietly, a full device is an error", "[shell]") {
  const Trained& box = tale();
  const auto closed = box.shell(
      "{ \"$GRADUS\" sample run --max_new_tokens 1000000; echo status $? >status; } | head -c 20");
  CHECK(closed.out.size() == 20);
  CHECK(closed.err.empty());
  CHECK(program::read(box / "status") == "status 0\n");
  box.shell("{ sleep 0.2; \"$GRADUS\" --help; echo status $? >status; } | true");
  CHECK(program::read(box / "status") == "status 0\n");
  if (!std::filesystem::exists("/dev/full")) return;
  for (const char* command : {"sample run", "eval run tale.txt", "info run"}) {
    const auto full = box.shell("\"$GRADUS\" " + std::string(command) + " >/dev/full");
    INFO(command << ": " << full.err);
    CHECK(full.status == 1);
    CHECK_THAT(full.err, Catch::Contains("standard output: cannot write: "));
    CHECK(lines_of(full.err) == 1);
  }
}

TEST_CASE("sample: characters of several bytes are never cut, whatever the tokens are", "[posix]") {
  const Trained box("--tokenizer byte", "\xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9 \xE2\x82\xAC\n");
  // Greedy sampling of a model this young may make any bytes; what was complete stays complete.
  const auto run = box.gradus("sample run --prompt '\xF0\x9F\x98\x80' --max_new_tokens 0");
  CHECK(run.out == "\xF0\x9F\x98\x80\n");
  const auto cut = box.gradus("sample run --prompt 'a\xE2\x82' --max_new_tokens 0");
  CHECK(cut.out == "a\n");
  // The first new token completes the character, or breaks it off.
  CHECK_THAT(box.gradus("sample run --prompt 'a\xE2\x82' --max_new_tokens 9").out,
             Catch::StartsWith("a\xE2\x82"));
}

TEST_CASE("eval: the four figures agree with each other, and baselines follow") {
  const Trained& box = tale();
  const auto run = box.gradus("eval run tale.txt --train_text tale.txt");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  double loss = 0, perplexity = 0, per_character = 0, per_byte = 0, ngram[6] = {};
  REQUIRE(std::sscanf(run.out.c_str(),
                      "loss %lf\nperplexity %lf\nbits per character %lf\nbits per byte %lf\n"
                      "1-gram %lf\n2-gram %lf\n3-gram %lf\n4-gram %lf\n5-gram %lf\n6-gram %lf\n",
                      &loss, &perplexity, &per_character, &per_byte, ngram, ngram + 1, ngram + 2,
                      ngram + 3, ngram + 4, ngram + 5) == 10);
  // Each figure is rounded to 4 digits: off by at most 0.00005.
  CHECK(std::abs(std::log(perplexity) - loss) < 0.0001);
  CHECK(std::abs(per_byte * std::log(2) - loss) < 0.0001);
  CHECK(per_character == per_byte);  // ASCII
  CHECK(ngram[0] > ngram[5]);
  // Without a text to count on, what the run noted of its own validation text is no baseline.
  const auto alone = box.gradus("eval run tale.txt");
  CHECK(alone.out == run.out.substr(0, run.out.find("1-gram ")));
  const std::string size = engine::count_text(
      static_cast<engine::Index>(std::filesystem::file_size(box / "tale.txt")) - 1);
  CHECK(alone.err ==
        "tale.txt: " + size + " tokens predicted, " + size +
            " characters; tale.txt is a text that the model was trained on, but for its "
            "validation part\n");
  program::write(box / "other.txt", "The fox");
  CHECK(box.gradus("eval run other.txt").err == "other.txt: 6 tokens predicted, 6 characters\n");
}

TEST_CASE("eval: characters are code points, bytes are bytes") {
  const Trained box("", "\xC3\xA9\xE2\x82\xAC\n");
  program::write(box / "other.txt", "e\xC3\xA9\xC3\xA9\xE2\x82\xAC");  // predicted: 3, 7 bytes
  const auto run = box.gradus("eval run other.txt");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  double loss = 0, per_character = 0, per_byte = 0;
  REQUIRE(std::sscanf(run.out.c_str(),
                      "loss %lf\nperplexity %*f\nbits per character %lf\nbits per byte %lf", &loss,
                      &per_character, &per_byte) == 3);
  CHECK(std::abs(per_character * std::log(2) - loss) < 0.0001);
  CHECK(std::abs(per_byte * 7 - per_character * 3) < 0.0005);
}

TEST_CASE("eval: a symbol the model does not know is an error, or left out and not scored") {
  const Trained& box = tale();
  program::write(box / "known.txt", "The hen went 12 miles.\n");
  program::write(box / "other.txt", "The \xe2\x82\xachen went 12 %miles.\n");
  const auto refused = box.gradus("eval run other.txt");
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err, Catch::Contains("other.txt: byte 4: the vocabulary does not know U+20AC; "
                                          "--unknown skip") &&
                              Catch::Contains("byte or bpe"));
  const auto skipped = box.gradus("eval run other.txt --unknown skip");
  CHECK(skipped.status == 0);
  CHECK(skipped.out == box.gradus("eval run known.txt").out);
  CHECK_THAT(skipped.err,
             Catch::Contains("other.txt: 2 symbols that the vocabulary does not know"));
}

TEST_CASE("eval: the loss of the validation part is the one training reported") {
  const Trained& box = tale();
  const std::string text = program::read(box / "tale.txt");
  const std::size_t cut = static_cast<std::size_t>(0.9 * static_cast<double>(text.size()));
  program::write(box / "val.txt", text.substr(cut));
  const auto run = box.gradus("eval run val.txt");
  const auto info = box.gradus("info run");
  double loss = 0;
  REQUIRE(std::sscanf(run.out.c_str(), "loss %lf", &loss) == 1);
  const std::size_t at = info.out.find("validation loss ");
  REQUIRE(at != std::string::npos);
  const std::string first = text.substr(0, cut);
  program::write(box / "first.txt", first);
  // And so are the n-grams' losses.
  std::string counted, length;
  std::istringstream out(
      box.gradus("eval run val.txt --train_text first.txt").out.substr(run.out.size()));
  for (std::string of; out >> length >> of;) counted += of + " ";
  CHECK_THAT(info.out, Catch::Contains("n-grams of 1, 2, ..  " + counted + "(validation loss"));
  // Both are rounded to 4 digits; the windows are the same, the batches they are summed in not.
  CHECK(std::abs(std::atof(info.out.c_str() + at + 16) - loss) < 0.00011);
}

TEST_CASE("sample, eval, info: what is wrong with a file is said in one line", "[shell]") {
  const Trained& box = tale();
  program::write(box / "one.txt", "T");
  program::write(box / "none.txt", "");
  program::write(box / "greek.txt", "The \xCE\xB1");
  box.shell("mkdir hollow; head -c 1000 run/model.safetensors >cut.safetensors");
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const auto run = box.gradus(arguments);
    INFO(arguments << ": " << run.err);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Catch::Contains(text));
    CHECK(lines_of(run.err) == 1);
  };
  refused("sample nowhere", "gradus sample: nowhere: cannot open: ");
  refused("sample hollow", "hollow: holds no model");
  refused("sample cut.safetensors", "cut.safetensors: ");
  refused("info tale.txt", "gradus info: tale.txt: ");
  refused("sample run --prompt FILE:gone", "gone: cannot open: ");
  refused("eval run none.txt", "none.txt: is empty");
  refused("eval run one.txt", "one.txt: is 1 token, expected at least 2");
  refused("eval run greek.txt", "greek.txt: byte 4: ");
  refused("eval run tale.txt --train_text gone", "gone: cannot open: ");
}

TEST_CASE("eval: a text of which the model knows nothing is refused in one line", "[shell]") {
  const Trained box("--document_separator '<|endoftext|>' --tokenizer char");
  program::write(box / "greek.txt", "\xCE\xB1\xCE\xB2");
  program::write(box / "mark.txt", "\xFF\xFE");
  const std::pair<const char*, const char*> cases[] = {
      {"greek.txt", "greek.txt: byte 0: the vocabulary does not know U+03B1"},
      {"greek.txt --unknown skip", "greek.txt: is 0 tokens, expected at least 2"},
      {"tale.txt --unknown skip --train_text greek.txt",
       "greek.txt: is 0 tokens, expected at least 1"},
      {"mark.txt", "mark.txt: is empty"}};
  for (const auto& [arguments, says] : cases) {
    const auto run = box.gradus(std::string("eval run ") + arguments);
    INFO(arguments << ": " << run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::Contains(says));
    CHECK(lines_of(run.err) == 1);
  }
  // Beside a text that has tokens it counts as nothing, without a separator.
  box.shell("mkdir both; cp greek.txt both/a; cp tale.txt both/b");
  const std::string alone = box.gradus("eval run tale.txt").out;
  CHECK(!alone.empty());
  CHECK(box.gradus("eval run both --unknown skip").out == alone);
}

TEST_CASE("eval: a loss that is not finite is an error, as in every command") {
  const Trained box;
  const std::string model = program::read(box / "run/model.safetensors");
  program::write(
      box / "run/model.safetensors",
      program::rewritten(
          model, [](const std::string&, const std::string& text) { return std::optional(text); },
          [&](const std::string& name, std::vector<float>& values) {
            if (name == "transformer.ln_f.weight") values[0] = 3e38f;
          }));
  for (const auto& [command, says] : {std::pair("eval run tale.txt", "its loss on tale.txt is nan"),
                                      std::pair("sample run", "the model's logits are not finite"),
                                      std::pair("report run", "the model's logits are not finite"),
                                      std::pair("train tale.txt --init_from run --out_dir next",
                                                "the loss of the evaluation is nan")}) {
    const auto run = box.gradus(command);
    INFO(command << ": " << run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::Contains(says));
    if (command[0] == 't') continue;  // it has announced the run
    CHECK_THAT(run.err, Catch::Contains(": run: "));
    CHECK(run.out.find("nan") == std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(box / "run/report.html"));
}

TEST_CASE("info: a context that takes far more memory than the file has is refused") {
  const Trained& box = tale();  // rotary positions: no weight depends on the context
  const std::string model = program::read(box / "run/model.safetensors");
  const auto with_context = [&](const std::string& length) {
    program::write(box / "long.safetensors",
                   program::rewritten(
                       model,
                       [&](const std::string& key, const std::string& text) {
                         return std::optional(key == "block_size" ? length : text);
                       },
                       [](const std::string&, const std::vector<float>&) {}));
    return box.gradus("info long.safetensors");
  };
  CHECK(with_context("200000").status == 0);
  const auto run = with_context("1048576");
  CHECK(run.status == 1);
  CHECK_THAT(run.err,
             Catch::StartsWith("gradus info: long.safetensors: block_size: a context of 1048576 "
                               "tokens is too long for a model of "));
  CHECK(lines_of(run.err) == 1);
}

TEST_CASE("eval: a context that does not fit in memory is refused with what it would need") {
  // A feed-forward part of a million features for each of a million positions: 8.8 TB.
  const Sandbox box;
  const model::Config config{.vocab_size = 256,
                             .block_size = 1 << 20,
                             .n_layer = 1,
                             .n_head = 1,
                             .n_embd = 1,
                             .n_inner = 1 << 20};
  model::GPT gpt(config);
  model::SafetensorsWriter writer;
  model::add_model(writer, gpt, model::ByteTokenizer());
  program::write(box / "m.safetensors", joined_pieces(writer.pieces()));
  program::write(box / "long.txt", std::string((1 << 20) + 1, 'a'));
  const auto run = box.gradus("eval m.safetensors long.txt");
  INFO(run.err);
  CHECK(run.status == 1);
  CHECK(run.out.empty());
  CHECK(lines_of(run.err) == 1);
  CHECK_THAT(run.err, Catch::StartsWith("gradus eval: m.safetensors: the loss of a window of "
                                        "1,048,576 tokens takes about ") &&
                          Catch::Contains(" GB of memory, "));
  program::write(box / "short.txt", "aba");
  CHECK(box.gradus("eval m.safetensors short.txt").status == 0);
}

TEST_CASE("sample, eval, info: model files of earlier versions open") {
  const Trained& box = tale();
  const std::string old =
      std::filesystem::absolute("tests/data/model_2026_11.safetensors").generic_string();
  for (const std::string command : {"info ", "sample --max_new_tokens 5 "})
    CHECK(box.gradus(command + "'" + old + "'").status == 0);
  program::write(box / "old.txt", "The Fox and the Crow\n\n\"Good morning\"");
  const auto run = box.gradus("eval '" + old + "' old.txt");
  INFO(run.err);
  CHECK_THAT(run.out, Catch::StartsWith("loss 3."));
}

TEST_CASE("sample, chat, eval, info: what is unusual about a model's attention is said") {
  const Trained box("--attention_scale none --causal false --decay_lr false");
  const std::string causal = "(causal false)",
                    scale =
                        "attention scores are multiplied by 1 instead of 1 / sqrt(16) "
                        "(attention_scale none)\n";
  for (const std::string command : {"sample run --max_new_tokens 20", "chat run"}) {
    const auto run = box.gradus(command);
    INFO(run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.err, Catch::Contains(causal) && Catch::Contains(scale));
    CHECK(lines_of(run.err) == (command == "chat run" ? 4 : 3));
  }
  const auto measured = box.gradus("eval run tale.txt");
  CHECK_THAT(measured.err,
             Catch::StartsWith("this model sees the tokens it is to predict (causal false)"));
  CHECK_THAT(box.gradus("info run").out,
             Catch::Contains("  attention_scale   none\n  causal            false\n"));

  const auto refused = box.gradus("train --resume run --max_iters 21 --causal true");
  CHECK(refused.status == 1);
  CHECK_THAT(refused.err,
             Catch::Contains("--causal: the run in run was started with false, not true"));
  CHECK(box.gradus("train --resume run --max_iters 21 --causal false --attention_scale 1").status ==
        0);
  CHECK_THAT(box.gradus("train --resume run --max_iters 22 --attention_scale sqrt").err,
             Catch::Contains("--attention_scale: the run in run was started with none, not sqrt"));
  CHECK_THAT(box.gradus("train tale.txt --out_dir tuned --init_from run --max_iters 1").err,
             Catch::Contains("begins with the weights"));
  CHECK_THAT(box.gradus("info tuned").out,
             Catch::Contains("  attention_scale   none\n  causal            false\n"));

  const Trained usual("--attention_scale 0.25");  // 1 / sqrt(16)
  CHECK(lines_of(usual.gradus("sample run --max_new_tokens 20 --seed 1").err) == 1);
  CHECK_THAT(usual.gradus("info run").out, Catch::Contains("  attention_scale   0.25\n"));
}

TEST_CASE("info: what the model is and how it was trained") {
  const Trained& box = tale();
  const auto run = box.gradus("info run");
  REQUIRE(run.status == 0);
  CHECK(run.err.empty());
  for (const char* text :
       {"run/model.safetensors: a GPT of ", "n_layer           2\n", "head_dim          16\n",
        "kind              char", "tale.txt, ", "  tokens            26\n",
        // As many as fit in 60 columns.
        R"(  from the first    "\n" " " "." "0" "1" "2" "3" "4" )"
        R"("5" "6" "7" "8" "9" "T" "e" ...)"
        "\n",
        "step              20\n", "seed              1337\n"}) {
    INFO(run.out);
    CHECK_THAT(run.out, Catch::Contains(text));
  }
}

TEST_CASE("info: of many texts the first ten, and how many more there are") {
  const Sandbox box;
  std::filesystem::create_directory(box / "texts");
  for (int i = 10; i < 22; ++i)
    program::write(box / "texts" / (std::to_string(i) + ".txt"),
                   "The hen said " + std::to_string(i * i) + " words to the fox.\n");
  REQUIRE(box.gradus("train texts --max_iters 1 --n_layer 1 --n_head 1 --n_embd 8 --block_size 4 "
                     "--out_dir run")
              .status == 0);
  const std::string info = box.gradus("info run").out;
  CHECK_THAT(info, Catch::Contains("19.txt, 35 bytes\n") && !Catch::Contains("20.txt, 35") &&
                       Catch::Contains(" and 2 more\n"));
}
