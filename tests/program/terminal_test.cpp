// A run and its output with terminals that go away, signals, full devices and closed pipes.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/format/safetensors.h"
#include "tests/program/rewrite.h"
#include "tests/program/run.h"
#include "tests/program/words.h"
#include "train/record/record.h"

using program::Sandbox;
using program::step_of;
using program::WithTale;

namespace {

const std::string small =
    " --n_layer 1 --n_head 1 --n_embd 8 --block_size 8 --batch_size 2 --warmup_iters 0";

struct Shown {
  int status;        // of exit; 128 + the signal's number if one ended it; -1 if it did not end
  std::string text;  // that came to the terminal
};

struct Terminal {
  std::string leave = {};  // the terminal goes away when this was printed
  bool ignoring = false;   // the program ignores SIGHUP from the start, as under nohup
  const char* kind = "xterm";
  unsigned short columns = 80;
  std::string typed = {};  // to its standard input
  std::string from = {};   // the file that is its standard input instead
  std::string to = {};     // the file that is its standard output
};

// Runs `gradus arguments` on a terminal of its own.
Shown on_terminal(const Sandbox& box, const std::string& arguments, const Terminal& terminal = {}) {
  setenv("TERM", terminal.kind, 1);
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE((master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0));
  const winsize window{.ws_row = 24, .ws_col = terminal.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  REQUIRE(ioctl(master, TIOCSWINSZ, &window) == 0);
  const std::string slave = ptsname(master), directory = (box / "").string();
  std::string called = "gradus";  // as found in PATH
  std::vector<program::Word> words = program::words_in(arguments);
  std::vector<char*> pointers{called.data()};
  for (program::Word& word : words) pointers.push_back(word.text.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) {
    setsid();  // the first terminal that is opened becomes the new session's
    const int streams = open(slave.c_str(), O_RDWR);
    if (streams == -1 || chdir(directory.c_str()) != 0) _exit(99);
    for (int stream = 0; stream <= 2; ++stream) dup2(streams, stream);
    if (!terminal.from.empty()) dup2(open(terminal.from.c_str(), O_RDONLY), 0);
    if (!terminal.to.empty()) dup2(open(terminal.to.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    close(streams);
    close(master);
    std::signal(SIGHUP, terminal.ignoring ? SIG_IGN : SIG_DFL);
    execv(box.binary().c_str(), pointers.data());
    _exit(98);
  }
  REQUIRE(write(master, terminal.typed.data(), terminal.typed.size()) ==
          std::ssize(terminal.typed));
  Shown shown{-1, {}};
  const auto came = [&] {
    return !terminal.leave.empty() && shown.text.find(terminal.leave) != std::string::npos;
  };
  for (pollfd ready{master, POLLIN, 0}; !came() && poll(&ready, 1, 30'000) == 1;) {
    char buffer[4096];
    const ssize_t size = read(master, buffer, sizeof buffer);
    if (size <= 0) break;  // EIO: the program has ended
    shown.text.append(buffer, static_cast<std::size_t>(size));
  }
  close(master);
  int code = 0;
  for (int waited = 0; waited < 60'000 && waitpid(child, &code, WNOHANG) == 0; waited += 10) {
    usleep(10'000);
    if (waited == 59'990) kill(child, SIGKILL);
  }
  shown.status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
  return shown;
}

}  // namespace

TEST_CASE("terminal: the chart at a run's end is as wide as the terminal, without a margin") {
  const WithTale box;
  const Shown shown =
      on_terminal(box, "train tale.txt --max_iters 2 --out_dir run" + small, {.columns = 44});
  CHECK(shown.status == 0);
  CHECK_THAT(shown.text, Catch::Contains("\n         +" + std::string(44 - 11, '-') + "\r\n"));
}

TEST_CASE("terminal: SIGHUP saves and ends a run, unless it was ignored from the start") {
  const WithTale box;
  std::string run =
      "\"$GRADUS\" train tale.txt --max_iters 1000000 --eval_interval 1000000"
      " --log_interval 1 --force" +
      small;
  const auto told = [&](const std::string& directory, const std::string& kill, int signal) {
    const auto result =
        box.shell(run + " --out_dir " + directory +
                  " & pid=$!\ni=0\nwhile ! grep -q 'iter 3:' .err && [ $i -lt 3000 ]; do"
                  " sleep 0.01; i=$((i+1)); done\n" +
                  kill + "\nwait $pid\necho status $?");
    INFO(kill << ": " << result.err);
    CHECK_THAT(result.out, Catch::Contains("status " + std::to_string(128 + signal) + '\n'));
    CHECK_THAT(result.err,
               Catch::Contains("; to continue: gradus train --resume " + directory + '\n'));
  };
  told("a", "kill -HUP $pid", SIGHUP);
  CHECK(std::stoi(step_of(box / "a/checkpoint.safetensors")) >= 4);
  // The signals by which batch systems announce that time is up; the kernel sends SIGXCPU every
  // second.
  told("a", "kill -USR1 $pid\nkill -USR1 $pid", SIGUSR1);
  told("a", "kill -USR2 $pid\nkill -USR2 $pid", SIGUSR2);
  told("a", "kill -XCPU $pid\nkill -XCPU $pid", SIGXCPU);
  run.insert(0, "trap '' HUP\n");
  told("b", "kill -HUP $pid\nsleep 0.2\nkill -TERM $pid", SIGTERM);
}

TEST_CASE("terminal: two interrupts during the first evaluation leave a run that can be resumed") {
  const WithTale box;
  // The evaluation before the first update takes minutes.
  const std::string flags =
      "train tale.txt --max_iters 3 --eval_interval 3 --eval_iters 1000000000" + small +
      " --out_dir run";
  auto run = box.start(flags);
  REQUIRE(run.wait_for("for comparison, n-grams of"));
  while (!std::filesystem::exists(box / "run/log.csv")) usleep(1000);
  // The first is answered, and remembered until the evaluation ends; more of them end the run at once.
  run.signal(SIGINT);
  REQUIRE(run.wait_for("stops and saves after this step or evaluation"));
  CHECK_FALSE(run.has_ended());
  while (!run.has_ended()) run.signal(SIGINT);
  const auto stopped = run.end();
  INFO(stopped.err);
  CHECK(stopped.status == 130);
  CHECK_THAT(stopped.err, Catch::EndsWith("stopped at once; to continue from the last checkpoint: "
                                          "gradus train --resume run\n"));
  CHECK(step_of(box / "run/checkpoint.safetensors") == "0");
  CHECK_FALSE(std::filesystem::exists(box / "run/model.safetensors"));
  // Nothing was trained, so nothing is lost: a new run needs no --force, and an old one continues.
  box.done("train tale.txt --max_iters 3 --eval_interval 3 --eval_iters 2" + small +
           " --out_dir run");
  program::check_refused(box.gradus(flags), "a run exists already");
}

TEST_CASE("terminal: after its last update a run is done, whatever interrupts the evaluation") {
  const WithTale box;
  auto run = box.start("train tale.txt --max_iters 1 --eval_iters 3000 --out_dir run" + small);
  REQUIRE(run.wait_for("iter 0:"));
  run.signal(SIGINT);
  const auto done = run.end();
  INFO(done.err);
  CHECK(done.status == 0);
  CHECK_THAT(done.err, Catch::Contains("stops and saves after") &&
                           Catch::Contains("\ndone: 1 step, best validation loss "));
  CHECK(std::filesystem::exists(box / "run/model.safetensors"));
}

TEST_CASE("terminal: two interrupts at once end in one sentence") {
  const WithTale box;
  for (int delay = 0; delay < 20; ++delay) {
    auto run = box.start("train tale.txt --max_iters 100000 --force --out_dir run" + small);
    REQUIRE(run.wait_for("iter 100:"));
    run.signal(SIGINT);
    usleep(static_cast<unsigned>(200 * delay));
    run.signal(SIGINT);
    const auto stopped = run.end();
    INFO(stopped.err);
    CHECK(stopped.status == 130);
    const bool saved = stopped.err.find("; to continue: gradus") != std::string::npos,
               at_once = stopped.err.find("stopped at once; to continue from") != std::string::npos;
    CHECK(saved != at_once);
  }
}

TEST_CASE("terminal: the live line has the mean loss of the updates since it was drawn last") {
  const WithTale box;
  const Shown shown =
      on_terminal(box,
                  "train tale.txt --max_iters 600 --eval_interval 600 --log_interval 1 "
                  "--sample_interval 0 --n_layer 1 --n_head 2 --n_embd 48 --batch_size 8");
  REQUIRE(shown.status == 0);
  // "iter 7: loss 2.9153, ..." of every update, and now and then "step 8 of 600, loss 2.9207, ...".
  double sum = 0, updates = 0;
  int drawn = 0;
  for (std::size_t at = 0; (at = shown.text.find(": loss ", at)) != shown.text.npos;) {
    sum += std::stod(shown.text.substr(at + 7));
    ++updates;
    const std::size_t next = shown.text.find(": loss ", ++at),
                      line = shown.text.find("\033[Kstep ", at);
    if (line == shown.text.npos || line > next) continue;
    INFO("after " << updates << " updates: " << shown.text.substr(line, 60));
    CHECK(std::stod(shown.text.substr(shown.text.find(", loss ", line) + 7)) ==
          Approx(sum / updates).margin(1.01e-4));  // two numbers are rounded
    sum = updates = 0;
    ++drawn;
  }
  CHECK(drawn >= 2);
}

TEST_CASE("terminal: a run saves when its terminal goes away; if SIGHUP is ignored, it continues") {
  const WithTale box;
  const std::string line = "train tale.txt --max_iters 3000 --eval_interval 500 --log_interval 1" +
                           small + " --out_dir ";
  const Shown saved = on_terminal(box, line + "a", {.leave = "iter 5:"});
  INFO(saved.text);
  // A write may fail before the signal arrives: then the run continues until the signal.
  CHECK(saved.status == 129);
  CHECK(std::filesystem::exists(box / "a/checkpoint.safetensors"));

  const Shown went_on = on_terminal(box, line + "b", {.leave = "iter 5:", .ignoring = true});
  INFO(went_on.text);
  CHECK(went_on.status == 1);  // the evaluations' lines could not be written
  CHECK(step_of(box / "b/checkpoint.safetensors") == "3000");
}

#ifdef __linux__
TEST_CASE("terminal: a full device is told when the run is done and saved; closed pipes are not") {
  const WithTale box;
  const std::string line =
      "train tale.txt --max_iters 20 --eval_interval 5 --force --out_dir run" + small;
  const auto full = box.gradus(line + " >/dev/full");
  INFO(full.err);
  CHECK(full.status == 1);
  CHECK_THAT(full.err, Catch::Contains("\ndone: 20 steps"));
  CHECK_THAT(full.err, Catch::EndsWith("gradus train: standard output: cannot write: No space "
                                       "left on device\n"));
  CHECK(step_of(box / "run/checkpoint.safetensors") == "20");
  for (const char* const closed : {"", "2>&1 "}) {
    box.shell("{ \"$GRADUS\" " + line + " " + closed + "; echo $? >status; } | true");
    CHECK(program::read(box / "status") == "0\n");
    CHECK(step_of(box / "run/checkpoint.safetensors") == "20");
  }
}
#endif

TEST_CASE("terminal: samples and a chart are shown there, and only there") {
  const WithTale box;
  const std::string flags = "train tale.txt --max_iters 6 --eval_interval 3 --force" + small;
  const Shown shown = on_terminal(box, flags + " --out_dir run");
  INFO(shown.text);
  REQUIRE(shown.status == 0);
  CHECK_THAT(shown.text, Catch::Contains("  loss: * validation, . training, - best n-gram ("));
  CHECK_THAT(shown.text, Catch::Contains(" 6 steps"));
  std::istringstream samples(program::read(box / "run/samples.txt"));
  int lines = 0;
  for (std::string line; std::getline(samples, line);)
    if (!line.empty() && !line.starts_with("== step ")) {
      CHECK_THAT(shown.text, Catch::Contains("\r\n  " + line));
      ++lines;
    }
  CHECK(lines >= 3);
  const Shown dumb = on_terminal(box, flags + " --out_dir other", {.kind = "dumb"});
  CHECK(dumb.status == 0);
  CHECK(shown.text.find("\x1b[K") != std::string::npos);
  CHECK(dumb.text.find('\x1b') == std::string::npos);
  const auto logged = box.done(flags + " --out_dir other");
  CHECK(program::read(box / "other/samples.txt") == program::read(box / "run/samples.txt"));
  CHECK(logged.err.find("loss: *") == std::string::npos);
  for (const std::string& text : {logged.err, logged.out})
    CHECK(text.find("\n  ") == std::string::npos);
}

TEST_CASE("terminal: lines are wrapped at words there, and only there; commands stay whole") {
  const WithTale box;
  const std::string name(60, 'x'), flags = "train tale.txt --max_iters 2 --force" + small;
  const Shown shown = on_terminal(box, flags + " --out_dir " + name);
  INFO(shown.text);
  REQUIRE(shown.status == 0);
  std::istringstream lines(shown.text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t drawn = line.rfind("\x1b[K"); drawn != std::string::npos)
      line.erase(0, drawn + 3);
    // Results, on standard output, stay whole, and so do commands to be copied.
    if (!line.starts_with("step 0: ") && line.find("gradus train ") == line.npos)
      CHECK(line.size() <= 80 + 1);  // and a carriage return
  }
  // The line that is redrawn has the same loss as the log line of the same update.
  const std::size_t at = shown.text.find("iter 0: loss ");
  REQUIRE(at != std::string::npos);
  const std::string loss = shown.text.substr(at + 13, shown.text.find(',', at) - at - 13);
  CHECK_THAT(shown.text, Catch::Contains("step 1 of 2, loss " + loss + ","));
  for (const std::string command : {" sample ", " report "})
    CHECK_THAT(shown.text, Catch::Contains("gradus" + command + name));
  CHECK_THAT(shown.text, Catch::Contains("2 updates are only"));
  const auto logged = box.gradus(flags + " --out_dir " + name);
  // The run, n-grams, 2 updates, done, verdict, command.
  CHECK(std::ranges::count(logged.err, '\n') == 7);
}

TEST_CASE("terminal: control characters of a file or a model are escaped there, and only there") {
  const Sandbox box;
  // A text with a sequence that retitles or clears a terminal in every second place.
  std::string text = "\u202E";
  for (int i = 0; i < 300; ++i) text += "\x1b]0;\a\x7f\xC2\x9B\tab\n";
  program::write(box / "codes.txt", text);
  box.done(
      "train codes.txt --max_iters 60 --arch gpt2 --optimizer adamw --learning_rate 0.01 "
      "--min_lr 0.001 --out_dir run" +
      small);
  const std::string line = "sample run --max_new_tokens 100 --temperature 0 --seed 3";
  const std::string piped = box.gradus(line).out;
  const Shown shown = on_terminal(box, line);
  INFO(shown.text);
  CHECK(shown.status == 0);
  CHECK_THAT(piped, Catch::Contains("\x1b]0;\a\x7f\xC2\x9B\tab\n"));
  CHECK_THAT(shown.text, Catch::Contains("\\x1b]0;\\x07\\x7f\\xc2\\x9b\tab\r\n"));
  for (const char c : {'\x1b', '\a', '\x7f'}) CHECK(shown.text.find(c) == std::string::npos);
  on_terminal(box, line, {.to = "file"});
  CHECK(program::read(box / "file") == piped);

  const std::string turned = "sample run -n 0 a\u202Eb";
  CHECK(box.gradus(turned).out == "a\u202Eb\n");
  CHECK_THAT(on_terminal(box, turned).text, Catch::Contains("a\\xe2\\x80\\xaeb\r\n"));

  // The same for info: the metadata comes from the file.
  program::write(box / "owned.safetensors",
                 program::with_settings(program::read(box / "run/model.safetensors"),
                                        {{"step", "0\x1b]0;owned\a"}}));
  const auto info = box.gradus("info owned.safetensors");
  INFO(info.out << info.err);
  CHECK(info.out.find('\x1b') == std::string::npos);
  CHECK(info.err.find('\x1b') == std::string::npos);
}

TEST_CASE("terminal: a conversation asks for input and ends by exit there, and only there") {
  const WithTale box;
  box.done("train tale.txt --max_iters 2 --out_dir run" + small);
  const auto chat = [&](const Terminal& terminal) {
    const Shown shown = on_terminal(box, "chat run -n 3", terminal);
    INFO(shown.text);
    CHECK(shown.status == 0);
    return shown.text;
  };
  CHECK_THAT(chat({.typed = "The hen\nexit\nThe fox\n"}),
             Catch::Contains("> The hen") && !Catch::Contains("> The fox"));
  program::write(box / "prompts", "exit\nThe hen\n");
  CHECK_THAT(chat({.from = "prompts"}), !Catch::Contains("> ") && Catch::Contains("The hen"));
}
