// The training step against PyTorch and against the machine. For each configuration and number of
// threads, contenders in processes of their own take turns; medians of their turns are compared.
//
//     step                         everything, some ten minutes
//     step --only b16 --threads 2  a part of it;  --no-torch: gradus alone;  --installed: also
//                                  PyTorch with its defaults, which are slower
//     step --scaling               how the time of a step grows with T, C and B: gradus alone
//     step --bf16 [--only b16]     products in float32 and in bfloat16, and PyTorch's autocast
//     step --family [--only b16]   GPT-2, Llama and Qwen3 by AdamW, Qwen3 by Muon: gradus alone
//     step --cpu-time              one thread each, by CPU time instead of real time: for a shared
//                                  machine
//
// PYTHON is the command of a Python with torch, also one in a chroot: "chroot DIR python3". PyTorch is
// tuned: it gets the faster of two ways to keep its two sets of threads (OpenMP's and OpenBLAS's) from
// fighting for the CPUs, eager or by torch.compile, a malloc that keeps its memory instead of returning
// it to the system after every tensor, and none of the variables that make OpenBLAS take a slower path
// than the CPU's best. With a build for AVX2 (ARCH=x86-64-v3), PyTorch uses only AVX2 as well.
//
// The bound: the step's matrix products, Muon's among them, attention as if dense, at the FMA peak
// measured in the same turns.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "engine/base/thread_pool.h"
#include "engine/kernels/simd.h"
#include "engine/ops.h"
#include "model/base/system.h"
#include "tests/bench/child.h"
#include "tests/bench/step_model.h"
#include "train/system/console.h"
#include "train/system/peak.h"

namespace {

using namespace bench;

// --- our contender -----------------------------------------------------------------------------

// Time between one event of the tape and the next belongs to the op that the latter names.
struct Profile : engine::Tape::Observer {
  std::map<std::string, double> spent;
  double last = seconds();
  void book(const std::string& what) {
    const double now = seconds();
    spent[what] += now - last;
    last = now;
  }
  void recorded(const char* op, const engine::Gradient&,
                std::span<const engine::Gradient>) override {
    book(std::string(op) + " forward");
  }
  void ran_backward(const char* op, const engine::Gradient&, const engine::Tensor&) override {
    book(std::string(op) + " backward");
  }
};

// Answers `N` with the seconds of N steps and the peak in flop/s, `memory` with bytes, `profile N`
// with one line: seconds a step and name of each part, separated by tabs.
int contend(const Configuration& c, int threads) {
  engine::set_thread_count(threads);
  Training training(c);
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "memory") {
      std::cout << train::system::peak_memory() << std::endl;
    } else if (line.starts_with("profile ")) {
      const int steps = std::atoi(line.c_str() + 8);
      Profile profile;
      for (int i = 0; i < steps; ++i) {
        profile.last = seconds();
        training.run_observed(profile, [] {});
        profile.book("AdamW");
      }
      for (const auto& [what, time] : profile.spent)
        std::cout << time / steps << '\t' << what << '\t';
      std::cout << std::endl;
    } else {
      const double peak = train::measure_peak_flops();
      const double time = time_of([&] { training.run(std::atoi(line.c_str())); });
      std::cout << time << ' ' << peak << std::endl;
    }
  }
  return 0;
}

// --- PyTorch -----------------------------------------------------------------------------------

using Environment = std::vector<std::string>;

Environment tuned(int threads, bool passive) {
  return {"OMP_NUM_THREADS=" + std::to_string(threads),
          passive ? "OMP_WAIT_POLICY=PASSIVE" : "OPENBLAS_NUM_THREADS=1",
          "MALLOC_MMAP_THRESHOLD_=8589934592", "MALLOC_TRIM_THRESHOLD_=17179869184",
          "MALLOC_TOP_PAD_=268435456"};
}

std::string python;  // the command of one that has torch; empty if none has

void find_python() {
  const char* const named = std::getenv("PYTHON");
  for (const std::string candidate : {named != nullptr ? named : "python3", "/usr/bin/python3"}) {
    Child probe({"sh", "-c", candidate + " -c 'import torch; print(1)' 2>/dev/null"});
    if (!probe.listen().empty()) {
      python = candidate;
      return;
    }
  }
}

