// The files that a run records, read back from what was written, whole and cut off anywhere.
#include "train/record/record.h"

#include <cmath>
#include <sstream>

#include "engine/base/check.h"
#include "model/gpt/gpt.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "train/record/layer_norms.h"
#include "train/record/terminal_chart.h"

using namespace train;

namespace {

const std::vector<LogRow> log_rows = {
    {0, 4.5, 4.25, 1e-5, {}, 0}, {250, 2.5, 2.75, 0.003, 1.5, 64}, {500, 1.25, 3.5, 0, 0.125, 128}};

std::string written(const std::vector<LogRow>& rows) {
  std::string text(log_header);
  for (const LogRow& row : rows) text += text_of(row);
  return text;
}

}  // namespace

TEST_CASE("record: a log is read as it was written") {
  const std::string text = written(log_rows);
  CHECK(text ==
        "step,train_loss,val_loss,learning_rate,gradient_norm,tokens\n"
        "0,4.5,4.25,1e-05,,0\n250,2.5,2.75,0.003,1.5,64\n500,1.25,3.5,0,0.125,128\n");
  const std::vector<LogRow> rows = read_log(text);
  REQUIRE(rows.size() == 3);
  CHECK(text == written(rows));
  CHECK(rows[1].gradient_norm == 1.5);
  CHECK_FALSE(rows[0].gradient_norm.has_value());
}

TEST_CASE("record: columns are found by their names, in any order, and may be missing or unknown") {
  const std::vector<LogRow> rows =
      read_log("val_loss,note,step,learning_rate,train_loss\n4.25,a b,0,1e-05,4.5\n");
  REQUIRE(rows.size() == 1);
  CHECK(written(rows) == std::string(log_header) + "0,4.5,4.25,1e-05,,\n");
  CHECK(read_times("step,seconds\n7,1.5\n")[0].utc == "");
}

TEST_CASE("record: of a file that is being written, the complete rows are read") {
  const std::string log = written(log_rows);
  std::string samples;
  for (const char* text : {"one\n== step 1, 2 bytes ==\n", "", "three"})
    samples += text_of(Sample{7, text});
  REQUIRE(read_samples(samples).size() == 3);
  CHECK(read_samples(samples)[0].text == "one\n== step 1, 2 bytes ==\n");
  CHECK(read_samples(samples)[2].text == "three");
  std::size_t rows = 0, complete = 0;
  for (std::size_t size = 0; size <= log.size(); ++size) {
    INFO(size << " bytes of the log");
    const std::vector<LogRow> read = read_log(std::string_view(log).substr(0, size));
    CHECK((read.size() == rows || read.size() == rows + 1));
    rows = read.size();
  }
  CHECK(rows == 3);
  for (std::size_t size = 0; size <= samples.size(); ++size) {
    INFO(size << " bytes of the samples");
    const std::vector<Sample> read = read_samples(std::string_view(samples).substr(0, size));
    CHECK((read.size() == complete || read.size() == complete + 1));
    complete = read.size();
  }
  CHECK(complete == 3);
}

TEST_CASE("record: what no run writes is refused, and the place named") {
  const std::string header(log_header);
  const auto refused = [](auto read, const std::string& text, const std::string& why) {
    INFO(text);
    CHECK_THROWS_WITH(read(text), Catch::Contains(why));
  };
  refused(read_log, "step;loss\n", "line 1: \"step;loss\", expected a column step");
  refused(read_log, "step,val_loss\n0,1\n", "\"step,val_loss\", expected a column train_loss");
  refused(read_log, header + "0,1,2,3\n", "line 2: too few fields");
  refused(read_log, header + "0,1,2,3,4,5,6\n", "line 2: too many fields");
  refused(read_log, header + "0,1,2,3,4,5\n1,x,2,3,4,5\n", "line 3: \"x\", expected a number");
  refused(read_log, header + "-1,1,2,3,4,5\n", "line 2: \"-1\"");
  refused(read_log, header + "0,inf,2,3,4,5\n", "line 2: \"inf\"");
  refused(read_log, header + "0,1e101,2,3,4,5\n",
          "line 2: \"1e101\", expected a number from 0 to 1e+100");
  refused(read_log, header + "9007199254740993,1,2,3,4,5\n",
          "expected a number from 0 to 9007199254740992");
  refused(read_layers, std::string(layers_header) + "0,wte,,1\n", "line 2: \"\"");
  refused(read_samples, "== step 5, 3 bytes ==\nabcd\n", "byte 25: the sample goes on after its 3");
  refused(read_samples, "step 5\n", "byte 0: \"step 5\", expected == step N, N bytes ==");
  refused(read_samples, "== step 99999999999999999999, 3 bytes ==\nabc\n", "byte 0: ");
  const TemporaryDirectory directory;
  const std::string path = directory / "log.csv";
  CHECK(read_record(path, read_log).empty());
}

