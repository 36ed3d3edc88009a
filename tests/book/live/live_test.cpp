// Each live figure's printed state is what the engine computes now, and whatever is chosen gets an answer. UPDATE=1 in
// the environment (make transcripts-update) writes the printed states.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "model/format/json.h"
#include "tests/book/live/live.h"
#include "tests/catch.h"

namespace fs = std::filesystem;

TEST_CASE("the book: a live figure's printed state is what the engine computes", "[transcript]") {
  for (const live::Figure* figure : live::figures()) {
    const fs::path path = fs::path("tests/book/live") / (figure->name + ".txt");
    const std::string json = live::answer(figure->name, "");
    INFO("make transcripts-update writes " << path << "; the answer is " << json);
    const model::Json answer(json);
    const std::string now(answer.root().at("said").string());
    if (std::getenv("UPDATE") != nullptr) {
      std::ofstream(path, std::ios::binary) << now;
      continue;
    }
    std::ifstream file(path, std::ios::binary);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == now);
  }
}

TEST_CASE("the book: a live figure cuts words at whole characters") {
  const std::string json =
      live::answer("08_heads", "text=x\xc3\x9c\xc3\x9c\xc3\x9c\xc3\x9c\xc3\x9c");
  CHECK(model::Json(json).root().find("error") == std::nullopt);
}

TEST_CASE("the book: a power is written ^ or **") {
  const auto value = [](const char* formula) {
    const model::Json json(live::answer("01_by_tape", std::string("formula=") + formula + "\nx=3"));
    double last = 0;
    for (const auto& node : json.root().at("nodes").elements()) last = node.at("value").number();
    return last;
  };
  CHECK(value("2 * x ** 2 ^ 1") == 18);
  CHECK(value("2 * x ^ 2") == 18);
  CHECK(value("x**2*x") == 27);
  CHECK(value("2.5E+1 * x - 1e-0") == 74);
}

TEST_CASE("the book: a live figure's answer depends on what is typed, or says what is wrong") {
  const auto answer = [](const char* figure, const char* choices, const char* key) {
    return std::string(model::Json(live::answer(figure, choices)).root().at(key).string());
  };
  const auto weights = [](const char* choices) {
    const std::string json = live::answer("08_heads", choices);
    return json.substr(json.find("heads"), json.find("said") - json.find("heads"));
  };
  CHECK(weights("text=a b a c") != weights("text=a b a d"));
  CHECK_THAT(answer("06_step", "formula=y * x", "error"), Catch::Contains("\"y\" is unknown"));
  CHECK_THAT(answer("01_by_tape", "formula=1 + 2", "error"), Catch::Contains("no leaf yet"));
  const std::string long_text = "merges=99\ntext=" + std::string(10'000, 'a');
  const std::string token = std::string(20, 'a') + "...";
  CHECK(answer("15_merging", long_text.c_str(), "last") == token + " + " + token);
}

TEST_CASE(
    "the book: the printed model stays beside the reader's, and what a model does not know is "
    "named") {
  const auto said = [](const char* figure, const std::string& choices) {
    return std::string(model::Json(live::answer(figure, choices)).root().at("said").string());
  };
  const std::string printed = said("18_next_token", ""), after_t = "\ntext=t\xd0\x96t\xd0\x96Q";
  said("16_training",
       "start=1\nupdates=9\nseconds=60\ntext=to be or not to be, to be or not to be");
  CHECK(said("18_next_token", "model=yours" + after_t) !=
        said("18_next_token", "model=printed" + after_t));
  CHECK(said("18_next_token", "") == printed);
  const model::Json answer(live::answer("18_next_token", "model=yours" + after_t));
  CHECK(answer.root().at("next").at("left_out").string() == "\xd0\x96Q");
}

// Each choice in turn replaced by what no reader means.
TEST_CASE("the book: whatever is chosen in a live figure, it answers") {
  std::string emoji;
  for (int i = 0; i < 2000; ++i) emoji += "\xf0\x9f\xa6\x8a \xd7\xa9\xd7\x95";
  const std::string values[] = {"",
                                "-1",
                                "1e308",
                                "nan",
                                "a b",
                                "\xff\xfe",
                                emoji,
                                std::string(10'000, '('),
                                std::string(10'000, 'a'),
                                "1000000000, 1000000000",
                                std::string(5'000'000, 'x')};
  for (const live::Figure* figure : live::figures()) {
    std::istringstream printed(figure->printed);
    std::vector<std::string> lines;
    for (std::string line; std::getline(printed, line);)
      if (line.find('=') != std::string::npos) lines.push_back(line);
    for (std::size_t changed = 0; changed < lines.size(); ++changed)
      for (const std::string& value : values) {
        std::string choices;
        for (std::size_t i = 0; i < lines.size(); ++i)
          choices +=
              (i == changed ? lines[i].substr(0, lines[i].find('=') + 1) + value : lines[i]) + "\n";
        INFO(figure->name << ": " << choices.substr(0, 200));
        const std::string json = live::answer(figure->name, choices);
        const model::Json answer(json);
        const auto error = answer.root().find("error");
        CHECK((error ? error->string().size() < 1500 : answer.root().find("said").has_value()));
      }
  }
}