// A PyTorch that has announced itself.
struct Torch {
  std::unique_ptr<Child> child;
  std::string ready;  // "PyTorch 2.6.0", and how long it compiled
};

Torch start_torch(const Configuration& c, int threads, const Environment& with,
                  const std::string& dtype = "float32", bool compiled = false) {
  std::vector<std::string> command{
      "env", "-u", "OPENBLAS_CORETYPE", "-u", "OPENBLAS_L2_SIZE", "-u", "NVPL_BLAS_DEBUG_CPU_TYPE"};
  if (engine::kernels::vector_bytes == 32)  // ours has AVX2 alone: so has theirs
    command.insert(command.end(), {"OPENBLAS_CORETYPE=Haswell", "ONEDNN_MAX_CPU_ISA=AVX2"});
  command.insert(command.end(), with.begin(), with.end());
  command.push_back(
      "UCX_LOG_LEVEL=fatal");  // Debian 13's says more than errors, on standard output
  std::istringstream words(python);
  for (std::string word; words >> word;) command.push_back(word);
  std::ostringstream script;  // as an argument: a Python in a chroot does not see the file
  script << std::ifstream("tests/bench/torch_step.py").rdbuf();
  command.insert(command.end(), {"-c", script.str()});
  for (const Index n : {c.layers, c.heads, c.channels, c.block, c.batch, c.vocabulary})
    command.push_back(std::to_string(n));
  command.push_back(std::to_string(c.dropout));
  command.push_back(std::to_string(with.empty() ? 0 : threads));  // 0: PyTorch decides
  command.push_back(cpu_time ? "cpu" : "wall");
  command.push_back(dtype);
  command.push_back(compiled ? "compile" : "eager");
  Torch torch{std::make_unique<Child>(std::move(command)), {}};
  const std::string line = torch.child->listen();
  if (!line.starts_with("ready ")) return {};
  torch.ready = line.substr(6);
  return torch;
}

// --- the comparison ----------------------------------------------------------------------------

struct Options {
  std::string only;
  int threads = 0;  // 0: two, then one
  bool torch = true, installed = false, profile = true;
};

struct Result {
  double step = 0, peak = 0, torch = 0;
};

double turn(Child& child, Index steps) {
  return std::atof(child.ask(std::to_string(steps)).c_str()) / static_cast<double>(steps);
}

// PyTorch with the better of the two ways to keep its threads apart, and of the two to run.
struct Tuned {
  std::unique_ptr<Child> child;
  std::string how;
};
Tuned start_tuned(const Configuration& c, int threads, const std::string& dtype) {
  Tuned best_one;
  double best = 0;
  for (const bool compiled : {false, true})
    for (const bool passive : {false, true}) {
      Torch torch = start_torch(c, threads, tuned(threads, passive), dtype, compiled);
      if (torch.child == nullptr) {  // one without a compiler, say
        engine::check(compiled, "bench: torch_step.py does not start");
        continue;
      }
      // The first two steps take memory from the system; another program may slow one of the next.
      const Index steps = c.flops() > 1e11 ? 1 : 10;
      turn(*torch.child, 2);
      const double time = std::min(turn(*torch.child, steps), turn(*torch.child, steps));
      const std::string how =
          "(" + torch.ready +
          (passive ? ", OMP_WAIT_POLICY=PASSIVE)" : ", OPENBLAS_NUM_THREADS=1)");
      std::printf("   %s: %.1f ms at first\n", how.c_str(), 1e3 * time);
      std::fflush(stdout);
      if (best_one.child == nullptr || time < best) {
        best_one = {std::move(torch.child), how};
        best = time;
      }
    }
  return best_one;
}

