// gradus sample and eval, from outside, in cases with computed numbers or a shell. The rest is in
// sample.t.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/text.h"
#include "model/model_file.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "tests/pieces.h"
#include "tests/program/run.h"

using program::number_after;
using program::Sandbox;

namespace {

// Trained for a moment on ASCII text; its model is in run/.
struct Trained : Sandbox {
  Trained() {
    std::string text;
    for (int i = 0; i < 150; ++i)
      text +=
          "The " + std::string(i % 2 ? "fox" : "hen") + " went " + std::to_string(i) + " miles.\n";
    program::write(*this / "tale.txt", text);
    done(
        "train tale.txt --out_dir run --n_layer 2 --n_head 2 --n_embd 32 --block_size 16"
        " --batch_size 4 --max_iters 20 --dtype float32");
  }
};

// Trained once; the tests do not touch what is there.
const Trained& tale() {
  static const Trained box;
  return box;
}

}  // namespace

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

TEST_CASE("sample: the samples of one command differ, and the first is that of its seed alone") {
  const Trained& box = tale();
  const std::string dashes = "\n---------------\n";
  const std::string out =
      box.gradus("sample run 'The fox' -n 60 --seed 7 --num_samples 3").out + dashes.substr(1);
  std::vector<std::string> samples;
  for (std::size_t at = 0, end = 0; (end = out.find(dashes, at)) != out.npos;
       at = end + dashes.size())
    samples.push_back(out.substr(at, end - at) + "\n");
  REQUIRE(samples.size() == 3);
  CHECK(samples[0] == box.gradus("sample run 'The fox' -n 60 --seed 7").out);
  CHECK(std::set<std::string>(samples.begin(), samples.end()).size() == 3);
}

TEST_CASE("sample: the time is that of all samples together") {
  const Trained& box = tale();
  double share = 0;  // of the time until the program has ended, which other programs make longer
  for (int tries = 0; tries < 10 && share < 0.5; ++tries) {
    const auto begin = std::chrono::steady_clock::now();
    const auto run = box.gradus("sample run --num_samples 5 --max_new_tokens 4000");
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const double seconds = number_after(run.err, "20,000 tokens in ");
    CHECK_THAT(run.err, Catch::StartsWith("20,000 tokens in ") &&
                            Catch::Contains(" tokens/s; to repeat it: "));
    CHECK(number_after(run.err, " s, ") ==
          Approx(20'000 / seconds).epsilon(0.01 + 0.006 / seconds));
    CHECK(seconds <= wall.count() + 0.005);  // as printed, to a hundredth
    share = seconds / wall.count();
  }
  CHECK(share >= 0.5);  // a fifth, if it were that of the last
}

TEST_CASE("sample: a closed pipe ends it quietly", "[shell]") {
  const Trained& box = tale();
  const auto closed = box.shell(
      "{ \"$GRADUS\" sample run --max_new_tokens 1000000; echo status $? >status; } | head -c 20");
  CHECK(closed.out.size() == 20);
  CHECK(closed.err.empty());
  CHECK(program::read(box / "status") == "status 0\n");
  box.shell("{ sleep 0.2; \"$GRADUS\" --help; echo status $? >status; } | true");
  CHECK(program::read(box / "status") == "status 0\n");
}

TEST_CASE("eval: the four figures agree with each other, and baselines follow") {
  const Trained& box = tale();
  const auto run = box.done("eval run tale.txt --train_text tale.txt");
  // Each figure is rounded to 4 digits: off by at most 0.00005.
  const double loss = number_after(run.out, "loss "),
               per_byte = number_after(run.out, "\nbits per byte ");
  CHECK(std::abs(std::log(number_after(run.out, "\nperplexity ")) - loss) < 0.0001);
  CHECK(std::abs(per_byte * std::log(2) - loss) < 0.0001);
  CHECK(number_after(run.out, "\nbits per character ") == per_byte);  // ASCII
  CHECK(number_after(run.out, "\n1-gram ") > number_after(run.out, "\n6-gram "));
  // Without a text to count on, what the run noted of its own validation text is no baseline.
  const auto alone = box.gradus("eval run tale.txt");
  CHECK(alone.out == run.out.substr(0, run.out.find("1-gram ")));
  const std::string size = engine::count_text(
      static_cast<engine::Index>(std::filesystem::file_size(box / "tale.txt")) - 1);
  CHECK(alone.err ==
        "tale.txt: " + size + " tokens predicted, " + size +
            " characters; the model was trained on tale.txt, except for its validation part\n");
  program::write(box / "other.txt", "The fox");
  CHECK(box.gradus("eval run other.txt").err == "other.txt: 6 tokens predicted, 6 characters\n");
}

TEST_CASE("eval: the loss of the validation part is the one training reported") {
  const Trained& box = tale();
  const std::string text = program::read(box / "tale.txt");
  const std::size_t cut = static_cast<std::size_t>(0.9 * static_cast<double>(text.size()));
  program::write(box / "val.txt", text.substr(cut));
  program::write(box / "first.txt", text.substr(0, cut));
  const std::string eval = box.done("eval run val.txt --train_text first.txt").out,
                    info = box.done("info run").out;
  // Both are rounded to 4 digits; the windows are the same, the batches they are summed in not.
  CHECK(std::abs(number_after(info, "validation loss ") - number_after(eval, "loss ")) < 0.00011);
  // And so are the n-grams' losses.
  CHECK_THAT(info, Catch::Contains("n-grams of 1, 2, ..  " + program::ngrams_of(eval) +
                                   " (validation loss"));
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
  program::check_refused(run, " GB of memory, ");
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Catch::StartsWith("gradus eval: m.safetensors: the loss of a window of "
                                        "1,048,576 tokens takes about "));
  program::write(box / "short.txt", "aba");
  box.done("eval m.safetensors short.txt");
}

TEST_CASE("sample, eval, info: model files of earlier versions open") {
  const Trained& box = tale();
  const std::string old =
      std::filesystem::absolute("tests/data/model_2026_11.safetensors").generic_string();
  for (const std::string command : {"info ", "sample --max_new_tokens 5 "})
    box.done(command + "'" + old + "'");
  program::write(box / "old.txt", "The Fox and the Crow\n\n\"Good morning\"");
  const auto run = box.gradus("eval '" + old + "' old.txt");
  INFO(run.err);
  CHECK_THAT(run.out, Catch::StartsWith("loss 3."));
}
