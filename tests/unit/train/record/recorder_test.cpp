// What a run writes as it trains, and what a resumed run keeps of it.
#include "train/record/recorder.h"

#include <fstream>
#include <sstream>

#include "engine/base/check.h"
#include "engine/base/storage.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "train/loop/layer_norms.h"
#include "train/record/short_sample.h"

using namespace train;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
std::string log_of(const std::vector<Index>& steps, bool old_columns = false) {
  std::string text(old_columns ? old_log_header : log_header);
  for (const Index step : steps) text += text_of(LogRow{step, 2, 3, 0.5, 1, 8 * step}, old_columns);
  return text;
}
std::string times_of(const std::vector<Index>& steps) {
  std::string text(times_header);
  for (const Index step : steps)
    text += text_of(TimeRow{step, 10.5 * static_cast<double>(step), "2026-11-22T17:40:00Z"});
  return text;
}
RecordSizes sizes_of(const std::string& log) { return {std::ssize(log), 0, 0}; }

Training training_of(const Corpus& corpus) {
  Plan plan;
  static_cast<model::Config&>(plan) = {
      .vocab_size = 5, .block_size = 3, .n_layer = 1, .n_head = 1, .n_embd = 2};
  plan.batch_size = 4;
  plan.gradient_accumulation_steps = 2;
  return {plan, corpus};
}
Corpus small_corpus() {
  model::TokenIds ids(5);
  for (int i = 0; i < 20; ++i) ids.push_back(i % 5);
  return {std::move(ids), 10};
}

}  // namespace

TEST_CASE("recorder: an evaluation is a row of each file") {
  const TemporaryDirectory directory;
  const RunFiles files(directory.path());
  const Corpus corpus = small_corpus();
  Training training = training_of(corpus);
  Recorder recorder(files, {});
  recorder.start();
  recorder.evaluated(training, {0, 1.5, 1.75, 0.001, 0, true, {}});
  training.gradient_norm = 2.5;
  recorder.evaluated(training, {7, 1.25, 1.5, 0.002, 0, true, {1, 2, 3, 4, 5}});
  recorder.sampled({7, "a text\n"});
  CHECK(record_file(files.log) == std::string(log_header) +
                                      "0,1.5,1.75,0.001,,0\n"
                                      "7,1.25,1.5,0.002,2.5,168\n");  // 7 of 2 x 4 x 3 tokens
  CHECK(record_file(files.samples) == "== step 7, 7 bytes ==\na text\n\n");
  const std::vector<LayerRow> layers = read_record(files.layers, read_layers);
  const std::vector<std::string> names = layer_names(training.parameters);
  const std::vector<double> norms = weight_norms(training.parameters);
  REQUIRE(layers.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    INFO("row " << i);
    CHECK(layers[i].step == (i < 5 ? 0 : 7));
    CHECK(layers[i].layer == names[i % 5]);
    CHECK(layers[i].weight_norm == norms[i % 5]);
    CHECK(layers[i].gradient_norm ==
          (i < 5 ? std::optional<double>() : static_cast<double>(i - 4)));
  }
  const std::vector<TimeRow> times = read_record(files.times, read_times);
  REQUIRE(times.size() == 2);
  CHECK(times[1].seconds >= times[0].seconds);
  CHECK(times[1].step == 7);
  const std::string& utc = times[1].utc;
  REQUIRE(utc.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    INFO(utc << ", character " << i);
    const char form = std::string_view("0000-00-00T00:00:00Z")[i];
    CHECK((form == '0' ? utc[i] >= '0' && utc[i] <= '9' : utc[i] == form));
  }
  const RecordSizes sizes = recorder.sizes();
  CHECK(sizes.log == std::ssize(record_file(files.log)));
  CHECK(sizes.layers == std::ssize(record_file(files.layers)));
  CHECK(sizes.samples == std::ssize(record_file(files.samples)));
}

