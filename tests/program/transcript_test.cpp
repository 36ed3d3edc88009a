// Registers each case of the files *.t beside this one, in tests/program of the directory that the tests
// are run in, as a test of its own. UPDATE=1 in the environment: what came out is written into the
// files instead of being an error.
#include "tests/program/transcript.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>

#include "engine/base/check.h"
#include "tests/program/proposals.h"
#include "tests/program/run.h"
#include "tests/program/transcript_commands.h"
#include "tests/program/words.h"
#include "train/system/text.h"

namespace fs = std::filesystem;
using namespace program;

namespace {

const fs::path folder = "tests/program";
constexpr bool is_windows = fs::path::preferred_separator == '\\';

bool is_update() { return std::getenv("UPDATE") != nullptr; }

void set_variable(const std::string& name, const std::optional<std::string>& value) {
#if __has_include(<sys/wait.h>)
  value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
#else
  _putenv_s(name.c_str(), value ? value->c_str() : "");
#endif
}

// A variable of the environment while this lives.
class Variable {
 public:
  explicit Variable(const std::string& assignment)
      : name_(assignment.substr(0, assignment.find('='))) {
    if (const char* const was = std::getenv(name_.c_str())) was_ = was;
    set_variable(name_, assignment.substr(name_.size() + 1));
  }
  Variable(const Variable&) = delete;
  ~Variable() { set_variable(name_, was_); }

 private:
  std::string name_;
  std::optional<std::string> was_;
};

// What stands after a mark in those lines that begin with it.
std::vector<std::string> marked(const Block& block, const std::string& mark) {
  std::vector<std::string> texts;
  for (const std::string& line : block.lines)
    if (line.starts_with(mark + ' '))
      texts.push_back(line.substr(mark.size() + 1));
    else if (line == mark)
      texts.emplace_back();
  return texts;
}

// A command line, ready to be run.
struct Command {
  std::vector<std::string> variables, words;
  std::string input, output;  // files
};

class Stage {
 public:
  Stage(Transcript& transcript, Case& of) : transcript_(transcript), case_(of) {
    const char* const path = std::getenv("PATH");
    const std::string before = path != nullptr ? path : "";
    path_.emplace("PATH=" + box_.binary().parent_path().string() + (is_windows ? ";" : ":") +
                  before);
    console_.here = directory();
  }
  void run();
  fs::path directory() const { return (box_ / "file").parent_path(); }

 private:
  std::string with_variables(const std::string& line) const;
  Command command_of(const std::string& line, const Block& block) const;
  Files files(const std::vector<std::string>& names) const;
  Result result_of(const Command& command, const Block& block);
  Result run_gradus(const Command& command, const Block& block);
  void run_block(Block& block);
  void run_command_line(Block& block, const std::string& line);
  void check_refused(const Block& block, const std::string& line, const Result& result,
                     const Refusal& refusal) const;
  void check(Block& block, const std::string& line, const Result& result);
  void check_stream(Block& block, const std::string& mark, const std::string& output);
  void wrong(const Block& block, const std::string& what) const;

  Transcript& transcript_;
  Case& case_;
  Sandbox box_;
  std::optional<Variable> path_;
  Console console_;
};

// A case of fixtures.t, run once. It stays where it is, as a copied run finds its text by its path.
fs::path fixture(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Stage>> made;
  static Transcript transcript = read_transcript(folder / "fixtures.t");
  if (!made.contains(name)) {
    const auto of = std::ranges::find(transcript.cases, name, &Case::title);
    if (of == transcript.cases.end()) FAIL("fixtures.t has no case " << name);
    auto stage = std::make_unique<Stage>(transcript, *of);
    stage->run();
    made[name] = std::move(stage);
  }
  return made[name]->directory();
}

// The files of a directory, but those that Sandbox makes for itself.
void copy_files(const fs::path& from, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(from))
    if (!entry.path().filename().generic_string().starts_with('.'))
      fs::copy(entry.path(), to / entry.path().filename(), fs::copy_options::recursive);
}

void replace_all(std::string& text, const std::string& part, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += by.size())
    text.replace(at, part.size(), by);
}

void Stage::wrong(const Block& block, const std::string& what) const {
  FAIL_CHECK(transcript_.path << ':' << block.line << ": " << block.lines[0] << '\n' << what);
}

