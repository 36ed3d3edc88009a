// The picture of a run's losses, character by character.
#include "train/record/terminal_chart.h"

#include <sstream>

#include "tests/catch.h"

using namespace train;

namespace {

// From 12 to 1: a line of the picture for each unit. Eleven columns: a column for each 10 steps.
const std::vector<LogRow> log_rows = {
    {0, {}, {}, {}, 12, 10}, {50, 1, 0, 1, 2, 6}, {100, 1, 0, 1, 1, 8}};

}  // namespace

TEST_CASE("terminal chart: each loss is in the line and the column of its value and step") {
  CHECK(terminal_chart(log_rows, 4.0, 22) ==
        "  loss: * validation, . training, - best n-gram (4.0000)\n"
        " 12.0000 |.          \n"
        "         |           \n"
        "         |*.         \n"
        "         | *         \n"
        "  8.0000 |  **     **\n"
        "         |    *  **  \n"
        "         |   . **    \n"
        "         |           \n"
        "  4.0000 |----.------\n"
        "         |           \n"
        "         |     ...   \n"
        "  1.0000 |        ...\n"
        "         +-----------\n"
        "          0 100 steps\n");
}

TEST_CASE("terminal chart: steps are at their distances, however many evaluations lie between") {
  // A row on the lines between two of log_rows.
  std::vector<LogRow> more = log_rows;
  more.insert(more.begin() + 1, {25, 1, 0, 1, 7, 8});
  for (const int columns : {22, 60})
    CHECK(terminal_chart(more, 4.0, columns) == terminal_chart(log_rows, 4.0, columns));
}

TEST_CASE("terminal chart: a log may begin at any step") {
  std::vector<LogRow> later = log_rows;
  for (LogRow& row : later) row.step += 700;
  const std::string chart = terminal_chart(later, 4.0, 30),
                    begin = terminal_chart(log_rows, 4.0, 30);
  const std::size_t last = chart.rfind('\n', chart.size() - 2);
  CHECK(chart.substr(0, last) == begin.substr(0, begin.rfind('\n', begin.size() - 2)));
  CHECK(chart.substr(last) == "\n          700       800 steps\n");
}

TEST_CASE("terminal chart: as wide as there are columns, up to 80") {
  for (const int columns : {21, 40, 80, 200}) {
    const std::string chart = terminal_chart(log_rows, {}, columns);
    INFO(columns << " columns");
    CHECK_THAT(chart, Catch::StartsWith("  loss: * validation, . training\n 12.0000 |."));
    std::istringstream lines(chart);
    std::string line;
    std::getline(lines, line);
    for (int i = 0; i < 13; ++i) {
      std::getline(lines, line);
      CHECK(line.size() == static_cast<std::size_t>(std::min(columns, 80) - 1));
    }
    std::getline(lines, line);
    CHECK_THAT(line, Catch::StartsWith("          0 ") && Catch::EndsWith(" 100 steps"));
    CHECK(line.size() == static_cast<std::size_t>(std::max(21, std::min(columns, 80) - 1)));
  }
  CHECK(terminal_chart(log_rows, {}, 20).empty());
  CHECK(terminal_chart({log_rows.data(), 1}, {}, 80).empty());
}

TEST_CASE("terminal chart: the scale takes in the n-gram, and one value alone has none") {
  const std::vector<LogRow> flat = {{0, {}, {}, {}, 2, 2}, {1000, 1, 0, 1, 2, 2}};
  CHECK(terminal_chart(flat, {}, 80).empty());
  CHECK(terminal_chart(flat, 2.0, 80).empty());
  const std::string above = terminal_chart(flat, 3.0, 30), below = terminal_chart(flat, 1.0, 30);
  CHECK_THAT(above, Catch::Contains("\n  3.0000 |-------------------\n") &&
                        Catch::Contains("\n  2.0000 |*******************\n"));
  CHECK_THAT(below, Catch::Contains("\n  2.0000 |*******************\n") &&
                        Catch::Contains("\n  1.0000 |-------------------\n"));
}
