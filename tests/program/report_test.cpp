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

const std::string tale = [] {
  std::string text;
  for (int i = 0; i < 150; ++i)
    text += "The fox said " + std::to_string(i * i % 97) + " words to the hen.\n";
  return text;
}();

// Three runs, trained once; the tests do not touch what is there.
const Sandbox& trained() {
  static const Sandbox& box = [&]() -> const Sandbox& {
    static const Sandbox sandbox;
    program::write(sandbox / "tale.txt", tale);
    for (const char* flags : {"run --max_iters 12", "other --max_iters 12 --seed 5 --dropout 0.1",
                              "bytes --max_iters 7 --tokenizer byte"}) {
      const auto run = sandbox.gradus("train tale.txt" + small + flags);
      INFO(run.err);
      REQUIRE(run.status == 0);
    }
    return sandbox;
  }();
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

}  // namespace

TEST_CASE("report: the page of a run has the numbers that the run recorded", "[shell]") {
  const Sandbox& box = trained();
  const auto run = box.gradus("report run");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, Catch::StartsWith("wrote run/report.html, ") &&
                          Catch::EndsWith(" s; open it in a browser\n"));
  const std::string page = program::read(box / "run/report.html"),
                    log = program::read(box / "run/log.csv");
  check_page(page);
  const Data data(page);
  Numbers updates = column(log, 0);
  CHECK(updates.front() == 0);
  updates.erase(updates.begin());
  for (const char* curve : {"updates", "learning_rate", "gradient_norm"})
    CHECK(data.numbers("runs", 0, curve, "step") == updates);
  CHECK(data.numbers("runs", 0, "updates", "loss") == column(log, 1));
  CHECK(data.numbers("runs", 0, "learning_rate", "value") == column(log, 2));
  CHECK(data.numbers("runs", 0, "gradient_norm", "value") == column(log, 3));
  CHECK(data.numbers("runs", 0, "evaluations", "step") == Numbers{0, 5, 10, 12});
  CHECK(data.numbers("runs", 0, "evaluations", "train") == column(log, 4));
  CHECK(data.numbers("runs", 0, "evaluations", "val") == column(log, 5));
  CHECK(data.numbers("runs", 0, "times", "seconds") ==
        column(program::read(box / "run/times.csv"), 1));
  CHECK_THAT(data.text("runs", 0, "verdict", "text"),
             Catch::Contains("12 updates are only a trial"));
  CHECK(data.value("runs", 0, "attention", "layers").size() == 2);
  CHECK(data.value("runs", 0, "attention", "layers", 0).size() == 2);
  CHECK(data.value("runs", 0, "context", "loss").size() > 4);
  CHECK(data.value("runs", 0, "surprise", "words").size() > 300);
  const std::string samples = program::read(box / "run/samples.txt");
  for (const std::string& sample : data.texts("runs", 0, "samples", "text"))
    CHECK_THAT(samples, Catch::Contains(" ==\n" + sample));
  // The same run, the same page; another prompt, other maps.
  CHECK(box.gradus("report run --output again.html --threads 1").status == 0);
  CHECK((program::read(box / "again.html") == page));
  CHECK(box.gradus("report run --prompt 'The hen' -o prompt.html").status == 0);
  const std::string prompted = program::read(box / "prompt.html");
  CHECK(Data(prompted).texts("runs", 0, "attention", "tokens") ==
        Words{"T", "h", "e", "␣", "h", "e", "n"});
  // The model continues the whole prompt, even if the maps show its first tokens only.
  const std::string words = "The hen said to the hen the hen";
  const auto longer = box.gradus("report run --prompt '" + words + "' -o prompt.html");
  CHECK(longer.status == 0);
  CHECK_THAT(longer.err,
             Catch::Contains("the attention of the first 16 of its 31 tokens is shown"));
  CHECK_THAT(program::read(box / "prompt.html"), Catch::Contains(R"("kept_sample":")" + words));
  // Of many heads the maps are smaller.
  const std::string many = " --n_layer 8 --n_head 8 --n_embd 16 --block_size 64 --max_iters 0";
  REQUIRE(box.gradus("train tale.txt --out_dir heads" + many).status == 0);
  CHECK_THAT(box.gradus("report heads --prompt '" + words + words + "' -o heads.html").err,
             Catch::Contains(engine::joined("the attention of the first ",
                                            train::tokens_on_maps(64, true), " of its 62")));
  // The files now in the directory are not texts for a run that trains on it.
  CHECK(box.shell("mkdir all; cp -r run tale.txt all; \"$GRADUS\" train all --max_iters 1" + small +
                  "from_all 2>&1 | grep -c 'from all\\|all: '")
            .status == 0);
}

