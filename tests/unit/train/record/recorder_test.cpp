// What a run writes as it trains, and what a resumed run keeps of it.
#include "train/record/recorder.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "engine/base/storage.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "train/record/short_sample.h"

using namespace train;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::string log_of(const std::vector<Index>& steps) {
  std::string text(log_header);
  for (const Index step : steps) text += text_of(LogRow{step, 2, 3, 0.5, 1, 4});
  return text;
}
std::string times_of(const std::vector<Index>& steps) {
  std::string text(times_header);
  for (const Index step : steps)
    text += text_of(TimeRow{step, 10.5 * static_cast<double>(step), "2026-11-22T17:40:00Z"});
  return text;
}
std::string samples_of(const std::vector<Index>& steps) {
  std::string text;
  for (const Index step : steps) text += text_of(Sample{step, "== step 9, 1 bytes ==\n"});
  return text;
}

Training small_training() {
  Plan plan = sized({.vocab_size = 5, .block_size = 3, .n_layer = 1, .n_head = 1, .n_embd = 2});
  plan.batch_size = 4;
  plan.gradient_accumulation_steps = 2;
  return {plan, Corpus(counting(20, 5), 10)};
}
// As it was when a checkpoint was written.
Training training_at(Index step, Index evaluated_step) {
  Training training = small_training();
  training.step = step;
  training.evaluated_step = evaluated_step;
  return training;
}

// Those of a run in a directory of the test's own.
struct TemporaryFiles : TemporaryDirectory, RunFiles {
  TemporaryFiles() : RunFiles(path()) {}
};

}  // namespace

TEST_CASE("recorder: updates and evaluations are rows, written at saves, whatever is removed") {
  const TemporaryFiles files;
  Training training = small_training();
  Recorder recorder(files, training, 2, false);
  recorder.start({.command = {"gradus", "train", "text"}});
  recorder.evaluated({0, 1.5, 1.75, true});
  recorder.save();
  for (Index step = 0; step < 5; ++step) {
    recorder.updated({step, 1 + 0.25 * double(step), 2.5, 0.002});
    CHECK(read_record(files.log, read_log).size() == 1);
  }
  recorder.evaluated({5, 1.25, 1.5, true});
  std::ifstream follower(files.log);  // as tail -f reads it: a log grows, and is not replaced
  recorder.save();
  recorder.updated({5, 3, 3, 0.002});
  recorder.updated({6, 3, 3, 0.002});
  recorder.sampled({7, "a text\n"});
  const std::string written =
      std::string(log_header) +
      "0,,,,1.5,1.75\n2,1.25,0.002,2.5,,\n4,1.75,0.002,2.5,,\n5,2,0.002,2.5,1.25,1.5\n";
  CHECK(record_file(files.log) == written);
  CHECK(std::string(std::istreambuf_iterator<char>(follower), {}) == written);
  follower.close();
  for (const std::string& path : {files.log, files.sessions}) model::remove_file(path);
  recorder.save();
  CHECK(record_file(files.log) == written + "6,3,0.002,3,,\n");
  recorder.save();
  CHECK(record_file(files.log) == written + "6,3,0.002,3,,\n");
  CHECK(recorder.log().size() == 5);
  CHECK(record_file(files.samples) == "== step 7, 7 bytes ==\na text\n\n");
  const SessionRow session = first_session(files.sessions);
  CHECK(session.command == std::vector<std::string>{"gradus", "train", "text"});
  CHECK(session.utc.size() == 20);
  const std::vector<TimeRow> times = read_record(files.times, read_times);
  REQUIRE(times.size() == 5);  // of the rows of the log
  CHECK(times[1].seconds >= times[0].seconds);
  CHECK(times[1].step == 2);
  CHECK(times[4].step == 6);
  std::string form = times[1].utc;
  for (char& c : form) c = c >= '0' && c <= '9' ? '0' : c;
  CHECK(form == "0000-00-00T00:00:00Z");
}

TEST_CASE("recorder: a moment is written as the C library writes it, on any day") {
  for (int day = 0; day < 1500; ++day) {
    const auto moment = std::chrono::system_clock::from_time_t(1'700'000'000 + day * 86'461L);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
    char expected[32];
    std::strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&seconds));
    REQUIRE(utc_text(moment + std::chrono::milliseconds(999)) == expected);
  }
}

