// The exercises grade rightly: a gap is not done, a solution passes, and typical mistakes are
// caught and named. What is tested is what a reader sees: the programs that make exercise runs.
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/program/run.h"

namespace {

const std::vector<std::string> files = {
    "1_divide",    "2_accumulate",      "3_tape_run",    "4_mul",         "5_softmax",
    "6_sum_to",    "7_cross_entropy",   "8_record",      "9_causal_mask", "10_attention",
    "11_rope",     "12_block_backward", "13_layer_norm", "14_swiglu",     "15_embedding",
    "16_momentum", "17_matmul_tile",    "18_same_sum",   "19_merge",      "20_top_p"};

std::string path(const std::string& file) { return "tests/exercises/" + file + ".cpp"; }
// "exercise 20"
std::string exercise_of(const std::string& file) {
  return "exercise " + file.substr(0, file.find('_'));
}

// make test builds the programs and says where they are; without that there is nothing to test.
bool are_built() {
  if (std::getenv("EXERCISES") != nullptr) return true;
  WARN(
      "EXERCISES does not name the directory of the exercises' programs: not tested; make test "
      "does");
  return false;
}

program::Result run(const std::string& name, const std::string& argument = "") {
  const std::filesystem::path program = std::filesystem::absolute(std::getenv("EXERCISES")) / name;
  if (!std::filesystem::exists(program)) FAIL("there is no " << program);
  return program::Sandbox().shell("'" + program.string() + "' " +
                                  (argument.empty() ? "" : "'" + argument + "'"));
}

// `make exercise arguments`, in this repository, with the settings of the make test that runs this.
program::Result make_exercise(const std::string& arguments,
                              const program::Sandbox& box = program::Sandbox()) {
  return box.shell("make -C '" + std::filesystem::current_path().string() + "' exercise " +
                   arguments);
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("exercises: an untouched gap is not done, and says what to do") {
  if (!are_built()) return;
  const char* const gap = std::getenv("GAP");  // an exercise that nobody has edited
  REQUIRE(gap != nullptr);
  if (*gap == 0) return;
  const std::string file = std::filesystem::path(gap).stem().string();
  const auto result = run(file);
  CAPTURE(gap, result.out, result.err);
  CHECK(result.status == 1);
  CHECK_THAT(result.out, Catch::StartsWith(exercise_of(file) + " is not done yet: open " + gap) &&
                             Catch::Contains("the line not_done(...) is still there") &&
                             Catch::EndsWith("Then make exercise.\n"));
}

TEST_CASE("exercises: a solution passes, and the next exercise is named") {
  if (!are_built()) return;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto result = run("solutions/" + files[i]);
    CAPTURE(files[i], result.out, result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out,
               Catch::StartsWith(exercise_of(files[i]) + " passes: compare " + path(files[i]) +
                                 " with " + path("solutions/" + files[i])) &&
                   Catch::EndsWith(
                       files[i] == "8_record" ? "next: part 1, step 3 of tests/tour/README.md\n"
                       : i + 1 < files.size() ? "next: " + path(files[i + 1]) + "\n"
                                              : "next: part 2, step 3 of tests/tour/README.md\n"));
  }
}

TEST_CASE("exercises: every typical mistake is caught, located and named, and no other is") {
  if (!are_built()) return;
  const auto result = run("solutions/mistakes");
  REQUIRE(result.status == 0);
  std::map<std::string, int> mistakes;
  // "==== 4_mul: the mistake", then its grade.
  for (std::size_t at = result.out.find("==== "); at < result.out.size();) {
    const std::size_t end = std::min(result.out.find("\n==== ", at), result.out.size() - 1) + 1;
    const std::string grade = result.out.substr(at, end - at),
                      title = grade.substr(5, grade.find('\n') - 5);
    const std::string file = title.substr(0, title.find(':')),
                      mistake = title.substr(file.size() + 2);
    CAPTURE(grade);
    ++mistakes[file];
    CHECK_THAT(grade, Catch::Contains("\n" + exercise_of(file) +
                                      " is not right yet: " + path(file) + ", with ") &&
                          Catch::Contains("\n  It looks like this: " + mistake + "\n"));
    CHECK(count(grade, "It looks like this") == 1);
    CHECK(count(grade, "It may be this") == 0);
    // An element with both numbers, or the index that is out of range.
    CHECK((grade.find(": yours ") != std::string::npos ||
           grade.find(" index is ") != std::string::npos));
    at = end;
  }
  for (const std::string& file : files) {
    CAPTURE(file);
    CHECK(mistakes[file] >= 2);
  }
  CHECK_THAT(result.out,
             Catch::Contains("\n  db[0]: yours 0.28555, by differences 0.85665; ratio 0.333333\n"));
}

TEST_CASE("exercises: other failures are named") {
  if (!are_built()) return;
  for (const auto& [accident, says] : std::map<std::string, std::string>{
           {"nothing", "nothing has been written to da, db"},
           {"no db", "da is right.\n  nothing has been written to db"},
           {"row", "dy(3, 0): dy has 3 rows"},
           {"column", "dy(0, 4): dy has 4 columns"},
           {"element", "b[4]: b has 4 elements"},
           {"negative", "dy(-1, 0): the first index is 0 at least"},
           {"exception", "thrown an exception: vector::at"},
           {"int", "not a std::exception"},
           {"uncaught", "has been aborted"},
           {"memory", "has crashed: does it write past the end"},
           {"recursion", "has crashed: does it write past the end"},
           {"division", "has crashed: does it divide an integer by 0?"},
           {"loop", "has not ended after 1 s"},
           // An answer below which the line of the gap was left in.
           {"left in", "the line not_done(...) is still there; put your code in its place"}}) {
    const auto result = run("solutions/accidents", accident);
    CAPTURE(accident, result.out, result.err);
    CHECK(result.status == 1);
    CHECK_THAT(result.out, Catch::Contains("exercise 4 ") && Catch::Contains(says));
  }
}

TEST_CASE("exercises: elements that are still 0, and those that are nearly right") {
  if (!are_built()) return;
  const auto row = run("solutions/accidents", "one row");
  CAPTURE(row.out);
  CHECK_THAT(row.out, Catch::Contains("\n  da[1, 0]: yours 0, by differences -0.30603\n") &&
                          Catch::Contains("\n  8 of the 12 elements of da are wrong.\n"
                                          "  these are still 0: does your loop reach them?\n"
                                          "  db is right.\n"));
  // Rounding to float shows after the seventh digit.
  const auto rounded = run("solutions/accidents", "float");
  CAPTURE(rounded.out);
  CHECK_THAT(rounded.out,
             Catch::Contains("\n  db[2]: yours 0.0683056414127, by differences 0.0683056381") &&
                 Catch::Contains("; ratio 1.0000000") &&
                 Catch::EndsWith("  nearly right: is there a float in your code, or an epsilon "
                                 "left out?\n"));
  const auto others = run("solutions/mistakes");
  CHECK(count(others.out, "nearly right") == 0);
  // A sum of terms that cancel: rounding errors, with ratios that mean nothing.
  CHECK_THAT(others.out, Catch::Contains("by differences 0.0617574; ratio 0\n"));
}

TEST_CASE("exercises: make exercise grades the one that is named") {
  if (!are_built()) return;
  const auto none = make_exercise("N=99");
  CHECK(none.status != 0);
  CHECK_THAT(none.err, Catch::Contains("there is no exercise 99: there are 1 to " +
                                       std::to_string(files.size())));
  if (program::read(path("13_layer_norm")).find("\n  not_done(") == std::string::npos) return;
  const auto alone = make_exercise("N=13 HINT=0"), hinted = make_exercise("N=13 HINT=1");
  CAPTURE(alone.out, alone.err, hinted.out, hinted.err);
  CHECK(alone.status == 0);  // to make, a gap is no error
  CHECK_THAT(alone.err, !Catch::Contains("***"));
  CHECK_THAT(alone.out, Catch::Contains("exercise 13 is not done yet") &&
                            Catch::Contains("Then make exercise N=13.\n"
                                            "make exercise N=13 HINT=1 gives a hint.\n") &&
                            !Catch::Contains("## "));
  CHECK_THAT(hinted.out,
             Catch::Contains("Then make exercise N=13.\n## 13_layer_norm.cpp\nBegin with dbias") &&
                 !Catch::Contains("HINT=1"));
}

TEST_CASE("exercises: each has a hint") {
  const std::string hints = program::read("tests/exercises/hints.md");
  for (const std::string& file : files)
    CHECK_THAT(hints, Catch::Contains("\n## " + file + ".cpp\n"));
}
