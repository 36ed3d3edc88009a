// A session on a clock of its own, which moves by a second at each look: what happens when, and what is
// said of the time. What a long run or a slow machine would do takes milliseconds here.
#include "train/run/session.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "model/base/directories.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "train/run/checkpoint.h"

using namespace train;

namespace {

int looks = 0;
std::function<void()> at_each_look;

RunningClock::time_point now() {
  ++looks;
  if (at_each_look) at_each_look();
  return RunningClock::time_point(std::chrono::seconds(looks));
}

// What is written to a descriptor during its life.
class Written {
 public:
  Written(int descriptor, std::string path)
      : descriptor_(descriptor), before_(dup(descriptor)), path_(std::move(path)) {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    REQUIRE(file != nullptr);
    dup2(fileno(file), descriptor_);
    std::fclose(file);
  }
  ~Written() { dup2(before_, descriptor_), close(before_); }
  std::string text() const {
    std::ostringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  }

 private:
  int descriptor_, before_;
  std::string path_;
};

Corpus small_corpus() {
  model::TokenIds ids(256);
  for (int i = 0; i < 400; ++i) ids.push_back('a' + i * i % 7);
  return {std::move(ids), 300};
}

Plan small_plan(Index max_iters, Index eval_interval) {
  Plan plan;
  static_cast<model::Config&>(plan) = {
      .vocab_size = 256, .block_size = 4, .n_layer = 1, .n_head = 1, .n_embd = 2};
  plan.batch_size = 1;
  plan.max_iters = plan.lr_decay_iters = max_iters;
  plan.eval_interval = eval_interval;
  plan.sample_interval = 0;
  return plan;
}

struct Told {
  std::string out, err;
  Index max_iters;
};

Told told(const Plan& plan, SessionOptions options, const std::string& place) {
  looks = 0;
  const Corpus corpus = small_corpus();
  const model::OutputDirectory directory(place);
  const RunFiles files(place);
  Run run(Training(plan, corpus), std::make_shared<model::ByteTokenizer>(), {});
  options.now = now;
  options.start_time = RunningClock::time_point();
  Session session(files, directory.lock(), run, corpus, options);
  const Written out(1, place + ".out"), err(2, place + ".err");
  session.run();
  return {out.text(), err.text(), run.plan.max_iters};
}

// The seconds of "1 min 12 s" or "12 s" before `behind`.
double seconds_before(const std::string& line, const std::string& behind) {
  const std::string before = line.substr(0, line.find(behind));
  const std::size_t comma = before.rfind(", ");
  int minutes = 0, seconds = 0;
  const char* const text = before.c_str() + comma + 2;
  if (std::sscanf(text, "%d min %d s", &minutes, &seconds) != 2) {
    minutes = 0;
    REQUIRE(std::sscanf(text, "%d s", &seconds) == 1);
  }
  return 60 * minutes + seconds;
}

}  // namespace

TEST_CASE("session: a run is saved after a minute, however far apart its evaluations are") {
  const TemporaryDirectory directory;
  const std::string place = directory / "run", checkpoint = place + "/checkpoint.safetensors";
  std::vector<std::pair<int, Index>> saved;  // seconds, and the step of a new checkpoint
  at_each_look = [&] {
    std::ifstream file(checkpoint, std::ios::binary);
    if (!file) return;
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::string key = "\"step\":\"";
    const std::size_t at = bytes.str().find(key);
    REQUIRE(at != std::string::npos);
    const Index step = std::atoi(bytes.str().c_str() + at + key.size());
    if (saved.empty() || saved.back().second != step) saved.push_back({looks, step});
  };
  told(small_plan(100, 1000), {}, place);
  at_each_look = nullptr;
  REQUIRE(saved.size() == 3);
  CHECK(saved[0].second == 0);
  CHECK(saved[1].first > 60);
  CHECK(saved[1].first <= 65);
  CHECK(saved[1].second < 100);
  CHECK(saved[2].second == 100);
}

TEST_CASE("session: the time left is the time that the rest takes, evaluations included") {
  const TemporaryDirectory directory;
  for (const Index interval : {2, 3, 1000}) {
    std::vector<std::pair<int, double>> left;  // seconds, and those that were left then
    std::size_t read = 0;
    const std::string place = directory / std::to_string(interval);
    at_each_look = [&] {
      std::ostringstream bytes;
      bytes << std::ifstream(place + ".err", std::ios::binary).rdbuf();
      const std::string text = bytes.str();
      for (std::size_t end; (end = text.find('\n', read)) != text.npos; read = end + 1) {
        const std::string line = text.substr(read, end - read);
        if (line.starts_with("iter ")) left.push_back({looks, seconds_before(line, " left")});
      }
    };
    told(small_plan(60, interval), {.log_interval = 5}, place);
    at_each_look = nullptr;
    REQUIRE(left.size() >= 10);
    for (std::size_t i = 4; i + 1 < left.size(); ++i) {
      INFO("every " << interval << ": " << left[i].second << " s left at " << left[i].first
                    << " s, and " << looks << " s at the end");
      CHECK(left[i].second == Approx(looks - left[i].first).epsilon(0.15).margin(4));
    }
  }
}
