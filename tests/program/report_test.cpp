// gradus report, from outside: what is on the page, and what is refused.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "engine/base/text.h"
#include "model/base/text.h"
#include "tests/program/run.h"
#include "train/report/attention.h"

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

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

// The numbers of a chart's column, in order, with a space after each; a number: of the first one.
std::string marks(const std::string& page, const std::string& figure, const std::string& name) {
  const std::size_t begin = page.find("<figure id=\"" + figure + "\"");
  const std::string part = page.substr(begin, page.find("</figure>", begin) - begin);
  const std::string heads = part.substr(0, part.find('>' + name + "</th>"));
  const std::size_t number = count(heads, "<th ");
  std::string values;
  std::istringstream rows(part.substr(part.find("<tbody>")));
  for (std::string row; std::getline(rows, row);) {
    std::size_t at = row.find("<th");
    for (std::size_t i = 1; i < number && at != row.npos; ++i) at = row.find("<t", at + 1);
    if (at == row.npos) continue;
    const std::size_t value = row.find('>', at) + 1;
    if (row[value] != '<') values += row.substr(value, row.find('<', value) - value) + ' ';
  }
  return values;
}

std::string column(const std::string& csv, int number) {
  std::istringstream lines(csv);
  std::string values;
  bool is_header = true;
  for (std::string line; std::getline(lines, line); is_header = false) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i <= number; ++i) std::getline(fields, field, ',');
    if (!is_header && !field.empty()) values += field + ' ';
  }
  return values;
}

// Those numbers as a table shows them.
std::string shown(const std::string& numbers) {
  std::istringstream words(numbers);
  std::string all;
  for (double value = 0; words >> value;) {
    const bool whole = value == std::floor(value), is_plain = value >= 1 && value < 1000;
    all += (whole      ? engine::count_text(std::lround(value))
            : is_plain ? model::fixed_text(value, 4)
                       : model::short_text(value)) +
           ' ';
  }
  return all;
}

// Every <svg begins a line; nothing is asked from anywhere; every element that is opened is closed.
void check_page(const std::string& page) {
  CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>\n") && Catch::EndsWith("</html>\n"));
  CHECK(count(page, "<svg") == count(page, "\n<svg"));
  CHECK(count(page, "<script") == 1);
  CHECK(count(page, "http") == 0);
  CHECK(count(page, "src=") == 0);
  for (const char* element : {"div", "section", "figure", "table", "details", "span", "ul", "li",
                              "p", "pre", "tr", "td", "th", "g", "svg", "text"}) {
    INFO(element);
    CHECK(count(page, "<" + std::string(element) + ">") +
              count(page, "<" + std::string(element) + " ") ==
          count(page, "</" + std::string(element) + ">"));
  }
  CHECK(page.size() < 2'000'000);
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
  CHECK(marks(page, "loss", "each update") == shown(column(log, 1)));
  CHECK(marks(page, "loss", "step") == shown(column(log, 0)));
  CHECK(marks(page, "loss", "validation") == shown(column(log, 5)));
  CHECK(marks(page, "learning-rate", "learning rate") == shown(column(log, 2)));
  CHECK(marks(page, "gradient-norm", "gradient norm") == shown(column(log, 3)));
  CHECK_THAT(page, Catch::Contains("12 updates are only a trial"));
  CHECK(count(page, "<figure class=\"attention\"") == 2 * 2);
  for (const char* id : {"position-loss", "speed"})
    CHECK(count(page, "<figure id=\"" + std::string(id) + "\"") == 1);
  CHECK_THAT(page, Catch::Contains("class=\"surprise\""));
  std::istringstream samples(program::read(box / "run/samples.txt"));
  for (std::string line; std::getline(samples, line);)
    if (line.find_first_of("&<>\"'") == std::string::npos && !line.starts_with("== step"))
      CHECK_THAT(page, Catch::Contains(line));
  // The same run, the same page; another prompt, other maps.
  CHECK(box.gradus("report run --output again.html --threads 1").status == 0);
  CHECK((program::read(box / "again.html") == page));
  CHECK(box.gradus("report run --prompt 'The hen' -o prompt.html").status == 0);
  const std::string prompted = program::read(box / "prompt.html");
  CHECK(prompted != page);
  CHECK(count(prompted, ".35em\" text-anchor=\"end\">␣</text>") == 4);
  // The model goes on from the whole prompt, also where the maps show its first tokens only.
  const std::string words = "The hen said to the hen the hen";
  const auto longer = box.gradus("report run --prompt '" + words + "' -o prompt.html");
  CHECK(longer.status == 0);
  CHECK_THAT(longer.err,
             Catch::Contains("the attention of the first 16 of its 31 tokens is shown"));
  CHECK_THAT(program::read(box / "prompt.html"), Catch::Contains("<pre dir=\"auto\">\n" + words));
  // Of many heads the maps are smaller: a page stays about a megabyte.
  const std::string many = " --n_layer 8 --n_head 8 --n_embd 16 --block_size 64 --max_iters 0";
  REQUIRE(box.gradus("train tale.txt --out_dir heads" + many).status == 0);
  CHECK_THAT(box.gradus("report heads --prompt '" + words + words + "' -o heads.html").err,
             Catch::Contains(engine::joined("the attention of the first ",
                                            train::tokens_on_maps(64, true), " of its 62")));
  // What is in the directory now is no text of a run that trains on it.
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
  // Their tokens differ: losses per token could not be compared.
  CHECK(count(page, ">loss (bits per byte)</text>") == 3);
  CHECK(count(page, ">loss (nats per token)</text>") == 0);
  CHECK(count(page, "<tr class=\"us\">") == 1);
  CHECK(box.gradus("report run other -o both.html").status == 0);
  const std::string both = program::read(box / "both.html");
  CHECK_THAT(both, !Catch::Contains("loss (bits per byte)"));
  for (const std::string name : {"run", "other"}) {
    const std::string log = program::read(box / name / "log.csv");
    CHECK(marks(both, "loss", name) == shown(column(log, 5)));
    CHECK(marks(both, "loss", name + ", training") == shown(column(log, 4)));
  }
  CHECK_THAT(page,
             Catch::Contains("<th scope=\"row\">seed</th><td>1337</td><td>5</td><td>1337</td>"));
  CHECK_THAT(page, Catch::Contains("<th scope=\"row\">tokenizer</th><td>char</td><td>char</td>"));
  CHECK(count(page, "<th scope=\"row\">n_layer</th>") == 0);
  CHECK_THAT(page, Catch::Contains("losses per token cannot be compared"));
  CHECK(box.gradus("report run other --output two.html").status == 0);
  CHECK(count(program::read(box / "two.html"), "cannot be compared") == 0);
}

