// gradus report, from outside: what is on the page, and what is refused.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "engine/base/text.h"
#include "tests/program/run.h"
#include "tests/unit/train/report/page_data.h"
#include "train/report/data.h"

using page_data::count;
using page_data::Data;
using page_data::Numbers;
using page_data::Words;
using program::Sandbox;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 16 --block_size 16 --batch_size 4 --eval_interval 5 "
    "--out_dir ";

// A run, trained once; the tests do not touch what is there.
struct Trained : program::WithTale {
  Trained() : WithTale(150) { done("train tale.txt --max_iters 12" + small + "run"); }
};
const Sandbox& trained() {
  static const Trained box;
  return box;
}

// The numbers of a column of a log, as a page has them.
Numbers column(const std::string& csv, int number) {
  std::istringstream lines(csv);
  Numbers values;
  bool is_header = true;
  for (std::string line; std::getline(lines, line); is_header = false) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i <= number; ++i) std::getline(fields, field, ',');
    if (!is_header && !field.empty())
      values.push_back(page_data::rounded(page_data::number(field)));
  }
  return values;
}

// The page requests nothing, and no text in it is markup.
void check_page(const std::string& page) {
  CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>\n") && Catch::EndsWith("</html>\n"));
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script>") == 2);
  CHECK(count(page, "http") == count(page, "http://www.w3.org/2000/svg") +  // a name
                                   count(page, "http-equiv"));
  CHECK(count(page, " src=\"") == 0);
  CHECK(page.size() < 400'000);
}

// What `gradus report arguments` makes.
std::string page_of(const Sandbox& box, const std::string& arguments) {
  const std::string page = box.done("report " + arguments + " --output -").out;
  check_page(page);
  return page;
}

}  // namespace

TEST_CASE("report: the page of a run has the numbers that the run recorded", "[shell]") {
  const Sandbox& box = trained();
  const auto run = box.done("report run");
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Catch::StartsWith("wrote run/report.html, ") &&
                          Catch::EndsWith(" s; open it in a browser\n"));
  const std::string page = program::read(box / "run/report.html"),
                    log = program::read(box / "run/log.csv");
  check_page(page);
  const Data data(page);
  CHECK(data.numbers("runs", 0, "evaluations", "step") == Numbers{0, 5, 10, 12});
  CHECK(data.numbers("runs", 0, "updates", "loss") == column(log, 1));
  CHECK(data.numbers("runs", 0, "evaluations", "val") == column(log, 5));
  CHECK(data.numbers("runs", 0, "times", "seconds") ==
        column(program::read(box / "run/times.csv"), 1));
  CHECK_THAT(data.text("runs", 0, "verdict", "text"),
             Catch::Contains("12 updates are only a trial"));
  CHECK(data.value("runs", 0, "attention", "layers").size() == 2);
  CHECK(data.value("runs", 0, "attention", "layers", 0).size() == 2);
  CHECK(data.value("runs", 0, "context", "loss").size() > 4);
  CHECK(data.value("runs", 0, "surprise", "words").size() > 300);
  // Each is the next of samples.txt, without the blank lines at its head.
  const std::string samples = program::read(box / "run/samples.txt");
  std::size_t at = 0;
  for (const std::string& sample : data.texts("runs", 0, "samples", "text")) {
    at = samples.find_first_not_of(" \t\r\n", samples.find(" ==\n", at) + 4);
    at = samples.rfind('\n', at) + 1;
    CHECK(samples.substr(at, sample.size()) == sample);
  }
  // The same run, the same page; another prompt, other maps.
  CHECK((page_of(box, "run --threads 1") == page));
  const Data prompted(page_of(box, "run --prompt 'The hen'"));
  CHECK(prompted.texts("runs", 0, "attention", "tokens") ==
        Words{"T", "h", "e", "␣", "h", "e", "n"});
  // The model continues the whole prompt, even if the maps show its first tokens only.
  const std::string words = "The hen said to the hen the hen";
  box.done("report run --prompt '" + words + "' -o prompt.html");
  CHECK_THAT(program::read(box / "prompt.html"), Catch::Contains(R"("kept_sample":")" + words));
  // Of many heads the maps are smaller.
  const std::string many = " --n_layer 8 --n_head 8 --n_embd 16 --block_size 64 --max_iters 0";
  box.done("train tale.txt --out_dir heads" + many);
  CHECK_THAT(box.gradus("report heads --prompt '" + words + words + "' -o heads.html").err,
             Catch::Contains(engine::joined("the attention of the first ",
                                            train::tokens_on_maps(64, true), " of its 62")));
  // The files now in the directory are not texts for a run that trains on it.
  box.shell_done("mkdir all; cp -r run tale.txt all; \"$GRADUS\" train all --max_iters 1" + small +
                 "from_all 2>&1 | grep -c 'from all\\|all: '");
}

TEST_CASE("report: the card has the loss that gradus eval says", "[shell]") {
  const program::WithTale box(150);
  box.done(
      "train tale.txt --n_layer 1 --n_head 1 --n_embd 4 --block_size 8 --batch_size 1 --out_dir run"
      " --max_iters 60 --eval_interval 1 --eval_iters 1 --dtype float32");
  const Data data(page_of(box, "run"));
  // The loss of one batch says little: the card's is that of the kept model on the whole text.
  CHECK(data.number("runs", 0, "estimated", "batches") == 1);
  CHECK(data.number("runs", 0, "best", "measured_on") > 100);
  box.shell_done("tail -c 508 tale.txt >val.txt");
  CHECK(std::abs(data.number("runs", 0, "card", 0, "loss") -
                 program::number_after(box.done("eval run val.txt").out, "loss ")) < 0.6e-4);
}

