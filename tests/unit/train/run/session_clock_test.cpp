// The time left that a session prints, compared with the time that the rest then takes. Its clock moves by a
// second at each look, so what a slow machine would do takes milliseconds here.
#include "train/run/session.h"

#include "model/base/directories.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "tests/unit/train/run/heard.h"

using namespace train;

namespace {

int looks = 0;

RunningClock::time_point now() { return RunningClock::time_point(std::chrono::seconds(++looks)); }

Plan small_plan(Index max_iters, Index eval_interval) {
  Plan plan = sized({.vocab_size = 256, .block_size = 4, .n_layer = 1, .n_head = 1, .n_embd = 2});
  plan.batch_size = 1;
  plan.max_iters = plan.lr_decay_iters = max_iters;
  plan.eval_interval = eval_interval;
  return plan;
}

// The seconds of "1 min 12 s left" or "12 s left" at the end of a line.
double seconds_left_in(const std::string& line) {
  const char* const text = line.c_str() + line.rfind(", ") + 2;
  int minutes = 0, seconds = 0;
  if (std::sscanf(text, "%d min %d s left", &minutes, &seconds) == 2) return 60 * minutes + seconds;
  REQUIRE(std::sscanf(text, "%d s left", &seconds) == 1);
  return seconds;
}

}  // namespace

TEST_CASE("session: the time left is the time that the rest takes, evaluations included") {
  const TemporaryDirectory directory;
  for (const Index interval : {2, 3, 1000}) {
    looks = 0;
    std::vector<std::pair<int, double>> left;  // seconds, and those that were left then
    const heard::Streams streams([&](int, const std::string& line) {
      if (line.starts_with("iter ")) left.push_back({looks, seconds_left_in(line)});
    });
    const std::string place = directory / std::to_string(interval);
    const model::OutputDirectory output(place);
    const Corpus corpus(tokens_of(400, 256, [](Index i) { return 'a' + i * i % 7; }), 300);
    Run run(Training(small_plan(60, interval), corpus), std::make_shared<model::ByteTokenizer>(),
            {});
    Session session(RunFiles(place), output.lock(), run, corpus,
                    {.log_interval = 5, .now = now, .start_time = RunningClock::time_point()});
    session.run();
    REQUIRE(left.size() >= 10);
    for (std::size_t i = 4; i + 1 < left.size(); ++i) {
      INFO("every " << interval << ": " << left[i].second << " s left at " << left[i].first
                    << " s, and " << looks << " s at the end");
      CHECK(left[i].second == Approx(looks - left[i].first).epsilon(0.15).margin(4));
    }
  }
}
