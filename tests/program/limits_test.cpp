// What must be the same under a limit on the address space, and with a large parent process.
// Sanitizers need terabytes of address space, so their builds leave this file out.
#ifdef __linux__

#include "tests/program/run.h"

using program::number_after;

namespace {

// `short_of_stacks` limits threads: each takes 100 MB of a 450 MB address space for its stack.
const std::string short_of_stacks = "ulimit -s 100000; ulimit -v 450000; timeout 60 ";
const std::string short_run =
    "\"$GRADUS\" train tale.txt --max_iters 1 --n_layer 1 --n_head 1 --n_embd 16 --block_size 8"
    " --batch_size 2 --warmup_iters 0 ";

}  // namespace

TEST_CASE("limits: train runs with the threads it got") {
  const program::WithTale box;
  const auto run = box.shell_done(short_of_stacks + short_run + "--threads 64");
  const double threads = number_after(run.err, " s on ");
  CHECK(threads >= 1);
  CHECK(threads < 64);
}

TEST_CASE("limits: a program that runs out of memory says over which file or work") {
  const program::WithTale box;
  // 33 MB of weights. The limits rise from the first that lets the program begin to one that lets
  // it end; in between there is not enough memory, each time at another place.
  const std::string large =
      "--n_layer 2 --n_head 1 --n_embd 512 --block_size 8 --batch_size 1 --threads 1 --force "
      "--max_iters 0 --out_dir run ";
  box.done("train tale.txt " + large);
  const auto refused = [&](const std::string& command, const std::string& says) {
    bool found = false, begins = false;
    for (int limit = 16'000; limit < 1'000'000; limit += 16'000) {
      const std::string limited = "ulimit -v " + std::to_string(limit) + "; \"$GRADUS\" ";
      begins = begins || box.shell(limited + "--version").status == 0;
      if (!begins) continue;
      const auto run = box.shell(limited + command);
      INFO(limit << " kB, " << command << ": " << run.err);
      if (run.status == 0) break;
      CHECK(run.status == 1);
      const std::size_t last = run.err.rfind('\n', run.err.size() - 2) + 1;  // npos + 1 is 0
      CHECK_THAT(run.err.substr(last), Catch::Contains(" do not fit in memory") ||
                                           Catch::Contains("out of memory while "));
      found = found || run.err.find(says) != std::string::npos;
    }
    INFO(command);
    CHECK(found);
  };
  refused("sample run -n 1 --threads 1", ": out of memory while reading the model: ");
  refused(
      "train tale.txt " + large,
      " bytes were requested; a smaller --batch_size, --block_size, --n_embd or --n_layer needs "
      "less\n");
}

TEST_CASE("limits: the peak memory of a run is its own, not that of the program that started it") {
  const program::WithTale box;
  const auto run = box.shell_done(
      "for i in $(seq 30); do eval \"x$i=\\$(head -c 5000000 /dev/zero | tr '\\0' x)\"; done; "
      "exec " +
      short_run);
  const double megabytes = number_after(run.err, "peak memory ");
  CHECK(megabytes > 0);
  CHECK(megabytes < 100);
}

TEST_CASE("limits: the peak memory that a run says, in MB of a million bytes, is the kernel's") {
  if (!std::filesystem::exists("/proc/self/status")) return;  // not Linux
  const program::WithTale box;
  // Some 100 MB, so that 5 % more is more than it grows at its end.
  const auto run = box.shell_done(
      "\"$GRADUS\" train tale.txt --out_dir run --max_iters 3 --eval_interval 3 --n_layer 2 "
      "--n_head 2"
      " --n_embd 128 --block_size 64 --batch_size 64 --threads 1 & while cat /proc/$!/status >now"
      " 2>/dev/null; do grep -q VmHWM now || break; mv now last; done; wait $!; grep VmHWM last");
  const double megabytes = number_after(run.err, "peak memory ");
  const double kernel = std::atof(run.out.substr(run.out.find("VmHWM:") + 6).c_str()) * 1024 / 1e6;
  CHECK(megabytes > 60);
  CHECK(megabytes == Approx(kernel).epsilon(0.02));
}

TEST_CASE("limits: garbage of 6 GB is refused by its header, in little memory") {
  const program::Sandbox box;
  std::filesystem::create_directory(box / "run");
  for (const char* const name : {"m.safetensors", "run/model.safetensors"}) {
    program::write(box / name, "");
    std::filesystem::resize_file(box / name, 6'000'000'000);  // zeros that take no disk
  }
  for (const std::string model : {"m.safetensors", "run"}) {
    const auto run = box.shell("ulimit -v 450000; \"$GRADUS\" info " + model);
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::EndsWith(".safetensors: header: byte 0: expected a value, found the "
                                        "end\n"));
  }
}

TEST_CASE("limits: a file that does not fit in memory is named") {
  const program::WithTale box;
  box.shell_done(short_run + "--out_dir run --tokenizer byte --arch gpt2");
  box.done("export run hf hf");
  // A tokenizer of 200,000 tokens, which take several times the memory of their file.
  std::string vocabulary;
  for (int i = 0; i < 200'000; ++i)
    vocabulary += ",\"" + std::to_string(i) + "abc\":" + std::to_string(256 + i);
  std::string json = program::read(box / "hf/tokenizer.json");
  json.insert(json.find("},\"merges\""), vocabulary);
  program::write(box / "hf/tokenizer.json", json);
  const auto info = [&](int kilobytes) {
    return box.shell("ulimit -v " + std::to_string(kilobytes) + "; \"$GRADUS\" info hf");
  };
  // From where the program can start at all, up to where everything fits.
  int least = 10'000;
  while (box.shell("ulimit -v " + std::to_string(least) + "; \"$GRADUS\" --version").status != 0)
    least += 1000;
  int refused = 0;
  for (int kilobytes = least; refused < 100; kilobytes += 3000) {
    const auto run = info(kilobytes);
    INFO(kilobytes << " kB: " << run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, Catch::StartsWith("gradus info: hf"));
    if (run.err.find("the tokenizer has") != std::string::npos) break;
    CHECK_THAT(run.err, Catch::Contains(" bytes"));
    ++refused;
  }
  CHECK(refused > 2);
  CHECK(refused < 100);
}

#endif