// $small in the place of its text, but in quotes.
std::string Stage::with_variables(const std::string& line) const {
  std::string out;
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote == 0 ? c == '\'' || c == '"' : c == quote) quote = quote == 0 ? c : '\0';
    const std::size_t end = line.find_first_of(" '\"|{}", at);
    const std::string name = c == '$' && quote == 0 ? line.substr(at + 1, end - at - 1) : "";
    const auto found = transcript_.variables.find(name);
    if (found == transcript_.variables.end()) {
      out += c;
      continue;
    }
    out += found->second;
    at += name.size();
  }
  return out;
}

Command Stage::command_of(const std::string& line, const Block& block) const {
  Command command;
  const std::vector<Word> words = words_in(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const bool is_first = command.words.empty() && words[i].is_plain;
    if (words[i].is_plain && (text == "<" || text == ">") && i + 1 < words.size())
      (text == "<" ? command.input : command.output) = words[++i].text;
    else if (is_first && text.find('=') != text.npos)
      command.variables.push_back(text);
    else
      command.words.push_back(text);
  }
  if (command.words.empty()) FAIL(transcript_.path << ':' << block.line << ": no command");
  return command;
}

Files Stage::files(const std::vector<std::string>& names) const {
  Files files;
  for (const std::string& name : names)
    add_files(files, directory(), name.empty() ? directory() : console_.here / name);
  return files;
}

Result Stage::run_gradus(const Command& command, const Block& block) {
  fs::path input = command.input.empty() ? fs::path(is_windows ? "NUL" : "/dev/null")
                                         : console_.here / command.input;
  if (!marked(block, "|").empty()) {
    input = box_ / ".in";
    write(input, console_.input);
  }
  std::deque<Variable> variables;
  for (const std::string& assignment : command.variables) variables.emplace_back(assignment);
  Running running = box_.start(command.words, console_.here, input);
  for (const std::string& line : marked(block, "signal")) {
    const std::size_t after = line.find(" after ");
    if (!running.wait_for(line.substr(after + 7))) wrong(block, "never said what it is to");
    running.signal(SIGINT);
  }
  Result result = running.end();
  for (std::string* text : {&result.out, &result.err})
    replace_all(*text, directory().generic_string(), "$PWD");
  check_proposals(result.err, console_.here);
  return result;
}

Result Stage::result_of(const Command& command, const Block& block) {
  console_.input.clear();
  for (const std::string& line : marked(block, "|")) console_.input += line + '\n';
  if (command.words[0] == "gradus") return run_gradus(command, block);
  if (!is_command(command.words[0])) FAIL("no command of transcripts: " << block.lines[0]);
  console_.out.clear();
  try {
    const int status = run_command(console_, command.words);
    return {status, console_.out, ""};
  } catch (const std::exception& error) {
    return {1, console_.out, error.what() + std::string("\n")};
  }
}

// Another text for the lines with a mark.
void replace(Block& block, const std::string& mark, const std::vector<std::string>& texts) {
  const auto has_mark = [&](const std::string& line) {
    return line == mark || line.starts_with(mark + ' ');
  };
  auto place = std::ranges::find_if(block.lines, has_mark);
  if (place == block.lines.end())
    place = std::ranges::find_if(block.lines, [](const std::string& line) { return line.empty(); });
  const auto at = place - block.lines.begin();
  std::erase_if(block.lines, has_mark);
  std::vector<std::string> lines;
  for (const std::string& text : texts) lines.push_back(text.empty() ? mark : mark + ' ' + text);
  block.lines.insert(block.lines.begin() + at, lines.begin(), lines.end());
}

std::string joined(const std::vector<std::string>& lines, const std::string& before) {
  std::string out;
  for (const std::string& line : lines) out += before + line + '\n';
  return out;
}

void Stage::check_stream(Block& block, const std::string& mark, const std::string& output) {
  const std::vector<std::string> lines = lines_of_output(output);
  for (const std::string& pattern : marked(block, mark.substr(0, 1) + "!"))
    for (const std::string& line : lines)
      if (matches(pattern, line)) wrong(block, "has a line that it must not have: " + line);
  std::vector<std::string> patterns = marked(block, mark);
  if (patterns.empty()) return;
  if (patterns == std::vector<std::string>{""}) patterns.clear();
  if (matches(patterns, lines)) return;
  std::vector<std::string> now = mended(patterns, lines);
  if (!is_update())
    wrong(block, joined(patterns, "-" + mark + ' ') + joined(lines, "+" + mark + ' '));
  if (now.empty()) now = {""};
  replace(block, mark, now);
}