TEST_CASE("report: of many evaluations the best stays, and the page stays small", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  const auto run = box.gradus(
      "train tale.txt --n_layer 1 --n_head 1 --n_embd 4 --block_size 8 --batch_size 1 --out_dir run"
      " --max_iters 600 --eval_interval 1 --eval_iters 1 --sample_interval 600");
  INFO(run.err);
  REQUIRE(run.status == 0);
  REQUIRE(box.gradus("report run").status == 0);
  const std::string page = program::read(box / "run/report.html");
  check_page(page);
  const std::string log = program::read(box / "run/log.csv");
  std::istringstream losses(column(log, 5));
  double best = 1e9;
  std::string best_text;
  for (std::string text; losses >> text;)
    if (std::stod(text) < best) best = std::stod(best_text = text);
  const std::string kept = ' ' + marks(page, "loss", "validation");
  CHECK(std::ranges::count(kept, ' ') > 300);
  CHECK(std::ranges::count(kept, ' ') <= 334);
  CHECK_THAT(kept, Catch::Contains(' ' + shown(best_text)));
  CHECK_THAT(
      page, Catch::Contains("Of 601 points 333 are shown, the lowest and the highest among them."));
  // One batch is no measure: the card measures the model that is kept, as gradus eval does.
  CHECK_THAT(page,
             Catch::Contains(
                 "are of 1 random batch of the validation text; here the model is measured on "));
  REQUIRE(box.shell("tail -c 508 tale.txt >val.txt").status == 0);
  const auto eval = box.gradus("eval run val.txt");
  const std::size_t at = page.find("<tr class=\"us\">");
  const std::string row = page.substr(at, page.find("</tr>", at) - at);
  CHECK_THAT(row, Catch::Contains(eval.out.substr(5, 4)));
}