TEST_CASE("record: layers are named, and their norms are those of all their numbers") {
  model::GPT gpt({.vocab_size = 5, .block_size = 3, .n_layer = 2, .n_head = 1, .n_embd = 2});
  const nn::FlatParameters parameters(gpt);
  CHECK(layer_names(parameters) == std::vector<std::string>{"wte", "wpe", "h.0.attn", "h.0.mlp",
                                                            "h.1.attn", "h.1.mlp", "ln_f"});
  std::vector<double> squares(7);
  double value = 0;
  std::size_t layer = 0;
  std::string last;
  for (const auto& entry : parameters.entries()) {
    const bool attention = entry.name.find("ln_1") != std::string::npos ||
                           entry.name.find("attn") != std::string::npos;
    const std::string its = entry.name.substr(0, 15) + (attention ? "a" : "m");
    if (its != last && !last.empty()) ++layer;
    last = its;
    for (engine::Index i = 0; i < entry.tensor.size(); ++i) {
      value += 0.25;
      entry.tensor.mutable_data()[i] = static_cast<engine::real>(value);
      squares.at(layer) += value * value;
    }
  }
  CHECK(layer == 6);
  const std::vector<double> norms = weight_norms(parameters);
  for (std::size_t i = 0; i < norms.size(); ++i)
    CHECK(norms[i] == Approx(std::sqrt(squares[i])).epsilon(1e-6));
  CHECK(gradient_norms(parameters) == std::vector<double>(7));
}

TEST_CASE("record: gradients' norms are those of their layer, and absent where there is none") {
  model::GPT gpt({.vocab_size = 5,
                  .block_size = 3,
                  .n_layer = 11,
                  .n_head = 1,
                  .n_embd = 2,
                  .bias = true,
                  .position = nn::PositionKind::rope,
                  .tie_weights = false});
  const nn::FlatParameters parameters(gpt);
  const std::vector<std::string> names = layer_names(parameters);
  REQUIRE(names.size() == 1 + 2 * 11 + 2);
  CHECK(names[0] == "wte");
  CHECK(names[1] == "h.0.attn");
  CHECK(names[22] == "h.10.mlp");
  CHECK(names[23] == "ln_f");
  CHECK(names[24] == "lm_head");
  // Gradients of 3 and 4 in the norm and the weights of one attention; the others have none.
  for (const auto& [name, value] : {std::pair("transformer.h.1.ln_1.bias", 3),
                                    std::pair("transformer.h.1.attn.c_proj.bias", 4)})
    for (const auto& entry : parameters.entries())
      if (entry.name == name)
        entry.tensor.gradient().accumulate(engine::Tensor::full(
            entry.tensor.shape(), static_cast<engine::real>(value / std::sqrt(2.0))));
  const std::vector<double> norms = gradient_norms(parameters);
  REQUIRE(norms.size() == names.size());
  for (std::size_t i = 0; i < norms.size(); ++i) {
    INFO(names[i]);
    CHECK(norms[i] == Approx(names[i] == "h.1.attn" ? 5 : 0).epsilon(1e-6));
  }
}

TEST_CASE("record: times and layers are read as they were written") {
  std::string times(times_header), layers(layers_header);
  times += text_of(TimeRow{0, 0.0004, "2026-11-22T17:40:00Z"});
  times += text_of(TimeRow{2000, 86'400.1236, ""});
  layers += text_of(LayerRow{0, "h.0.attn", 1.5, {}}) + text_of(LayerRow{7, "ln_f", 1e-30, 0.25});
  CHECK(times == "step,seconds,utc\n0,0.000,2026-11-22T17:40:00Z\n2000,86400.124,\n");
  CHECK(layers == "step,layer,weight_norm,gradient_norm\n0,h.0.attn,1.5,\n7,ln_f,1e-30,0.25\n");
  const std::vector<TimeRow> t = read_times(times);
  REQUIRE(t.size() == 2);
  CHECK(t[0].utc == "2026-11-22T17:40:00Z");
  CHECK(t[1].step == 2000);
  CHECK(t[1].seconds == 86'400.124);
  CHECK(t[1].utc == "");
  const std::vector<LayerRow> l = read_layers(layers);
  REQUIRE(l.size() == 2);
  CHECK(l[0].layer == "h.0.attn");
  CHECK_FALSE(l[0].gradient_norm.has_value());
  CHECK(l[1].weight_norm == 1e-30);
  CHECK(l[1].gradient_norm == 0.25);
  CHECK_THROWS_WITH(read_times(times + "5,1.0,now,1\n"),
                    Catch::Contains("line 4: too many fields"));
  CHECK_THROWS_WITH(read_times(times + "5,-1.0,now\n"), Catch::Contains("line 4: \"-1.0\""));
  CHECK_THROWS_WITH(read_times(times + "\n"), Catch::Contains("line 4: too few fields"));
  CHECK(read_times(times + "5,-1.0,no").size() == 2);  // being written
}

TEST_CASE("record: the chart shows both losses between their bounds") {
  const std::string chart = terminal_chart(log_rows, 2.0, 40);
  CHECK_THAT(chart,
             Catch::StartsWith("  loss: * validation, . training, - best n-gram (2.0000)\n"));
  CHECK_THAT(chart, Catch::Contains("  4.5000 |.") && Catch::Contains("\n  1.2500 |"));
  CHECK_THAT(chart, Catch::EndsWith("500 steps\n"));
  std::istringstream lines(chart);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 60);
  CHECK(terminal_chart({log_rows.data(), 1}, {}, 80).empty());
  CHECK(terminal_chart(log_rows, {}, 10).empty());
}