void Stage::check(Block& block, const std::string& line, const Result& result) {
  const std::vector<std::string> expected_status = marked(block, "!");
  const std::string expected =
      expected_status.empty() ? "0" : expected_status[0].substr(0, expected_status[0].find(' '));
  if (std::to_string(result.status) != expected) {
    const std::string status = std::to_string(result.status);
    if (!is_update())
      FAIL(transcript_.path << ':' << block.line << ": $ " << line << "\n-! " << expected << "\n+! "
                            << status << '\n'
                            << result.out << result.err);
    replace(block, "!", status == "0" ? std::vector<std::string>() : std::vector{status});
  } else if (!expected_status.empty() && expected_status[0] != expected) {
    const std::string pattern = expected_status[0].substr(expected.size() + 1);
    const std::vector<std::string> lines = lines_of_output(result.err);
    if (!matches(std::vector{pattern}, lines)) {
      if (!is_update()) wrong(block, line + "\n-2> " + pattern + '\n' + joined(lines, "+2> "));
      const std::vector<std::string> now = mended({pattern}, lines);
      replace(block, "!", {expected + (now.empty() ? "" : ' ' + now[0])});
    }
  }
  if (result.status != 0 && marked(block, "1>").empty() && marked(block, "signal").empty() &&
      !result.out.empty())
    wrong(block, "failed, and standard output is not empty: " + result.out);
  check_stream(block, "1>", result.out);
  check_stream(block, "2>", result.err);
}

void Stage::check_refused(const Block& block, const std::string& line, const Result& result,
                          const Refusal& refusal) const {
  const std::vector<std::string> lines = lines_of_output(result.err);
  const std::size_t speaker = result.err.find(": ");  // "gradus train: "
  const bool is_named =
      result.err.starts_with("gradus") && speaker != std::string::npos &&
      matches(refusal.name + ": *", std::string_view(result.err).substr(speaker + 2));
  if (std::to_string(result.status) != refusal.status || !result.out.empty() || lines.size() != 1 ||
      !is_named)
    wrong(block, line + " is refused otherwise: status " + std::to_string(result.status) + '\n' +
                     result.out + result.err);
}

void Stage::run_command_line(Block& block, const std::string& line) {
  std::vector<std::string> kept;
  for (const std::string& names : marked(block, "unchanged")) {
    for (const Word& word : words_in(names)) kept.push_back(word.text);
    if (names.empty()) kept.emplace_back();
  }
  const std::optional<Refusal> refusal = refusal_in(block.lines[0]);
  const std::vector<std::string> status = marked(block, "!");
  if (refusal || (!status.empty() && status[0].find(' ') != std::string::npos)) kept.emplace_back();
  const Files before = files(kept);
  const Command command = command_of(line, block);
  Result result = result_of(command, block);
  if (!command.output.empty()) {
    write(console_.here / command.output, result.out);
    result.out.clear();
  }
  refusal ? check_refused(block, line, result, *refusal) : check(block, line, result);
  SUCCEED(line);
  if (files(kept) != before) wrong(block, line + ": files have changed");
}

void Stage::run_block(Block& block) {
  for (const std::string& line : block.lines)
    if (&line != &block.lines[0] && !is_known(line))
      wrong(block, "no line of transcripts: " + line);
  const std::optional<Refusal> refusal = refusal_in(block.lines[0]);
  const std::vector<std::string> lines =
      alternatives(with_variables(refusal ? refusal->command : block.lines[0].substr(2)));
  const auto run_all = [&] {
    for (const std::string& line : lines) run_command_line(block, line);
  };
  bool has_files = false;
  for (const std::string& line : std::vector(block.lines.begin() + 1, block.lines.end()))
    if (const auto file = file_in(line)) {
      INFO(line);
      write(console_.here / file->first, train::unescaped(file->second));
      run_all();
      has_files = true;
    }
  if (!has_files) run_all();
}

void Stage::run() {
  std::vector<std::string> head = transcript_.head;
  head.insert(head.end(), case_.head.begin(), case_.head.end());
  for (const std::string& line : head)
    if (line.starts_with("uses ")) copy_files(fixture(line.substr(5)), directory());
  for (const std::string& line : case_.head)
    if (!is_known(line))
      FAIL(transcript_.path << ": " << case_.title << ": no line of transcripts: " << line);
  for (Block& block : case_.blocks) run_block(block);
  if (is_update()) write_transcript(transcript_);
}

