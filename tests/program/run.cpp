#include "tests/program/run.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/program/proposals.h"
#include "tests/program/words.h"

namespace program {

Sandbox::Sandbox() {
  const char* const binary = std::getenv("GRADUS");
  binary_ = std::filesystem::absolute(binary != nullptr ? binary : "./gradus");
  if (!std::filesystem::exists(binary_)) FAIL("there is no " << binary_ << "; run make first");
}

std::filesystem::path Sandbox::operator/(const std::string& name) const {
  return std::filesystem::path(directory_.path()) / std::u8string(name.begin(), name.end());
}

Running Sandbox::start(std::vector<std::string> words, const std::filesystem::path& here,
                       const std::filesystem::path& input) const {
  return Running(directory_.path(), here, binary_, std::move(words), input);
}

namespace {

Result checked(const Result& result, const std::string& line) {
  INFO(line << '\n' << result.out << result.err);
  REQUIRE(result.status == 0);
  return result;
}

}  // namespace

Result Sandbox::done(const std::string& arguments) const {
  return checked(gradus(arguments), "gradus " + arguments);
}
Result Sandbox::shell_done(const std::string& line) const { return checked(shell(line), line); }

Result Sandbox::interrupted(const std::string& arguments, const std::string& after) const {
  Running running = start(arguments);
  REQUIRE(running.wait_for(after));
  running.signal(SIGINT);
  Result result = running.end();
  INFO("gradus " << arguments << '\n' << result.err);
  REQUIRE(result.status == 130);
  return result;
}

std::string tale(int sentences) {
  std::string text;
  for (int i = 0; i < sentences; ++i)
    text += "The fox said " + std::to_string(i * i % 97) + " words to the hen.\n";
  return text;
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before), from = begin + before.size();
  if (begin == text.npos) FAIL("no \"" << before << "\" in " << text);
  return text.substr(from, text.find(after, from) - from);
}

double number_after(const std::string& text, const std::string& what) {
  std::string digits = between(text, what, "\n");
  std::erase(digits, ',');
  return std::atof(digits.c_str());
}

std::string ngrams_of(const std::string& eval) {
  std::istringstream lines(eval.substr(eval.find("1-gram")));
  std::string losses, length;
  for (std::string loss; lines >> length >> loss;) losses += (losses.empty() ? "" : " ") + loss;
  return losses;
}

void check_same_run(const Sandbox& box, const std::string& one, const std::string& other) {
  for (const char* file :
       {"model.safetensors", "checkpoint.safetensors", "log.csv", "samples.txt"}) {
    INFO(file);
    CHECK((read(box / one / file) == read(box / other / file)));
  }
}

void check_refused(const Result& result, const std::string& says, int status) {
  INFO(result.err);
  CHECK(result.status == status);
  CHECK_THAT(result.err, Catch::StartsWith("gradus") && Catch::Contains(says));
  CHECK(std::ranges::count(result.err, '\n') == 1);
}

#if __has_include(<sys/wait.h>)

namespace {

// Within single quotes.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
    text.replace(at, 1, "'\\''");
  return text;
}

// The program by its name, as a user calls it who has it in PATH.
std::string with_name(const std::filesystem::path& binary, const std::string& line) {
  return "PATH='" + quoted(binary.parent_path().string()) + "':$PATH\nGRADUS='" +
         quoted(binary.filename().string()) + "'\n" + line;
}

}  // namespace

Result Sandbox::gradus(const std::string& arguments) const {
  Result result = shell("\"$GRADUS\" " + arguments);
  check_proposals(result.err, directory_.path());
  return result;
}
Result Sandbox::shell(const std::string& line) const {
  return Running(directory_.path(), with_name(binary_, line)).end();
}
Running Sandbox::start(const std::string& arguments) const {
  return Running(directory_.path(), with_name(binary_, "exec \"$GRADUS\" " + arguments));
}

#else

Result Sandbox::gradus(const std::string& arguments) const { return start(arguments).end(); }
Result Sandbox::shell(const std::string& line) const {
  FAIL("needs a shell, and the tag [shell]: " << line);
  return {};
}
Running Sandbox::start(const std::string& arguments) const {
  std::vector<std::string> words = {"gradus"};
  for (const Word& word : words_in(arguments)) {
    if (word.is_plain && word.text.find_first_of("|<>&;$`*\\") != word.text.npos)
      FAIL("needs a shell, and the tag [shell]: " << arguments);
    words.push_back(word.text);
  }
  return start(words, directory_.path(), "NUL");
}

#endif

}  // namespace program