void print_profile(Child& ours, double step, Index steps) {
  const std::string line = ours.ask("profile " + std::to_string(steps));
  std::vector<std::pair<double, std::string>> parts;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t middle = line.find('\t', at), end = line.find('\t', middle + 1);
    parts.emplace_back(std::atof(line.c_str() + at), line.substr(middle + 1, end - middle - 1));
    at = end + 1;
  }
  std::ranges::sort(parts, std::greater());
  for (const auto& [time, what] : parts)
    if (time > 0.002 * step)
      std::printf("      %9.3f ms %5.1f %%  %s\n", 1e3 * time, 100 * time / step, what.c_str());
}

Result compare(const Configuration& c, int threads, const Options& options, const char* program) {
  std::printf("%s, %d thread%s\n", std::string(c.name).c_str(), threads, threads > 1 ? "s" : "");
  std::fflush(stdout);
  std::vector<std::string> command{program};
  if (cpu_time) command.push_back("--cpu-time");
  command.insert(command.end(), {"--contend", std::string(c.name), std::to_string(threads)});
  Child ours(std::move(command));
  ours.listen();
  turn(ours, 3);  // from the fourth step on nothing is allocated
  // Turns of about half a second, or a step.
  const Index steps = std::clamp<Index>(Index(0.5 / turn(ours, 1)), 1, 50);
  const int turns = c.flops() > 1e12 ? 3 : 7;

  std::unique_ptr<Child> installed;
  auto [torch, how] = options.torch ? start_tuned(c, threads, "float32") : Tuned{};
  if (options.torch && options.installed) {
    installed = start_torch(c, threads, {}).child;
    turn(*installed, 1);
  }

  std::vector<double> our_times, peaks, torch_times, installed_times;
  for (int i = 0; i < turns; ++i) {
    const std::string answer = ours.ask(std::to_string(steps));
    our_times.push_back(std::atof(answer.c_str()) / static_cast<double>(steps));
    peaks.push_back(std::atof(answer.c_str() + answer.find(' ')));
    const Index theirs = std::max<Index>(1, steps / 3);
    if (torch) torch_times.push_back(turn(*torch, theirs));
    if (installed) installed_times.push_back(turn(*installed, theirs));
  }
  const auto megabytes = [](Child& child) { return std::atof(child.ask("memory").c_str()) / 1e6; };
  const Result r{median(our_times), median(peaks), torch ? median(torch_times) : 0};
  std::printf(
      "   gradus       %9.1f ms  %9.0f tokens/s  %6.1f %% of the bound at %4.0f GFLOP/s  "
      "%6.0f MB\n",
      1e3 * r.step, c.tokens() / r.step, 100 * c.flops() / r.peak / r.step, r.peak / 1e9,
      megabytes(ours));
  if (torch)
    std::printf("   PyTorch      %9.1f ms  %9.0f tokens/s  %38s  %6.0f MB   ratio %.2f  %s\n",
                1e3 * r.torch, c.tokens() / r.torch, "", megabytes(*torch), r.torch / r.step,
                how.c_str());
  if (installed) {
    const double time = median(installed_times);
    std::printf("   as installed %9.1f ms  %9.0f tokens/s  %38s  %6.0f MB   ratio %.2f\n",
                1e3 * time, c.tokens() / time, "", megabytes(*installed), time / r.step);
  }
  if (options.profile) print_profile(ours, r.step, std::max<Index>(1, steps));
  std::fflush(stdout);
  return r;
}