// One test.
class Invoker : public Catch::ITestInvoker {
 public:
  Invoker(Transcript& transcript, Case& of) : transcript_(transcript), case_(of) {}
  void invoke() const override { Stage(transcript_, case_).run(); }

 private:
  Transcript& transcript_;
  Case& case_;
};

// All of them, before main.
struct Registered {
  Registered() {
    std::vector<fs::path> paths;
    if (fs::is_directory(folder))
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".t" && entry.path().stem() != "fixtures")
          paths.push_back(entry.path());
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
      Transcript& transcript = transcripts.emplace_back(read_transcript(path));
      for (Case& of : transcript.cases) {
        const std::string& name = names.emplace_back(path.stem().string() + ": " + of.title);
        const std::string& tags = names.emplace_back("[transcript]" + of.tags);
#if __has_include(<catch2/catch_all.hpp>)
        auto invoker = Catch::Detail::make_unique<Invoker>(transcript, of);
#else
        auto* const invoker = new Invoker(transcript, of);  // Catch2 deletes it
#endif
        tests.emplace_back(
            std::move(invoker),
            Catch::SourceLineInfo(transcript.path.c_str(), static_cast<std::size_t>(of.line)), "",
            Catch::NameAndTags{name, tags});
      }
    }
  }
  std::deque<Transcript> transcripts;
  std::deque<std::string> names;
  std::deque<Catch::AutoReg> tests;
} registered;

}  // namespace

TEST_CASE("transcripts: the files are found; the tests are run at the root of the sources") {
  CHECK(registered.transcripts.size() >= 1);
}

TEST_CASE("transcripts: a pattern has any text for a star, and numbers near one") {
  CHECK(matches("a * c", "a b b c"));
  CHECK_FALSE(matches("a * c", "a b b d"));
  CHECK(matches("*", ""));
  CHECK(matches("a \\* b", "a * b"));
  CHECK_FALSE(matches("a \\* b", "a c b"));
  CHECK(matches("loss {1.85 ~ 0.01}, *", "loss 1.8411, 3"));
  CHECK_FALSE(matches("loss {1.85 ~ 0.01}, *", "loss 1.8399, 3"));
  CHECK_FALSE(matches("{1 ~ 1}", "none"));
  CHECK(matches("{a: 1}", "{a: 1}"));
  using Lines = std::vector<std::string>;
  CHECK(matches(Lines{"*", "b*", "*"}, Lines{"a", "b c", "d"}));
  CHECK(matches(Lines{"*", "b*", "*"}, Lines{"b"}));
  CHECK_FALSE(matches(Lines{"*", "b*", "*"}, Lines{"a", "d"}));
  CHECK_FALSE(matches(Lines{"b*"}, Lines{"b", "c"}));
  CHECK_FALSE(matches(Lines{"b"}, Lines{}));
}

TEST_CASE("transcripts: an update changes what is other than before, and keeps the stars") {
  using Lines = std::vector<std::string>;
  CHECK(mended({"*", "done: * steps, loss {1.8 ~ 0.1}", "*"},
               {"begin", "finished: 3 steps, loss 1.75", "end"}) ==
        Lines{"*", "finished: * steps, loss {1.8 ~ 0.1}", "*"});
  CHECK(mended({"a", "b"}, {"a", "x * y", "b"}) == Lines{"a", "x \\* y", "b"});
}

TEST_CASE(
    "transcripts: a refusal is in one line, files are in others, and what is neither is no line") {
  const auto refusal = refusal_in("gradus train a --bias '{x|y}  ! 1'   ! 2 --bias");
  REQUIRE(refusal);
  CHECK(refusal->command == "gradus train a --bias '{x|y}  ! 1' ");
  CHECK(refusal->name == "--bias");
  CHECK_FALSE(refusal_in("gradus train a ! 2 --bias"));
  CHECK_FALSE(file_in("| n_layer = 2"));
  for (const char* line : {"small = --n_layer 1", "1>x", "gradus train a", "3> x", " 1> x"})
    CHECK_FALSE(is_known(line));
}

TEST_CASE("transcripts: braces stand for several commands") {
  using Lines = std::vector<std::string>;
  CHECK(alternatives("a {b|c d} '{e|f}' {1|2}") ==
        Lines{"a b '{e|f}' 1", "a b '{e|f}' 2", "a c d '{e|f}' 1", "a c d '{e|f}' 2"});
  CHECK(alternatives("a {''|'|'}") == Lines{"a ''", "a '|'"});
}
