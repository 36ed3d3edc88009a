// README's commands do what it says beside them: all of them, in its order, pasted into a directory
// that has what a reader of it has: the program and a text.
#include "tests/program/run.h"

namespace fs = std::filesystem;

namespace {

// The lines that README begins with "    ./gradus ", without the remarks beside them.
std::vector<std::string> commands() {
  std::vector<std::string> found;
  std::istringstream readme(program::read("README.md"));
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("    ./gradus ")) found.push_back(line.substr(4, line.find('#') - 4));
  return found;
}

std::string replaced(std::string line, const std::string& from, const std::string& to) {
  const std::size_t at = line.find(from);
  return at == std::string::npos ? line : line.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("readme: its commands can be pasted, one after the other") {
  const program::Sandbox box;
  fs::create_symlink(fs::absolute(std::getenv("GRADUS") ? std::getenv("GRADUS") : "./gradus"),
                     box / "gradus");
  const std::string fables = program::read("data/fables.txt");
  program::write(box / "notes.txt", fables.substr(0, 3'900));
  program::write(box / "other.txt", fables.substr(1'000, 2'000));

  const std::vector<std::string> lines = commands();
  REQUIRE(lines.size() >= 12);
  for (const std::string& line : lines) {
    // Ten minutes of training are three seconds here, GPT-2 from the hub is a small one, and the
    // runs that a report compares, three of them, are there.
    std::string pasted = replaced(line, "--minutes 10", "--minutes 0.05");
    if (line.find("--init_from gpt2/") != line.npos)
      box.shell_done(
          "./gradus train notes.txt --arch gpt2 --max_iters 2 --out_dir small && "
          "./gradus export small hf gpt2");
    if (line.find("out/a out/b") != line.npos)
      box.shell_done("for run in a b c; do cp -r out/notes out/$run; done");
    const auto result = box.shell(pasted);
    CAPTURE(line, result.out, result.err);
    CHECK(result.status == 0);
  }
  for (const char* const written :
       {"out/notes/report.html", "abc.html", "notes_hf/tokenizer.json", "notes.gguf"}) {
    CAPTURE(written);
    CHECK(fs::exists(box / written));
  }
}