TEST_CASE("report: several runs are compared, with what differs") {
  const Sandbox& box = trained();
  const auto run = box.gradus("report ./run other/ bytes --output all.html");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const std::string page = program::read(box / "all.html");
  check_page(page);
  const Data all(page);
  CHECK(all.value("runs").size() == 3);
  CHECK_FALSE(all.value("comparison", "same_tokens").boolean());
  CHECK(all.value("comparison", "same_text").boolean());
  CHECK(box.gradus("report run other -o both.html").status == 0);
  const Data both(program::read(box / "both.html"));
  CHECK(both.value("comparison", "same_tokens").boolean());
  for (const int i : {0, 1}) {
    const std::string name = i == 0 ? "run" : "other", log = program::read(box / name / "log.csv");
    CHECK(both.text("runs", i, "name") == name);
    CHECK(both.numbers("runs", i, "evaluations", "val") == column(log, 5));
    CHECK(both.numbers("runs", i, "evaluations", "train") == column(log, 4));
    CHECK(all.text("runs", i, "name") == name);
  }
  CHECK(all.setting(0, "seed") == "1337");
  CHECK(all.setting(1, "seed") == "5");
  CHECK(all.setting(1, "tokenizer") == "char");
  CHECK(all.setting(2, "tokenizer") == "byte");
}

TEST_CASE("report: of many evaluations the best stays, and the page stays small", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  const auto run = box.gradus(
      "train tale.txt --n_layer 1 --n_head 1 --n_embd 4 --block_size 8 --batch_size 1 --out_dir run"
      " --max_iters 600 --eval_interval 1 --eval_iters 1 --sample_interval 600 --dtype float32");
  INFO(run.err);
  REQUIRE(run.status == 0);
  REQUIRE(box.gradus("report run").status == 0);
  const std::string page = program::read(box / "run/report.html");
  check_page(page);
  const std::string log = program::read(box / "run/log.csv");
  const Numbers losses = column(log, 5);
  const Data data(page);
  CHECK(losses.size() == 601);
  CHECK(data.numbers("runs", 0, "evaluations", "val") == losses);
  CHECK(data.number("runs", 0, "best", "val") == *std::ranges::min_element(losses));
  // The loss of one batch says little: the card has the loss of the kept model, measured as gradus
  // eval does.
  CHECK(data.number("runs", 0, "estimated", "batches") == 1);
  CHECK(data.number("runs", 0, "best", "measured_on") > 100);
  REQUIRE(box.shell("tail -c 508 tale.txt >val.txt").status == 0);
  const auto eval = box.gradus("eval run val.txt");
  CHECK(std::abs(data.number("runs", 0, "card", 0, "loss") -
                 page_data::number(eval.out.substr(5, 6))) < 0.6e-4);
}

TEST_CASE("report: a page that is watched is renewed until the run is at its end", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --lr_decay_iters 100 --max_iters 5" + small + "run").status ==
          0);
  const auto page = [&] { return program::read(box / "run/report.html"); };
  const std::string reload = "<meta http-equiv=\"refresh\" content=\"5\">";
  const auto watched = [&] {
    CHECK((count(page(), reload) == 1) == Data(page()).value("watched").boolean());
    return count(page(), reload) == 1;
  };
  CHECK(box.gradus("report run --watch").status == 0);  // at its end already
  CHECK_FALSE(watched());
  auto training = box.start("train --resume run --max_iters 1000000000 --eval_interval 1000000000");
  REQUIRE(training.wait_for("iter 100:"));
  training.signal(SIGINT);  // saves a run that is not at its end
  REQUIRE(training.end().status == 130);
  auto watch = box.start("report run -w");
  REQUIRE(watch.wait_for("is updated until the run ends"));
  CHECK(watched());
  const std::string log = program::read(box / "run/log.csv");
  const std::string step = std::to_string(std::ranges::count(log, '\n') + 1);
  REQUIRE(box.gradus("train --resume run --max_iters " + step).status == 0);
  CHECK(watch.end().status == 0);
  CHECK_FALSE(watched());
  const auto piped = box.shell("echo The hen | \"$GRADUS\" report run --watch --prompt -");
  CHECK(piped.status == 2);
  CHECK_THAT(piped.err, Catch::Contains("--watch: reads the prompt more than once"));
  const auto two = box.gradus("report run run -w");
  CHECK(two.status == 2);
  CHECK_THAT(two.err, Catch::Contains("--watch: is for the report of one run, found 2 runs"));
}

