// After every run, with any flags and any end, model.safetensors is the model with the loss that
// the program calls the best.
#include <algorithm>
#include <cmath>
#include <csignal>

#include "model/base/text.h"
#include "tests/program/run.h"
#include "tests/unit/train/report/page_data.h"
#include "train/record/record.h"

using namespace program;

namespace {

const std::string small =
    " --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 4 --threads 1 --tokenizer char "
    "--dtype float32 --val_text v.txt --eval_tokens 0";

const std::string small_part = small.substr(0, small.find("--eval_tokens"));

struct Texts : Sandbox {
  Texts() {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "abc acb " + std::string(1, "abc"[i * i % 7 % 3]) + ". ";
    write(*this / "t.txt", text);
    write(*this / "v.txt", text.substr(1000, 400) + "cba ccc. bbb aaa. cab bac. ");
  }
  std::vector<train::LogRow> log(const std::string& run) const {
    return train::read_log(read(*this / run / "log.csv"));
  }
  // The evaluation with the lowest loss from the step `first` on.
  train::LogRow best_of(const std::string& run, train::Index first) const {
    const std::vector<train::LogRow> rows = train::evaluations(log(run));
    const auto best = std::ranges::min_element(
        rows, {}, [&](const train::LogRow& row) { return row.step < first ? 1e9 : *row.val_loss; });
    REQUIRE(best != rows.end());
    return *best;
  }
  // The loss of the kept model: the lowest of the log, and what eval, info and the report say.
  std::string check_model(const std::string& run, train::Index first) const {
    const train::LogRow best = best_of(run, first);
    const std::string loss = model::fixed_text(*best.val_loss, 4), step = std::to_string(best.step);
    CHECK(between(gradus("eval " + run + " v.txt").out, "loss ", "\n") == loss);
    const std::string info = gradus("info " + run).out;
    CHECK(between(info, "  validation loss   ", " ") == loss);
    CHECK(between(info, "  step              ", "\n") == step);
    const page_data::Data page(gradus("report " + run + " --output -").out);
    CHECK(page.number("runs", 0, "best", "loss") == page_data::rounded(*best.val_loss));
    CHECK(page.number("runs", 0, "best", "step") == static_cast<double>(best.step));
    return loss + " at step " + step;
  }
  void check_done(const Result& result, const std::string& run, train::Index first = 1) const {
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK(between(result.err, "best validation loss ", ",") == check_model(run, first));
  }
};

}  // namespace

TEST_CASE("kept model: of a new run the best after an update, however the loss goes") {
  const Texts box;
  for (const std::string flags :
       {"--max_iters 20 --eval_interval 3", "--max_iters 20 --learning_rate 3",
        "--max_iters 20 --learning_rate 0", "--max_iters 1", "--max_iters 7",
        "--max_iters 20 --dropout 0.5 --optimizer adamw",
        "--max_iters 23 --save_interval 2 --sample_interval 3", "--minutes 0.01"}) {
    INFO(flags);
    box.check_done(box.gradus("train t.txt --force --out_dir run " + flags + small), "run");
  }
  box.check_done(box.gradus("train t.txt --force --out_dir run --max_iters 0" + small), "run", 0);
}

TEST_CASE("kept model: a run that begins with a model keeps that one if none is better") {
  const Texts box;
  box.done("train t.txt --out_dir base --max_iters 30" + small);
  const std::string from =
      "train t.txt --force --out_dir run --threads 1 --val_text v.txt "
      "--eval_tokens 0 --eval_interval 5 --init_from base ";
  for (const std::string flags : {"--max_iters 20", "--max_iters 20 --learning_rate 3"}) {
    INFO(flags);
    box.check_done(box.gradus(from + flags), "run", 0);
  }
  const Result worse = box.gradus(from + "--max_iters 8 --learning_rate 3 --min_lr 0.001");
  CHECK_THAT(worse.err, Catch::Contains(" at step 0, peak") &&
                            Catch::Contains("No update made the model better ("));
  CHECK_THAT(worse.err, Catch::Contains("--learning_rate 0.3 --out_dir run_2"));
  // It continues, and still has the model that it began with.
  box.check_done(box.gradus("train --resume run --max_iters 20"), "run", 0);
}

TEST_CASE("kept model: where evaluations read a part, it is measured on the whole in the end") {
  const Texts box;
  for (const std::string flags : {"--eval_tokens 50 --eval_interval 5 --max_iters 20",
                                  "--eval_iters 2 --eval_interval 3 --max_iters 10",
                                  "--eval_tokens 50 --max_iters 20 --learning_rate 3"}) {
    INFO(flags);
    const Result run = box.done("train t.txt --force --out_dir run " + small_part + flags);
    const std::string loss = between(box.gradus("eval run v.txt").out, "loss ", "\n");
    const std::string best = "step " + between(run.err, loss + " at step ", " ") + ":",
                      estimate = between(run.out.substr(run.out.find(best)), "val loss ", ",");
    CHECK_THAT(run.err, Catch::Contains(" (measured on 426 validation tokens; the evaluation "
                                        "estimated " +
                                        estimate + "), peak"));
    CHECK(between(run.err, "best validation loss ", " ") == loss);
    CHECK(between(box.gradus("info run").out, "  validation loss   ", "\n") ==
          loss + " (nats per token, measured on 426 tokens)");
    const page_data::Data page(box.gradus("report run --output -").out);
    // Half a unit of eval's last digit, and of the page's.
    CHECK(std::abs(page.number("runs", 0, "best", "loss") - page_data::number(loss)) <= 0.56e-4);
    // Measured again, it is the same file.
    const std::string model = read(box / "run/model.safetensors");
    box.done("train t.txt --force --out_dir other " + small_part + flags);
    CHECK((read(box / "other/model.safetensors") == model));
  }
}

TEST_CASE("kept model: interrupted, resumed, and without the file that was the best", "[signal]") {
  const Texts box;
  box.interrupted("train t.txt --out_dir run --max_iters 1000000 --eval_interval 50" + small,
                  "iter 200:");
  const train::Index step = box.log("run").back().step;
  box.check_model("run", 1);
  box.check_done(box.gradus("train --resume run --max_iters " + std::to_string(step + 12)), "run");
  std::filesystem::remove(box / "run/model.safetensors");
  const Result result = box.gradus("train --resume run --max_iters " + std::to_string(step + 40));
  CHECK_THAT(result.err, Catch::Contains("the best so far, is missing"));
  box.check_done(result, "run", step + 13);
}

TEST_CASE("kept model: an interrupted run that overfits names the step of the model it keeps",
          "[signal]") {
  const Texts box;
  std::string other;
  for (int i = 0; i < 60; ++i) other += "cab cc. bb aa ";
  write(box / "v.txt", other);
  const Result result = box.interrupted(
      "train t.txt --out_dir run --max_iters 1000000 --eval_interval 10" + small, "iter 400:");
  const train::Index best = box.best_of("run", 1).step;
  REQUIRE(best < box.log("run").back().step);
  CHECK(between(result.err, "gradus sample uses the model of step ", ",") == std::to_string(best));
}
