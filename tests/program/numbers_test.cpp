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

  const double V = double(known.size()), T = 8, C = 16, L = 2;
  CHECK(number_after(run.err, "t.txt: ") == double(characters));
  CHECK(number_after(run.err, "(char, ") == V);
  // Embeddings of tokens (the head's weights too) and positions; of a block two norms, c_attn and
  // c_proj, c_fc and c_proj; a norm.
  const double parameters = V * C + T * C + L * (2 * C + 4 * C * C + 8 * C * C) + C;
  CHECK(number_after(run.err, "16 channels, ") == parameters);
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
  CHECK(number_after(info.out, "in all ") == parameters);
  CHECK(number_after(info.out, "tokens   ") == V * C);
  CHECK(std::abs(number_after(info.out, "validation loss   ") - best) < last_digit);
}

TEST_CASE("numbers: the share of the peak is that of the matrix products' operations") {
  const program::Sandbox box;
  program::write(box / "t.txt", std::string(3000, 'a') + "bcdefgh");
  const auto run = box.done(
      "train t.txt --arch gpt2 --optimizer adamw --n_layer 3 --n_head 2 --n_embd 64 --block_size "
      "32 "
      "--batch_size 8 --max_iters 30 --log_interval 10 --threads 1 --dtype float32 "
      "--tokenizer byte --out_dir r");
  const double V = 256, T = 32, C = 64, L = 3;
  // Forward: 2 for each weight of a product, and 4 T C of a layer for scores and context; backward
  // is twice that.
  const double flops = 3 * (2 * (12 * C * C * L + V * C) + 4 * T * C * L);
  const double peak = 1e9 * number_after(run.err, "1 thread of ");
  const std::vector<std::string> iters = lines_with(run.err, "iter ");
  REQUIRE(iters.size() >= 3);
  for (const std::string& line : iters) {
    INFO(line);
    const double tokens = number_after(line, line.substr(0, line.find(", ") + 2));
    const double printed = number_after(line, "tokens/s, ");
    // The share is rounded to a whole number, the peak to a GFLOP/s, tokens/s to a whole number.
    const double share = 100 * tokens * flops / peak;
    CHECK(std::abs(printed - share) <= 0.5 + share * (0.5e9 / peak + 0.5 / tokens) * 1.01);
  }
}

TEST_CASE("numbers: info's parts of a model add up, of every architecture") {
  const program::Sandbox box;
  program::write(box / "t.txt", std::string(700, 'a') + std::string(200, 'b') + "cdefg");
  struct Case {
    std::string flags;
    bool is_gpt2, qk_norm, bias, tied;
    double keys, head, hidden;
  };
  // 3 layers of 12 channels, 6 heads; 7 letters; a context of 9.
  const double V = 7, T = 9, C = 12, H = 6, L = 3;
  for (const Case& c :
       {Case{"--arch gpt2", true, false, false, true, 6, 2, 48},
        {"--arch gpt2 --bias true --n_inner 20", true, false, true, true, 6, 2, 20},
        {"--arch llama --n_kv_head 2 --head_dim 4", false, false, false, true, 2, 4, 32},
        {"--arch qwen3 --tie_weights false --n_kv_head 3", false, true, false, false, 3, 2, 32}}) {
    INFO(c.flags);
    const auto run = box.done(
        "train t.txt --tokenizer char --max_iters 0 --n_layer 3 --n_head 6 --n_embd 12 "
        "--block_size 9 --force --out_dir r " +
        c.flags);
    const double bias = c.bias, norm = C * (1 + (c.is_gpt2 ? bias : 0)),
                 qkv = (H + 2 * c.keys) * c.head,
                 up = c.hidden * (c.is_gpt2 ? 1 : 2);  // SwiGLU has two
    const double each = 2 * norm + qkv * C + H * c.head * C + up * C + c.hidden * C +
                        (c.qk_norm ? 2 * c.head : 0) + bias * (qkv + C + up + C),
                 all = V * C * (c.tied ? 1 : 2) + (c.is_gpt2 ? T * C : 0) + L * each + norm;
    const std::string info = box.gradus("info r").out;
    INFO(info);
    CHECK(number_after(info, ": a GPT of ") == all);
    CHECK(number_after(info, "\n  tokens                     ") == V * C);
    CHECK((info.find("7 x 12, also the head\n") != info.npos) == c.tied);
    CHECK((info.find("\n  head  ") != info.npos) == !c.tied);
    if (c.is_gpt2) CHECK(number_after(info, "\n  positions     ") == T * C);
    CHECK((info.find("\n  positions     ") != info.npos) == c.is_gpt2);
    CHECK(number_after(info, "\n  blocks        ") == L * each);
    CHECK(number_after(info, "  3 of ") == each);
    CHECK(number_after(info, "\n  last norm     ") == norm);
    CHECK(number_after(info, "\n  in all        ") == all);
    CHECK(number_after(info, "\n  n_kv_head  ") == c.keys);
    CHECK(number_after(info, "\n  head_dim  ") == c.head);
    CHECK(number_after(info, "\n  n_inner  ") == c.hidden);
    CHECK_THAT(info, Catch::Contains("\n  validation        the last 10 %\n"));
    CHECK(number_after(run.err, "12 channels, ") == all);
    CHECK_THAT(run.err, Catch::Contains("a GPT of 3 layers, 6 heads, 12 channels, "));
  }
  // A size of megabytes has one decimal.
  box.done(
      "train t.txt --tokenizer char --max_iters 0 --n_layer 2 --n_head 2 --n_embd 320 --force "
      "--out_dir r");
  char size[32];
  std::snprintf(size, sizeof size, " parameters, %.1f MB\n",
                double(std::filesystem::file_size(box / "r/model.safetensors")) / 1e6);
  CHECK_THAT(box.gradus("info r").out, Catch::Contains(size));
}