TEST_CASE("report: a model that sees what it predicts, and runs of different texts", "[shell]") {
  const Sandbox& box = trained();
  REQUIRE(box.gradus("train tale.txt --causal false --max_iters 5" + small + "sees").status == 0);
  REQUIRE(box.gradus("report sees").status == 0);
  const std::string page = program::read(box / "sees/report.html");
  check_page(page);
  CHECK_FALSE(Data(page).value("runs", 0, "model", "causal").boolean());
  CHECK(Data(page).is_null("runs", 0, "card", 0, "bytes"));
  program::write(box / "other.txt", tale + tale);
  REQUIRE(box.gradus("train tale.txt --val_text other.txt --max_iters 5" + small + "else").status ==
          0);
  REQUIRE(box.gradus("report run else sees --output - >different.html; ").status == 0);
  const std::string several = program::read(box / "different.html");
  check_page(several);
  const Data data(several);
  CHECK_FALSE(data.value("comparison", "same_text").boolean());
  CHECK_FALSE(data.value("comparison", "same_aim").boolean());
  CHECK(data.setting(0, "validation text") == "the last 10 % of tale.txt");
  CHECK(data.setting(1, "validation text") == "other.txt");
}

TEST_CASE("report: the next command is that of the terminal, with its time; arch may differ") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --max_iters 20" + small + "run").status == 0);
  const auto train = box.gradus("train tale.txt --max_iters 20 --arch gpt2" + small + "other");
  const std::size_t at = train.err.find("to try it: ") + 11;
  REQUIRE(train.err.find(" --out_dir other_2\n", at) != std::string::npos);
  REQUIRE(box.gradus("report other/").status == 0);
  const Data data(program::read(box / "other/report.html"));
  CHECK(data.text("runs", 0, "verdict", "command") ==
        train.err.substr(at, train.err.find('\n', at) - at));
  CHECK(data.number("runs", 0, "verdict", "seconds") > 0);
  REQUIRE(box.gradus("report run other -o both.html").status == 0);
  const Data both(program::read(box / "both.html"));
  CHECK(both.setting(0, "arch") == "qwen3");
  CHECK(both.setting(1, "arch") == "gpt2");
}

TEST_CASE("report: runs that have hardly begun, or that have lost their text", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --max_iters 0" + small + "none").status == 0);
  REQUIRE(box.gradus("report none").status == 0);
  std::string page = program::read(box / "none/report.html");
  check_page(page);
  CHECK(Data(page).numbers("runs", 0, "evaluations", "step") == Numbers{0});
  CHECK(Data(page).number("runs", 0, "gradient_norm", "count") == 0);

  program::write(box / "tale.txt", tale + "more\n");
  const auto changed = box.gradus("report none");
  CHECK(changed.status == 0);
  CHECK_THAT(changed.err,
             Catch::StartsWith("the page leaves out what needs the text of the run: ") &&
                 Catch::Contains("is not the text the run was started on"));
  page = program::read(box / "none/report.html");
  check_page(page);
  CHECK(Data(page).is_null("runs", 0, "surprise"));
  CHECK_THAT(Data(page).text("runs", 0, "missing"),
             Catch::Contains("is not the text the run was started on"));
  CHECK_FALSE(Data(page).is_null("runs", 0, "attention"));  // for the last sample

  // Only the model's file is left, as if somebody had received it.
  REQUIRE(box.shell("mkdir given; cp none/model.safetensors given").status == 0);
  CHECK(box.gradus("report given --prompt 'The fox'").status == 0);
  check_page(program::read(box / "given/report.html"));
}

TEST_CASE("report: a validation text of hardly a token") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  for (const std::string text :
       {"be", "bel", "bell", "\xab\xbb", "\xab\xbb\xab", "\xab\xbb\xab\xbb"}) {
    INFO(text.size() << " bytes");
    program::write(box / "val.txt", text);
    const auto run = box.gradus(
        "train tale.txt --val_text val.txt --tokenizer byte --n_layer 1 --n_head 1 --n_embd 4"
        " --block_size 1 --batch_size 1 --max_iters 1 --eval_interval 1 --out_dir run --force");
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto report = box.gradus("report run");
    INFO(report.err);
    REQUIRE(report.status == 0);
    check_page(program::read(box / "run/report.html"));
  }
}

