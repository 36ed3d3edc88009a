// The exercises grade rightly: a gap is not done, a solution passes, and typical mistakes are caught
// and named. What is tested is what a reader sees: the programs that make exercise runs.
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/run.h"

namespace {

const std::vector<std::string> files = {"1_mul",           "2_softmax",     "3_layer_norm",
                                        "4_cross_entropy", "5_causal_mask", "6_attention",
                                        "7_top_p",         "8_matmul_tile"};

std::string path(const std::string& file) { return "tests/exercises/" + file + ".cpp"; }

// make test builds the programs and says where they are; without that there is nothing to test.
bool are_built() {
  if (std::getenv("EXERCISES") != nullptr) return true;
  WARN(
      "EXERCISES does not name the directory of the exercises' programs: not tested; make test "
      "does");
  return false;
}

program::Result run(const program::Sandbox& box, const std::string& name) {
  const std::filesystem::path program = std::filesystem::absolute(std::getenv("EXERCISES")) / name;
  if (!std::filesystem::exists(program)) FAIL("there is no " << program);
  return box.shell("'" + program.string() + "'");
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("exercises: an untouched gap is not done, and says what to do") {
  if (!are_built()) return;
  const program::Sandbox box;
  const char* const gaps = std::getenv("GAPS");  // the files that nobody has edited
  REQUIRE(gaps != nullptr);
  for (const std::string& file : files) {
    if (std::string(gaps).find(path(file)) == std::string::npos) {
      WARN(path(file) << " is somebody's work: its gap is not tested");
      continue;
    }
    const auto said = run(box, file);
    CAPTURE(file, said.out, said.err);
    CHECK(said.status == 1);
    CHECK_THAT(said.out, Catch::StartsWith("exercise " + file.substr(0, 1) +
                                           " is not done yet: open " + path(file)) &&
                             Catch::Contains("make exercise"));
  }
}

TEST_CASE("exercises: a solution passes, and the next exercise is named") {
  if (!are_built()) return;
  const program::Sandbox box;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto said = run(box, "solutions/" + files[i]);
    CAPTURE(files[i], said.out, said.err);
    CHECK(said.status == 0);
    CHECK_THAT(said.out,
               Catch::StartsWith("exercise " + files[i].substr(0, 1) + " passes") &&
                   Catch::EndsWith(i + 1 < files.size() ? "next: " + path(files[i + 1]) + "\n"
                                                        : "it was the last one\n"));
  }
}

TEST_CASE("exercises: every typical mistake is caught, located and named, and no other is") {
  if (!are_built()) return;
  const program::Sandbox box;
  const auto said = run(box, "solutions/mistakes");
  REQUIRE(said.status == 0);
  std::map<std::string, int> mistakes;
  // "==== 1_mul: the mistake", then its grade.
  for (std::size_t at = said.out.find("==== "); at < said.out.size();) {
    const std::size_t end = std::min(said.out.find("\n==== ", at), said.out.size() - 1) + 1;
    const std::string grade = said.out.substr(at, end - at),
                      title = grade.substr(5, grade.find('\n') - 5);
    const std::string file = title.substr(0, title.find(':')),
                      mistake = title.substr(file.size() + 2);
    CAPTURE(grade);
    ++mistakes[file];
    CHECK_THAT(grade, Catch::Contains("\nexercise " + file.substr(0, 1) +
                                      " is not right yet: " + path(file) + ", with ") &&
                          Catch::Contains("\n  It looks like this: " + mistake + "\n"));
    CHECK(count(grade, "It looks like this") == 1);
    CHECK(count(grade, "It may be this") == 0);
    // An element with both numbers, or the index that is out of range.
    CHECK((grade.find("]: yours ") != std::string::npos ||
           grade.find("): there is no ") != std::string::npos));
    at = end;
  }
  for (const std::string& file : files) {
    CAPTURE(file);
    CHECK(mistakes[file] >= 2);
  }
  CHECK_THAT(
      said.out,
      Catch::Contains("\n  db[0]: yours 0.28555, by differences 0.85665; ratio 0.333333\n"));
}

TEST_CASE("exercises: each has a hint") {
  const std::string hints = program::read("tests/exercises/hints.md");
  for (const std::string& file : files)
    CHECK_THAT(hints, Catch::Contains("\n## " + file + ".cpp\n"));
}