// A step of ours in both precisions, and of PyTorch in bfloat16, in turns on two threads.
void print_bfloat16(const Options& options, const char* program) {
  std::string ratios;
  for (const Configuration& c : configurations) {
    if (!options.only.empty() && options.only != c.name) continue;
    const auto ours = [&](const char* dtype) {
      auto child = std::make_unique<Child>(
          std::vector<std::string>{program, "--contend", std::string(c.name), "2", dtype});
      child->listen();
      turn(*child, 3);
      return child;
    };
    const auto single = ours("float32"), half = ours("bfloat16");
    const Tuned torch = options.torch ? start_tuned(c, 2, "bfloat16") : Tuned{};
    const Index steps = std::clamp<Index>(Index(0.5 / turn(*half, 1)), 1, 50);
    std::vector<double> singles, halves, torches;
    for (int i = 0; i < (c.flops() > 1e12 ? 5 : 9); ++i) {
      singles.push_back(turn(*single, steps));
      halves.push_back(turn(*half, steps));
      if (torch.child) torches.push_back(turn(*torch.child, std::max<Index>(1, steps / 3)));
    }
    std::printf("%-3s float32 %9.1f ms, bfloat16 %9.1f ms, %.2f times as fast",
                std::string(c.name).c_str(), 1e3 * median(singles), 1e3 * median(halves),
                median(singles) / median(halves));
    if (torch.child)
      std::printf("; PyTorch's autocast %9.1f ms %s, ratio %.2f", 1e3 * median(torches),
                  torch.how.c_str(), median(torches) / median(halves));
    std::printf("\n");
    std::fflush(stdout);
    char text[64];
    std::snprintf(text, sizeof text, " %s %.2fx", std::string(c.name).c_str(),
                  median(singles) / median(halves));
    ratios += text;
  }
  std::printf("bf16 summary:%s\n", ratios.c_str());
}

// --- the engine itself --------------------------------------------------------------------------

// Nanoseconds to record an op and run its backward, with the memory of its tensors, when there is
// hardly anything to compute: chains of sums of one element, as long as a small GPT's.
double overhead_of_an_op() {
  constexpr int chains = 1000, ops = 50;
  engine::Tensor x = engine::Tensor::ones({1});
  x.require_gradient();
  std::vector<double> times;
  for (int turn = 0; turn < 7; ++turn)
    times.push_back(time_of([&] {
      for (int chain = 0; chain < chains; ++chain) {
        engine::Tape tape;
        engine::Tensor y = x;
        for (int i = 0; i < ops; ++i) y = engine::add(y, x);
        tape.backward(y);
      }
    }));
  return 1e9 * median(times) / (chains * ops);
}

// A sweep over one size, the others as in the first row: time against matmul work.
void print_scaling() {
  const Configuration start{"", 64, 16, 4, 4, 128, 65, 0.0};
  const auto row = [](const Configuration& c) {
    Training training(c);
    training.run(4);
    const Index steps = std::clamp<Index>(Index(2e10 / c.flops()), 1, 20);
    std::vector<double> times, peaks;
    for (int turn = 0; turn < 5; ++turn) {
      peaks.push_back(train::measure_peak_flops());
      times.push_back(time_of([&] { training.run(steps); }) / static_cast<double>(steps));
    }
    const double time = median(times);
    std::printf(
        "  %5lld %5lld %5lld %10.2f ms %10.2f GFLOP %10.0f tokens/s %6.1f %% of the bound\n",
        (long long)c.block, (long long)c.channels, (long long)c.batch, 1e3 * time, 1e-9 * c.flops(),
        c.tokens() / time, 100 * c.flops() / time / median(peaks));
    std::fflush(stdout);
  };
  std::printf("      T     C     B\n");
  for (Index T = 64; T <= 1024; T *= 2) {
    Configuration c = start;
    c.block = T;
    row(c);
  }
  for (Index C = 256; C <= 768; C += 128) {
    Configuration c = start;
    c.channels = C;
    row(c);
  }
  for (Index B = 1; B <= 64; B *= 4) {
    Configuration c = start;
    c.batch = B;
    row(c);
  }
}