TEST_CASE("recorder: a row has the moment at which it was made, not the session's") {
  const TemporaryFiles files;
  const Training training = small_training();
  Recorder recorder(files, training, 1, false);
  recorder.start({.command = {"gradus"}});
  const auto moment = [] { return utc_text(std::chrono::system_clock::now()); };
  for (Index step = 0; step < 2; ++step) {
    if (step > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    const std::string before = moment();
    recorder.updated({step, 1, 1, 1});
    recorder.save();
    const std::string utc = read_record(files.times, read_times).back().utc;
    CHECK(before <= utc);
    CHECK(utc <= moment());
  }
}

TEST_CASE("recorder: seconds are those of the clock since training began, over all sessions") {
  const TemporaryFiles files;
  Training training = small_training();
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
  double began = 0;  // seconds that were recorded before
  for (const bool resumed : {false, true}) {
    Recorder recorder(files, training, 1, resumed);
    wait();  // before training begins
    recorder.start({.command = {"gradus"}});
    wait();
    recorder.updated({training.step, 1, 1, 1});
    recorder.save();
    const double seconds = read_record(files.times, read_times).back().seconds;
    CHECK(seconds - began == Approx(0.3).margin(0.11));  // 0.2, and what a slow machine takes
    began = seconds;
    training.step = training.evaluated_step = 1;
  }
}

TEST_CASE("recorder: a resumed run keeps what was recorded up to its checkpoint, and times go on") {
  const TemporaryFiles files;
  // Stopped at step 9; gone on with and killed.
  write(files.log, log_of({0, 4, 8, 12}));
  write(files.times, times_of({0, 4, 8, 12}) + "16,200.0");  // as it was being written
  write(files.samples, samples_of({0, 9, 10}) + "== step 11, 20 bytes ==\nOnce");
  const Training training = training_at(9, 8);
  Recorder recorder(files, training, 4, true);
  CHECK(record_file(files.log) == log_of({0, 4, 8}));
  CHECK(record_file(files.times) == times_of({0, 4, 8}));
  CHECK(record_file(files.samples) == samples_of({0, 9}));
  recorder.start({.step = 9});
  recorder.evaluated({12, 2, 3, false});
  recorder.save();
  const std::vector<TimeRow> times = read_record(files.times, read_times);
  REQUIRE(times.size() == 4);
  CHECK(times[3].step == 12);
  // After the 84 of the sessions before: those of step 12 were after the checkpoint.
  CHECK(times[3].seconds == Approx(84).margin(10));
}

TEST_CASE("recorder: an evaluation at the checkpoint's step is kept if it was made before it") {
  const TemporaryFiles files;
  const auto kept = [&](Index evaluated_step, Index interval, bool evaluated = false) {
    write(files.log, log_of({0, 4, 8}));
    Recorder recorder(files, training_at(8, evaluated_step), interval, true);
    recorder.save();
    if (evaluated) recorder.evaluated({8, 1, 4, false});
    recorder.save();
    return record_file(files.log);
  };
  CHECK(kept(8, 1) == log_of({0, 4, 8}));
  CHECK(kept(4, 1) == log_of({0, 4}) + "8,2,3,0.5,,\n");
  CHECK(kept(4, 8) == log_of({0, 4}) + "8,2,3,0.5,,\n");
  CHECK(kept(4, 3) == log_of({0, 4}));  // only the evaluation made this a row
  CHECK(kept(4, 1, true) == log_of({0, 4, 8}));
  CHECK(read_record(files.times, read_times).empty());
  CHECK(kept(4, 3, true) == log_of({0, 4}) + "8,,,,1,4\n");
}

TEST_CASE("sample: neither training's blocks nor its own stay beside the others") {
  const model::GPT gpt(
      {.vocab_size = 256, .block_size = 16, .n_layer = 1, .n_head = 1, .n_embd = 32});
  const model::ByteTokenizer tokenizer;
  (void)short_sample(gpt, tokenizer, 1, 0, 3);  // makes this thread's workspace for products
  const engine::pool::Usage before = engine::pool::usage();
  { const engine::Buffer activations(1000); }
  REQUIRE(engine::pool::usage().reserved > before.reserved);
  (void)short_sample(gpt, tokenizer, 1, 0, 3);
  CHECK(engine::pool::usage().reserved == before.live);
}

TEST_CASE("recorder: the session that began a run stays when it is resumed, at step 0 too") {
  const TemporaryFiles files;
  const auto session = [&](bool resumed, double minutes) {
    Recorder recorder(files, training_at(0, -1), 1, resumed);
    recorder.start({.minutes = minutes});
    recorder.save();
  };
  session(false, 1);
  session(true, 2);
  CHECK(first_session(files.sessions).minutes == 1);
  session(false, 3);
  CHECK(first_session(files.sessions).minutes == 3);
}

TEST_CASE("recorder: a session that was cut is left out") {
  const TemporaryFiles files;
  const std::string row = text_of(SessionRow{.utc = "2026-11-22T17:40:00Z", .command = {"gradus"}});
  write(files.sessions, row + row.substr(0, 9));
  Recorder(files, training_at(3, 3), 1, true).start({});
  CHECK(record_file(files.sessions) == row);
}