TEST_CASE("report: whatever a text, a prompt and a name contain is text", "[posix]") {
  const Sandbox box;
  std::string hostile;
  for (int i = 0; i < 120; ++i)
    hostile +=
        "<script>alert(" + std::to_string(i % 7) + ")</script> & \"'<b>\x01\xff</style>-->\n";
  program::write(box / "<i>&.txt", hostile);
  const auto run =
      box.gradus("train '<i>&.txt' --tokenizer byte --max_iters 12" + small + "'<u>run&\"'");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto report = box.gradus("report '<u>run&\"' --prompt '<script>&\"' -o page.html");
  INFO(report.err);
  REQUIRE(report.status == 0);
  const std::string page = program::read(box / "page.html");
  check_page(page);
  for (const char* raw : {"<script>alert", "<b>", "<i>", "<u>", "-->", "\x01", "\xff"})
    CHECK(count(page, raw) == 0);
  CHECK_THAT(page, Catch::Contains("<title>gradus: &lt;u&gt;run&amp;&quot;</title>"));
  const Data data(page);
  CHECK(data.text("runs", 0, "name") == "<u>run&\"");
  CHECK(data.text("runs", 0, "text", "train") == "<i>&.txt");
  CHECK(data.text("runs", 0, "prompt") == "<script>&\"");
  CHECK(data.text("runs", 0, "attention", "tokens", 0) == "<");
}

TEST_CASE("report: what cannot be reported is one line, and nothing is written", "[shell]") {
  const Sandbox& box = trained();
  const auto refused = [&](const std::string& line, int status, const std::string& why) {
    const auto run = box.shell(line);
    INFO(line << ": " << run.err);
    CHECK(run.status == status);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Catch::StartsWith("gradus report: ") && Catch::Contains(why));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  };
  const std::string report = "\"$GRADUS\" report ";
  refused(report, 2, "RUN: missing");
  refused(report + "run --temperature 1", 2, "--temperature: is not for gradus report");
  refused(report + "tale.txt", 1, "tale.txt: is not a directory, expected a run's directory");
  refused(report + "nowhere", 1, "nowhere: is not a directory");
  refused("mkdir -p out/lost; " + report + "lost", 1, "did you mean out/lost?");
  refused("mkdir -p empty; " + report + "empty", 1, "empty: holds no run");
  refused(report + "run --prompt T", 1, "--prompt: has 1 token, expected at least 2");
  refused(report + "run --prompt 'The €'", 1, "--prompt: byte 4: U+20AC is not in the vocabulary");
  refused(report + "run other --prompt 'The'", 2,
          "--prompt: is for the report of one run, found 2 runs");
  // Only a page is replaced: not the run, not its text.
  for (const char* file :
       {"run/model.safetensors", "run/checkpoint.safetensors", "run/log.csv", "tale.txt"}) {
    const std::string before = program::read(box / file);
    refused(report + "run --output " + file, 1, "--force replaces it");
    CHECK((program::read(box / file) == before));
  }
  refused(report + "run --output no/where.html", 1, "no: cannot open: No such file");
  refused("cp -r run bad; rm -f bad/report.html; sed -i 's/^5,[^,]*/5,x/' bad/log.csv; " + report +
              "bad",
          1, "bad/log.csv: line 7: \"x\", expected a number");
  refused("cp run/log.csv bad; echo '== step' >bad/samples.txt; " + report + "bad", 1,
          "bad/samples.txt: byte 0: ");
  refused(
      "rm bad/samples.txt; head -c 1000 run/checkpoint.safetensors >bad/checkpoint.safetensors; " +
          report + "bad",
      1, "bad/checkpoint.safetensors: ");
  CHECK_FALSE(std::filesystem::exists(box / "bad/report.html"));
  refused("sed -i 's/^5,[^,]*,/5,/' bad/times.csv; cp run/checkpoint.safetensors bad; " + report +
              "bad",
          1, "bad/times.csv: line ");
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
    REQUIRE(box.gradus("train t.txt --val_text v.txt --tokenizer byte" + sizes).status == 0);
    REQUIRE(box.gradus("report r").status == 0);
    const Data data(program::read(box / "r/report.html"));
    CHECK_THAT(data.text("runs", 0, "attention", "text"), Catch::StartsWith("x\xE2\x82\xAC"));
  }
}