TEST_CASE("recorder: a resumed run keeps the rows of its checkpoint, and times go on") {
  const TemporaryDirectory directory;
  const RunFiles files(directory.path());
  const std::string kept = log_of({0, 4, 8});
  write(files.log, log_of({0, 4, 8, 12}));
  write(files.times, times_of({0, 4, 8, 12}) + "16,200.0");  // killed as it was being written
  write(files.layers, std::string(layers_header) + "0,wte,1,\n4,wte,2,1\n");
  write(files.samples, text_of(Sample{0, "one"}) + text_of(Sample{4, "two"}));
  const Index layers = std::ssize(layers_header) + 9,
              samples = std::ssize(text_of(Sample{0, "one"}));
  Recorder recorder(files, {std::ssize(kept), layers, samples});
  CHECK(record_file(files.log) == kept);
  CHECK(record_file(files.times) == times_of({0, 4, 8}));
  CHECK(record_file(files.layers) == std::string(layers_header) + "0,wte,1,\n");
  CHECK(record_file(files.samples) == text_of(Sample{0, "one"}));
  const Corpus corpus = small_corpus();
  const Training training = training_of(corpus);
  recorder.start();
  recorder.evaluated(training, {12, 2, 3, 0.5, 0, false, {1, 1, 1, 1, 1}});
  const std::vector<TimeRow> times = read_record(files.times, read_times);
  REQUIRE(times.size() == 4);
  CHECK(times[3].step == 12);
  CHECK(times[3].seconds >= 84);  // of the sessions before
  CHECK(times[3].seconds < 84 + 600);
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

TEST_CASE("recorder: a new run begins all files, whatever was there") {
  const TemporaryDirectory directory;
  const RunFiles files(directory.path());
  for (const std::string& path : {files.log, files.times, files.layers, files.samples})
    write(path, "what another program left\n");
  const Recorder recorder(files, {});
  CHECK(record_file(files.log) == log_header);
  CHECK(record_file(files.times) == times_header);
  CHECK(record_file(files.layers) == layers_header);
  CHECK(record_file(files.samples) == "");
}

TEST_CASE("recorder: files that were removed are begun anew, all but the log") {
  const TemporaryDirectory directory;
  const RunFiles files(directory.path());
  const std::string log = log_of({0, 4});
  write(files.log, log);
  { const Recorder recorder(files, {std::ssize(log), 1000, 1000}); }
  CHECK(record_file(files.log) == log);
  CHECK(record_file(files.times) == times_header);
  CHECK(record_file(files.layers) == layers_header);
  CHECK(record_file(files.samples) == "");
  CHECK_THROWS_AS(Recorder(files, {std::ssize(log) + 1, 0, 0}), engine::Error);
  CHECK_THROWS_AS(Recorder(files, {std::ssize(log), 1000, 0}), engine::Error);
}

TEST_CASE("recorder: a log with four columns keeps them") {
  const TemporaryDirectory directory;
  const RunFiles files(directory.path());
  const std::string log = log_of({0, 4}, true);
  write(files.log, log);
  const Corpus corpus = small_corpus();
  Recorder recorder(files, sizes_of(log));
  recorder.evaluated(training_of(corpus), {8, 1.5, 1.75, 0.001, 0, true, {1, 1, 1, 1, 1}});
  CHECK(record_file(files.log) == log + "8,1.5,1.75,0.001\n");
}

TEST_CASE("recorder: times that no run writes are refused, with their file and line") {
  const std::string log = log_of({0, 4});
  const std::string header(times_header);
  for (const auto& [times, why] : std::vector<std::pair<std::string, std::string>>{
           {"step,second\n", "line 1: \"step,second\", expected step,seconds,utc"},
           {header + "0,1.000,now\n4,x,now\n", "line 3: \"x\", expected a number"},
           {header + "0,1.000\n", "line 2: too few fields"}}) {
    INFO(times);
    const TemporaryDirectory directory;
    const RunFiles files(directory.path());
    write(files.log, log);
    write(files.times, times);
    CHECK_THROWS_WITH(Recorder(files, sizes_of(log)), Catch::Contains("times.csv: " + why));
    CHECK(record_file(files.times) == times);  // and left as they are
    CHECK(record_file(files.log) == log);
  }
}

TEST_CASE("recorder: times are cut at the end of a row, however its numbers are written") {
  const TemporaryDirectory directory;
  const RunFiles files(directory.path());
  const std::string log = log_of({0, 4}),
                    times = std::string(times_header) + "0,1,now\n4,2.25,now\n";
  write(files.log, log);
  write(files.times, times + "8,3,now\n");
  const Recorder recorder(files, sizes_of(log));
  CHECK(record_file(files.times) == times);
}

TEST_CASE("recorder: samples are as long as the training between them affords, within bounds") {
  struct Row {
    double tokens;
    bool causal;
    Index length;
  };
  for (const auto& [tokens, causal, length] :
       std::vector<Row>{{0, true, 40},
                        {40'999, true, 40},
                        {41'000, true, 41},
                        {199'999, true, 199},
                        {1e27, true, 200},  // more than an Index holds
                        {1e27, false, 40}}) {
    INFO(tokens << (causal ? "" : ", not causal"));
    CHECK(sample_length(tokens, causal) == length);
  }
}