TEST_CASE("report: a page that is watched is renewed until the run is at its end", "[shell]") {
  const program::WithTale box(150);
  box.done("train tale.txt --lr_decay_iters 100 --max_iters 5" + small + "run");
  const auto page = [&] { return program::read(box / "run/report.html"); };
  const std::string reload = "<meta http-equiv=\"refresh\" content=\"5\">";
  const auto watched = [&] {
    CHECK((count(page(), reload) == 1) == Data(page()).value("watched").boolean());
    return count(page(), reload) == 1;
  };
  box.done("report run --watch");  // at its end already
  CHECK_FALSE(watched());
  // A run that is not at its end.
  box.interrupted("train --resume run --max_iters 1000000000 --eval_interval 1000000000",
                  "iter 100:");
  auto watch = box.start("report run -w");
  REQUIRE(watch.wait_for("is updated until the run ends"));
  CHECK(watched());
  const std::string log = program::read(box / "run/log.csv");
  const std::string step = std::to_string(std::ranges::count(log, '\n') + 1);
  box.done("train --resume run --max_iters " + step);
  CHECK(watch.end().status == 0);
  CHECK_FALSE(watched());
  program::check_refused(box.shell("echo The hen | \"$GRADUS\" report run --watch --prompt -"),
                         "--watch: reads the prompt more than once", 2);
  program::check_refused(box.gradus("report run run -w"),
                         "--watch: is for the report of one run, found 2 runs", 2);
}

TEST_CASE("report: a model that sees what it predicts, and runs of different texts", "[shell]") {
  const Sandbox& box = trained();
  box.done("train tale.txt --causal false --max_iters 5" + small + "sees");
  const Data sees(page_of(box, "sees"));
  CHECK_FALSE(sees.value("runs", 0, "model", "causal").boolean());
  CHECK(sees.is_null("runs", 0, "card", 0, "bytes"));
  program::write(box / "other.txt", program::tale(150) + program::tale(150));
  box.done("train tale.txt --val_text other.txt --max_iters 5" + small + "else");
  const Data data(page_of(box, "run else sees"));
  CHECK_FALSE(data.value("comparison", "same_text").boolean());
  CHECK_FALSE(data.value("comparison", "same_aim").boolean());
  CHECK(data.setting(0, "validation text") == "the last 10 % of tale.txt");
  CHECK(data.setting(1, "validation text") == "other.txt");
}

TEST_CASE("report: the next command is that of the terminal, with its time") {
  const program::WithTale box(150);
  const auto train = box.gradus("train tale.txt --max_iters 20 --arch gpt2" + small + "other");
  const std::string command = program::between(train.err, "to try it: ", "\n");
  CHECK_THAT(command, Catch::EndsWith(" --out_dir other_2"));
  const Data data(page_of(box, "other/"));
  CHECK(data.text("runs", 0, "verdict", "command") == command);
  CHECK(data.number("runs", 0, "verdict", "seconds") > 0);
}

TEST_CASE("report: runs that have hardly begun, or that have lost their text", "[shell]") {
  const program::WithTale box(150);
  box.done("train tale.txt --max_iters 0" + small + "none");
  const Data none(page_of(box, "none"));
  CHECK(none.numbers("runs", 0, "evaluations", "step") == Numbers{0});
  CHECK(none.number("runs", 0, "gradient_norm", "count") == 0);

  program::write(box / "tale.txt", program::tale(150) + "more\n");
  const auto changed = box.done("report none");
  CHECK_THAT(changed.err,
             Catch::StartsWith("the page leaves out what needs the text of the run: ") &&
                 Catch::Contains("is not the text the run was started on"));
  const Data without(page_of(box, "none"));
  CHECK(without.is_null("runs", 0, "surprise"));
  CHECK_THAT(without.text("runs", 0, "missing"),
             Catch::Contains("is not the text the run was started on"));
  CHECK_FALSE(without.is_null("runs", 0, "attention"));  // for the last sample

  // Only the model's file is left, as if somebody had received it.
  box.shell_done("mkdir given; cp none/model.safetensors given");
  page_of(box, "given --prompt 'The fox'");
}

TEST_CASE("report: a validation text of hardly a token") {
  const program::WithTale box(150);
  for (const std::string text :
       {"be", "bel", "bell", "\xab\xbb", "\xab\xbb\xab", "\xab\xbb\xab\xbb"}) {
    INFO(text.size() << " bytes");
    program::write(box / "val.txt", text);
    box.done(
        "train tale.txt --val_text val.txt --tokenizer byte --n_layer 1 --n_head 1 --n_embd 4"
        " --block_size 1 --batch_size 1 --max_iters 1 --eval_interval 1 --out_dir run --force");
    page_of(box, "run");
  }
}

TEST_CASE("report: attention begins with a whole character, where tokens of bytes cut one") {
  const program::Sandbox box;
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\xE2\x82\xAC";  // a euro, three bytes
  for (const std::string before : {"", "a", "ab"}) {
    program::write(box / "t.txt", text);
    program::write(box / "v.txt", std::string("\x82\xAC").substr(before.size()) + "x" + text);
    const std::string sizes =
        " --n_layer 1 --n_head 1 --n_embd 8 --block_size 16 --max_iters 0 --force --out_dir r";
    box.done("train t.txt --val_text v.txt --tokenizer byte" + sizes);
    const Data data(page_of(box, "r"));
    CHECK_THAT(data.text("runs", 0, "attention", "text"), Catch::StartsWith("x\xE2\x82\xAC"));
  }
}