TEST_CASE("report: a page that is watched is renewed until the run is at its end", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --lr_decay_iters 100 --max_iters 5" + small + "run").status ==
          0);
  const auto page = [&] { return program::read(box / "run/report.html"); };
  const std::string reload = "<meta http-equiv=\"refresh\" content=\"5\">";
  CHECK(box.gradus("report run --watch").status == 0);  // at its end already
  CHECK_THAT(page(), !Catch::Contains(reload));
  auto training = box.start("train --resume run --max_iters 1000000000 --eval_interval 1000000000");
  REQUIRE(training.wait_for("iter 100:"));
  training.signal(SIGINT);  // saves a run that is not at its end
  REQUIRE(training.end().status == 130);
  auto watch = box.start("report run -w");
  REQUIRE(watch.wait_for("is renewed until the run is at its end"));
  CHECK_THAT(page(), Catch::Contains(reload));
  const std::string log = program::read(box / "run/log.csv");
  const std::string step = std::to_string(std::ranges::count(log, '\n') + 1);
  REQUIRE(box.gradus("train --resume run --max_iters " + step).status == 0);
  CHECK(watch.end().status == 0);
  CHECK_THAT(page(), !Catch::Contains(reload));
  const auto piped = box.shell("echo The hen | \"$GRADUS\" report run --watch --prompt -");
  CHECK(piped.status == 2);
  CHECK_THAT(piped.err, Catch::Contains("--watch: reads the prompt again and again"));
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
  CHECK_THAT(page, Catch::Contains("its loss is no loss\nof prediction"));
  program::write(box / "other.txt", tale + tale);
  REQUIRE(box.gradus("train tale.txt --val_text other.txt --max_iters 5" + small + "else").status ==
          0);
  REQUIRE(box.gradus("report run else sees --output - >different.html; ").status == 0);
  const std::string several = program::read(box / "different.html");
  check_page(several);
  CHECK_THAT(several, Catch::Contains("are validated on different texts") &&
                          Catch::Contains("Where causal is false") &&
                          Catch::Contains("<td>the last 10 % of tale.txt</td><td>other.txt</td>"));
  // None of them is the best, and no picture has losses of two.
  for (const char* runs : {"run else", "run sees"}) {
    REQUIRE(box.gradus("report " + std::string(runs) + " -o apart.html").status == 0);
    const std::string apart = program::read(box / "apart.html");
    INFO(runs);
    CHECK(count(apart, "<tr class=\"us\">") == 0);
    CHECK(count(apart, "<figure id=\"loss") == 0);
    CHECK(count(apart, "<figure id=\"learning-rate\"") == 1);
  }
}

TEST_CASE("report: the next command is that of the terminal, with its time; arch may differ") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --max_iters 20" + small + "run").status == 0);
  const auto train = box.gradus("train tale.txt --max_iters 20 --arch gpt2" + small + "other");
  const std::size_t at = train.err.find("to try it: ") + 11;
  REQUIRE(train.err.find(" --out_dir other_2\n", at) != std::string::npos);
  REQUIRE(box.gradus("report other/").status == 0);
  const std::string page = program::read(box / "other/report.html");
  CHECK_THAT(page, Catch::Contains("To try it, in about ") &&
                       Catch::Contains("\n" + train.err.substr(at, train.err.find('\n', at) - at) +
                                       "</pre>"));
  REQUIRE(box.gradus("report run other -o both.html").status == 0);
  CHECK_THAT(program::read(box / "both.html"),
             Catch::Contains("<th scope=\"row\">arch</th><td>qwen3</td><td>gpt2</td>"));
}

TEST_CASE("report: runs that have hardly begun, or whose text is gone", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", tale);
  REQUIRE(box.gradus("train tale.txt --max_iters 0" + small + "none").status == 0);
  REQUIRE(box.gradus("report none").status == 0);
  std::string page = program::read(box / "none/report.html");
  check_page(page);
  CHECK(marks(page, "loss", "step") == "0 ");
  CHECK(count(page, "id=\"gradient-norm\"") == 0);

  program::write(box / "tale.txt", tale + "more\n");
  const auto changed = box.gradus("report none");
  CHECK(changed.status == 0);
  CHECK_THAT(changed.err, Catch::StartsWith("left out is what needs the text of the run: ") &&
                              Catch::Contains("is not the text the run was started on"));
  page = program::read(box / "none/report.html");
  check_page(page);
  CHECK(count(page, "class=\"surprise\"") == 0);
  CHECK_THAT(page, Catch::Contains("is not the text the run was started on") &&
                       Catch::Contains("class=\"attention\""));  // for the last sample

  // Only the model is left, given away.
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
  for (const char* raw : {"<script>alert", "<b>", "<i>", "<u>", "\x01", "\xff"})
    CHECK(page.find(raw) == std::string::npos);
  CHECK_THAT(page, Catch::Contains("<title>gradus: &lt;u&gt;run&amp;&quot;</title>"));
  CHECK_THAT(page, Catch::Contains("&lt;i&gt;&amp;.txt"));
  CHECK(count(page, "text-anchor=\"end\">&lt;</text>") ==
        4);  // the prompt's first token in each map
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
  refused(report + "tale.txt", 1, "tale.txt: is not a directory, expected that of a run");
  refused(report + "nowhere", 1, "nowhere: is not a directory");
  refused("mkdir -p out/lost; " + report + "lost", 1, "did you mean out/lost?");
  refused("mkdir -p empty; " + report + "empty", 1, "empty: holds no run");
  refused(report + "run --prompt T", 1, "--prompt: is 1 token, expected at least 2");
  refused(report + "run --prompt 'The €'", 1, "--prompt: byte 4: the vocabulary does not know");
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