// The architectures of the family at the sizes of three configurations, in turns.
void print_family(const std::string& only) {
  for (const std::string_view name : {"a", "b16", "b64"}) {
    if (!only.empty() && only != name) continue;
    std::vector<Configuration> members;
    using model::Family;
    using train::OptimizerKind;
    for (const auto& [family, optimizer] : {std::pair(Family::gpt2, OptimizerKind::adamw),
                                            std::pair(Family::llama, OptimizerKind::adamw),
                                            std::pair(Family::qwen3, OptimizerKind::adamw),
                                            std::pair(Family::qwen3, OptimizerKind::muon)}) {
      Configuration c = configuration(name);
      c.family = family;
      c.optimizer = optimizer;
      members.push_back(c);
    }
    std::vector<std::unique_ptr<Training>> models;
    for (const Configuration& c : members) {
      models.push_back(std::make_unique<Training>(c));
      models.back()->run(3);
    }
    std::vector<std::vector<double>> times(members.size());
    std::vector<double> peaks;  // of all turns: one measurement varies more than the models do
    for (int turn = 0; turn < 5; ++turn)
      for (std::size_t i = 0; i < members.size(); ++i) {
        const Index steps = std::clamp<Index>(Index(1e11 / members[i].flops()), 1, 50);
        peaks.push_back(train::measure_peak_flops());
        times[i].push_back(time_of([&] { models[i]->run(steps); }) / static_cast<double>(steps));
      }
    for (std::size_t i = 0; i < members.size(); ++i)
      std::printf("family: %-3s %-5s %-5s %9.1f ms %9.0f tokens/s %5.1f %% of the bound\n",
                  std::string(name).c_str(), engine::name_of(members[i].family).data(),
                  engine::name_of(members[i].optimizer).data(), 1e3 * median(times[i]),
                  members[i].tokens() / median(times[i]),
                  100 * members[i].flops() / median(times[i]) / median(peaks));
    std::vector<double> ratios;  // of neighboring turns: the machine's speed drifts
    for (std::size_t turn = 0; turn < times[2].size(); ++turn)
      ratios.push_back(times[3][turn] / times[2][turn]);
    std::printf("family: %-3s a step with Muon takes %.2f times as long as one with AdamW\n",
                std::string(name).c_str(), median(ratios));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  bool bfloat16 = false, family = false;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const bool takes_value = i + 1 < argc;
    if (flag == "--contend" && takes_value) {
      if (i + 3 < argc && std::string_view(argv[i + 3]) == "bfloat16")
        engine::kernels::set_product_precision(engine::kernels::Precision::bfloat16);
      return contend(configuration(argv[i + 1]), std::atoi(argv[i + 2]));
    }
    if (flag == "--scaling") return print_scaling(), 0;
    if (flag == "--bf16")
      bfloat16 = true;
    else if (flag == "--family")
      family = true;
    else if (flag == "--cpu-time")
      cpu_time = true, options.threads = 1;
    else if (flag == "--no-torch")
      options.torch = false;
    else if (flag == "--no-profile")
      options.profile = false;
    else if (flag == "--installed")
      options.installed = true;
    else if (flag == "--only" && takes_value)
      options.only = argv[++i];
    else if (flag == "--threads" && takes_value)
      options.threads = std::atoi(argv[++i]);
    else
      throw engine::Error("step: unknown flag " + flag);
  }
  if (family) return print_family(options.only), 0;
  if (options.torch) find_python();
  if (python.empty()) {
    if (options.torch)
      std::puts("no python3 with torch: ours alone (apt-get install python3-torch)");
    options.torch = false;
  }
  if (bfloat16) return print_bfloat16(options, argv[0]), 0;
  const double overhead = overhead_of_an_op();
  std::printf("an op that computes next to nothing: %.0f ns, forward and backward\n", overhead);
  std::string ratios, shares;
  for (const Configuration& c : configurations) {
    if (!options.only.empty() && options.only != c.name) continue;
    std::optional<Result> two, one;
    if (options.threads != 1)
      two = compare(c, options.threads > 0 ? options.threads : 2, options, argv[0]);
    if (options.threads == 1 || options.threads == 0) {
      Options quick = options;
      quick.profile = options.profile && options.threads == 1;
      one = compare(c, 1, quick, argv[0]);
    }
    if (two && one) std::printf("   two threads against one: %.2f x\n", one->step / two->step);
    const Result& r = two ? *two : *one;
    char text[64];
    std::snprintf(text, sizeof text, " %s %.2fx", std::string(c.name).c_str(), r.torch / r.step);
    ratios += text;
    std::snprintf(text, sizeof text, " %s %.0f%%", std::string(c.name).c_str(),
                  100 * c.flops() / r.peak / r.step);
    shares += text;
  }
  std::printf("summary:%s; bound%s\n", ratios.c_str(), shares.c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
