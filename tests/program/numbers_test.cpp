// The numbers that train prints and records, each computed here again: from the text, from the
// formulas of the architectures, from nanoGPT's schedule, or from other numbers of the same run.
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>
#include <vector>

#include "tests/program/run.h"

using program::number_after;

namespace {

std::vector<std::string> lines_with(const std::string& text, const std::string& begin) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(begin)) lines.push_back(line);
  return lines;
}

// Rows of log.csv by step; what is blank is NaN.
std::map<int, std::vector<double>> log_rows(const std::string& csv) {
  std::map<int, std::vector<double>> rows;
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  CHECK(line == "step,loss,learning_rate,gradient_norm,train_loss,val_loss");
  while (std::getline(in, line)) {
    std::istringstream fields(line + ",");
    std::vector<double> row;
    for (std::string field; std::getline(fields, field, ',');)
      row.push_back(field.empty() ? NAN : std::atof(field.c_str()));
    rows[static_cast<int>(row[0])] = row;
  }
  return rows;
}

constexpr double last_digit = 0.00005001;  // of a number with four

}  // namespace

TEST_CASE("numbers: what train says and records of a run of GPT-2") {
  const program::Sandbox box;
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "\xC3\x89lan " + std::to_string(i) +
            " \xC3\xBC"
            "ber " +
            std::to_string(i * i) + ".\n";
  std::size_t characters = 0;
  std::map<std::string, int> known;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    const std::size_t size = text[at] == '\xC3' ? 2 : 1;
    ++known[text.substr(at, size)];
    at += size;
  }
  program::write(box / "t.txt", text);
  const auto run = box.done(
      "train t.txt --arch gpt2 --optimizer adamw --n_layer 2 --n_head 2 --n_embd 16 --block_size 8 "
      "--batch_size 4 --gradient_accumulation_steps 3 --max_iters 20 --eval_interval 5 "
      "--log_interval 1 --learning_rate 0.01 --warmup_iters 4 --lr_schedule cosine --min_lr 0.001 "
      "--dtype float32 --tokenizer char --out_dir r");

  CHECK(number_after(run.err, "t.txt: ") == double(characters));
  CHECK(number_after(run.err, "(char, ") == double(known.size()));
  CHECK_THAT(run.err, Catch::Contains("steps 0 to 20 of 12 x 8 tokens"));

  const auto rows = log_rows(program::read(box / "r/log.csv"));
  REQUIRE(rows.size() == 21);
  const std::vector<std::string> iters = lines_with(run.err, "iter ");
  REQUIRE(iters.size() == 20);
  for (const std::string& line : iters) {
    INFO(line);
    const int it = static_cast<int>(number_after(line, "iter "));
    CHECK(std::abs(number_after(line, "loss ") - rows.at(it + 1)[1]) < last_digit);
  }
  const std::vector<std::string> steps = lines_with(run.out, "step ");
  REQUIRE(steps.size() == 5);
  double best = INFINITY, best_step = 0;
  for (const std::string& line : steps) {
    INFO(line);
    const int step = static_cast<int>(number_after(line, "step "));
    const std::vector<double>& row = rows.at(step);
    CHECK(std::abs(number_after(line, "train loss ") - row[4]) < last_digit);
    CHECK(std::abs(number_after(line, "val loss ") - row[5]) < last_digit);
    // A token is a character.
    const double bits = row[5] / std::numbers::ln2;
    const std::string last = line.substr(line.find("val loss "));
    CHECK(std::abs(number_after(last, ", ") - bits) < last_digit);
    // The training loss is the mean of the updates since the evaluation before.
    if (step > 0) {
      double sum = 0;
      for (int i = step - 4; i <= step; ++i) sum += rows.at(i)[1];
      CHECK(row[4] == Approx(sum / 5).epsilon(1e-12));
      if (row[5] < best) best = row[5], best_step = step;
    }
  }
  CHECK_THAT(run.err, Catch::Contains("done: 20 steps, best validation loss "));
  CHECK(std::abs(number_after(run.err, "best validation loss ") - best) < last_digit);
  CHECK(number_after(run.err, " at step ") == best_step);
  const std::string speed = program::between(run.err, " s on ", " GFLOP/s");  // whole ones
  CHECK(speed.substr(speed.rfind(' ') + 1).find_first_not_of("0123456789") == speed.npos);
  const double megabytes = number_after(run.err, "peak memory ");
  CHECK((megabytes > 2 && megabytes < 1000));
  const auto report = box.gradus("report r");
  CHECK(number_after(report.err, "wrote r/report.html, ") ==
        std::floor(double(std::filesystem::file_size(box / "r/report.html")) / 1000));

  const auto info = box.gradus("info r");
  CHECK(std::abs(number_after(info.out, "validation loss   ") - best) < last_digit);
}

TEST_CASE("numbers: info's parts of a model add up, of every architecture") {
  const program::Sandbox box;
  program::write(box / "t.txt", std::string(700, 'a') + std::string(200, 'b') + "cdefg");
  for (const std::string flags : {"--arch gpt2", "--arch gpt2 --bias true --n_inner 20",
                                  "--arch llama --n_kv_head 2 --head_dim 4",
                                  "--arch qwen3 --tie_weights false --n_embd 312"}) {
    INFO(flags);
    const auto run = box.done(
        "train t.txt --tokenizer char --max_iters 0 --n_layer 3 --n_head 6 --n_embd 12 "
        "--block_size 9 --force --out_dir r " +
        flags);
    const std::string info = box.gradus("info r").out;
    INFO(info);
    const double all = number_after(info, "\n  in all        ");
    std::istringstream parts(program::between(info, "\nParameters\n", "\n  in all"));
    double sum = 0;
    for (std::string line; std::getline(parts, line);)
      sum += number_after(line.substr(line.find_first_of("0123456789")), "");
    CHECK(sum == all);
    CHECK(number_after(info, "\n  blocks        ") == 3 * number_after(info, "  3 of "));
    CHECK(number_after(info, ": a GPT of ") == all);
    CHECK(number_after(run.err, " channels, ") == all);
    char size[32];  // of megabytes, with one decimal
    std::snprintf(size, sizeof size, " parameters, %.1f MB\n",
                  double(std::filesystem::file_size(box / "r/model.safetensors")) / 1e6);
    CHECK_THAT(info, Catch::Contains(size));
  }
}
