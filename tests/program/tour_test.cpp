// The programs of tests/tour print what their pages say: 3 and 5 up to the losses' last digits, which
// depend on the width of vectors, 6 by its form, the others digit by digit.
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/real.h"
#include "tests/program/run.h"

namespace {

// make test builds the programs and says where they are; without that there is nothing to test.
bool are_built() {
  if (std::getenv("TOUR") != nullptr) return true;
  WARN("TOUR does not name the directory of the tour's programs: not tested; make test does");
  return false;
}

program::Result tour(const program::Sandbox& box, const std::string& name) {
  const std::filesystem::path directory = std::filesystem::absolute(std::getenv("TOUR"));
  if (!std::filesystem::exists(directory / name)) FAIL("there is no " << directory / name);
  return box.shell(
      "'" + (directory / name).string() + "' " +
      (name == "5_gpt" ? "'" + std::filesystem::absolute("data/fables.txt").string() + "'" : ""));
}

std::string page(const std::string& name) { return program::read("tests/tour/" + name + ".txt"); }

// The numbers after "loss ".
std::vector<double> losses(const std::string& text) {
  std::vector<double> found;
  for (std::size_t at = 0; (at = text.find("loss ", at)) != std::string::npos; ++at)
    found.push_back(std::atof(text.c_str() + at + 5));
  return found;
}

}  // namespace

TEST_CASE("tour: all but 3, 5 and 6 print their pages digit by digit") {
  // The pages are those of the float build.
  if (sizeof(engine::real) != sizeof(float) || !are_built()) return;
  const program::Sandbox box;
  for (const char* name :
       {"0_a_tape", "1_one_number", "2_graph", "4_attention", "7_same_bits", "8_muon"}) {
    const auto run = tour(box, name);
    CAPTURE(name, run.err);
    CHECK(run.status == 0);
    CHECK(run.out == page(name));
  }
  const std::string graph = program::read(box / "graph.dot");
  CHECK_THAT(graph, Catch::StartsWith("digraph {") && Catch::Contains("label=\"tanh\"") &&
                        Catch::EndsWith("}\n"));
}

TEST_CASE("tour: 3 and 5 learn as their pages say") {
  if (!are_built()) return;
  const program::Sandbox box;
  for (const char* name : {"3_two_moons", "5_gpt"}) {
    const auto run = tour(box, name);
    CAPTURE(name, run.out, run.err);
    CHECK(run.status == 0);
    const std::vector<double> now = losses(run.out), then = losses(page(name));
    REQUIRE(now.size() == then.size());
    REQUIRE(now.size() >= 5);
    for (std::size_t i = 0; i < now.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(now[i] - then[i]) < 0.011);  // one in the last digit
    }
  }
}

TEST_CASE("tour: 6 climbs the ladder") {
  if (!are_built()) return;
  const program::Sandbox box;
  const auto run = tour(box, "6_gemm");
  CHECK(run.status == 0);
  std::istringstream lines(run.out);
  int steps = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t share = line.find(" GFLOP/s ");
    if (share == std::string::npos) continue;
    CAPTURE(line);
    CHECK(line.ends_with("% of the peak"));
    CHECK(std::atof(line.c_str() + share + 9) < 120);  // also on a machine that others use
    ++steps;
  }
  CHECK(steps == 7);
}
