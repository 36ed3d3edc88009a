// The files that a run records, read back from what was written, whole and cut off anywhere.
#include "train/record/record.h"

#include "tests/catch.h"
#include "tests/temporary.h"

using namespace train;

namespace {

const std::vector<LogRow> log_rows = {
    {0, {}, {}, {}, 4.5, 4.25}, {250, 2.375, 0.003, 1.5, 2.5, 2.75}, {500, 1, 0, 0.125, 1.25, 3.5}};

std::string written(const std::vector<LogRow>& rows) {
  std::string text(log_header);
  for (const LogRow& row : rows) text += text_of(row);
  return text;
}

}  // namespace

TEST_CASE("record: a log is read as it was written") {
  const std::string text = written(log_rows);
  CHECK(text ==
        "step,loss,learning_rate,gradient_norm,train_loss,val_loss\n"
        "0,,,,4.5,4.25\n250,2.375,0.003,1.5,2.5,2.75\n500,1,0,0.125,1.25,3.5\n");
  const std::vector<LogRow> rows = read_log(text);
  REQUIRE(rows.size() == 3);
  CHECK(text == written(rows));
  CHECK(rows[1].gradient_norm == 1.5);
  CHECK_FALSE(rows[0].gradient_norm.has_value());
  // Updates alone are no evaluations.
  const std::vector<LogRow> mixed = read_log(text + "600,1,0,0.125,,\n");
  CHECK(mixed.size() == 4);
  CHECK(written(evaluations(mixed)) == text);
}

TEST_CASE("record: a session's command comes back word by word, whatever its bytes") {
  const SessionRow row{
      .utc = "2026-11-22T17:40:00Z",
      .step = 7,
      .version = "gradus 1",
      .processes = 2,
      .threads = 3,
      .gflops = 235,
      .dtype = "float32",
      .minutes = 1.5,
      .command = {"./gradus", "train", "a b\n\"", "\xff\xc3\xa4", "", std::string(20'000, 'x')}};
  const std::string text = text_of(row);
  const std::vector<SessionRow> read = read_sessions(text + text + text.substr(0, 50));
  REQUIRE(read.size() == 2);
  CHECK(read[1].command == row.command);
  CHECK(text_of(read[1]) == text);
  CHECK_THAT(
      description(row),
      Catch::StartsWith("2026-11-22T17:40:00Z, from step 7, gradus 1, 2 processes, each of 3 "
                        "threads of 235 GFLOP/s, in float32\n    mpirun -n 2 ./gradus train "));
  CHECK_THROWS_WITH(read_sessions(text + "{\"utc\":1}\n"), Catch::StartsWith("line 2: "));
}

TEST_CASE("record: of a file that is being written, the complete rows are read") {
  std::string samples;
  for (const char* text : {"one\n== step 1, 2 bytes ==\n", "", "three"})
    samples += text_of(Sample{7, text});
  REQUIRE(read_samples(samples).size() == 3);
  CHECK(read_samples(samples)[0].text == "one\n== step 1, 2 bytes ==\n");
  CHECK(read_samples(samples)[2].text == "three");
  const auto check_beginnings = [](const std::string& file, auto read) {
    std::size_t complete = 0;
    for (std::size_t size = 0; size <= file.size(); ++size) {
      INFO(file.substr(0, size));
      const std::size_t rows = read(std::string_view(file).substr(0, size)).size();
      CHECK((rows == complete || rows == complete + 1));
      complete = rows;
    }
    CHECK(complete == 3);
  };
  check_beginnings(written(log_rows), read_log);
  check_beginnings(samples, read_samples);
}

TEST_CASE("record: what no run writes is refused, and the place named") {
  const std::string header(log_header);
  const auto refused = [](auto read, const std::string& text, const std::string& why) {
    INFO(text);
    CHECK_THROWS_WITH(read(text), Catch::Contains(why));
  };
  refused(
      read_log, "step;loss\n",
      "line 1: \"step;loss\", expected step,loss,learning_rate,gradient_norm,train_loss,val_loss");
  refused(read_log, header + "0,1,2,3\n", "line 2: too few fields");
  refused(read_log, header + "0,1,2,3,4,5,6\n", "line 2: too many fields");
  refused(read_log, header + "0,1,2,3,4,5\n1,x,2,3,4,5\n", "line 3: \"x\", expected a number");
  refused(read_log, header + "-1,1,2,3,4,5\n", "line 2: \"-1\"");
  refused(read_log, header + "0,inf,2,3,4,5\n", "line 2: \"inf\"");
  refused(read_log, header + "0,1e101,2,3,4,5\n",
          "line 2: \"1e101\", expected a number from 0 to 1e+100");
  refused(read_log, header + "9007199254740993,1,2,3,4,5\n",
          "expected a number from 0 to 9007199254740992");
  refused(read_times, std::string(times_header) + "0,,now\n", "line 2: \"\"");
  refused(read_times, "step,utc\n0,now\n", "line 1: \"step,utc\", expected step,seconds,utc");
  refused(read_samples, "== step 5, 3 bytes ==\nabcd\n", "byte 25: the sample goes on after its 3");
  refused(read_samples, "step 5\n", "byte 0: \"step 5\", expected == step N, N bytes ==");
  refused(read_samples, "== step 99999999999999999999, 3 bytes ==\nabc\n", "byte 0: ");
  const TemporaryDirectory directory;
  CHECK(read_record(directory / "log.csv", read_log).empty());
}

TEST_CASE("record: times are read as they were written") {
  std::string times(times_header);
  times += text_of(TimeRow{0, 0.0004, "2026-11-22T17:40:00Z"});
  times += text_of(TimeRow{2000, 86'400.1236, ""});
  CHECK(times == "step,seconds,utc\n0,0.000,2026-11-22T17:40:00Z\n2000,86400.124,\n");
  std::string again(times_header);
  for (const TimeRow& row : read_times(times)) again += text_of(row);
  CHECK(again == times);
  CHECK_THROWS_WITH(read_times(times + "5,-1.0,now\n"), Catch::Contains("line 4: \"-1.0\""));
  CHECK_THROWS_WITH(read_times(times + "\n"), Catch::Contains("line 4: \"\", expected a number"));
  CHECK(read_times(times + "5,-1.0,no").size() == 2);  // being written
}
