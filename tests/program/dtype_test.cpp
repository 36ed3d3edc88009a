// --dtype from outside: what a run takes, says, stores and keeps, on CPUs with and without
// instructions for bfloat16.
#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/program/rewrite.h"
#include "tests/program/run.h"
#include "train/system/precision.h"

using program::Sandbox;

namespace {

const std::string small =
    " --n_layer 2 --n_head 2 --n_embd 32 --block_size 16 --batch_size 4 --max_iters 6"
    " --eval_interval 3";

// What auto stands for on this machine.
const std::string automatic(engine::name_of(train::resolved_dtype(train::ProductDtype::automatic)));

const bool possible = train::missing_for_bfloat16().empty();

double loss_of(const program::Result& eval) {
  REQUIRE(eval.out.starts_with("loss "));
  return std::atof(eval.out.c_str() + 5);
}

}  // namespace

TEST_CASE("dtype: a run says which it took, and --config alone takes float32") {
  const program::WithTale box;
  program::write(box / "empty.py", "");
  program::write(box / "half.py", "dtype = 'float16'\n");
  const auto messages = [&](const std::string& flags) {
    const auto run = box.done("train tale.txt --force --out_dir run" + small + flags);
    return run.err;
  };
  CHECK_THAT(messages(""), Catch::Contains(", in " + automatic + "; in run"));
  CHECK_THAT(messages(" --dtype auto"), Catch::Contains(", in " + automatic));
  CHECK_THAT(messages(" --dtype float32"), Catch::Contains(", in float32; in run"));
  CHECK_THAT(messages(" --config empty.py"), Catch::Contains(", in float32; in run"));
  const std::string of_half = messages(" --config half.py");
  CHECK_THAT(of_half, Catch::Contains(", in float32; in run"));
  CHECK_THAT(of_half, Catch::Contains("dtype: float16 in the config is computed as float32"));
  CHECK(box.gradus("train tale.txt --dtype float16" + small).status == 2);
  program::write(box / "bfloat16.py", "dtype = 'bfloat16'\n");
  for (const std::string flags : {" --dtype bfloat16", " --config bfloat16.py"}) {
    INFO(flags);
    if (possible) {
      CHECK_THAT(messages(flags), Catch::Contains(", in bfloat16; in run"));
    } else {
      program::check_refused(box.gradus("train tale.txt --out_dir no" + small + flags),
                             "--dtype: bfloat16 is not possible here: ", 2);
      CHECK_FALSE(std::filesystem::exists(box / "no"));
    }
  }
}

TEST_CASE("dtype: a resumed run keeps it", "[shell]") {
  const program::WithTale box;
  box.done("train tale.txt --out_dir run --dtype float32" + small);
  program::check_refused(box.gradus("train --resume run --max_iters 9 --dtype auto"),
                         "--dtype: the run in run was started with float32, not auto");
  // The same run, as a CPU with the instructions would have begun it.
  box.shell("cp -r run half");
  program::write(
      box / "half/checkpoint.safetensors",
      program::with_settings(program::read(box / "run/checkpoint.safetensors"),
                             {{"max_iters", "9"}, {"lr_decay_iters", "9"}, {"dtype", "bfloat16"}}));
  const auto resumed = box.gradus("train --resume half");
  INFO(resumed.err);
  if (possible) {
    CHECK(resumed.status == 0);
    CHECK_THAT(resumed.err, Catch::Contains(", in bfloat16; in half"));
    CHECK_THAT(box.gradus("info half").out, Catch::Contains("\n  dtype             bfloat16\n"));
  } else {
    program::check_refused(resumed,
                           "half/checkpoint.safetensors: the run multiplies in bfloat16, which is "
                           "not possible here: ");
  }
}

TEST_CASE("dtype: eval and sample compute in float32 unless told otherwise") {
  const program::WithTale box;
  box.done("train tale.txt --out_dir run" + small);
  const auto plain = box.gradus("eval run tale.txt"),
             single = box.gradus("eval run tale.txt --dtype float32");
  CHECK(plain.status == 0);
  CHECK(plain.out == single.out);
  const std::string sample = "sample run --seed 1 --max_new_tokens 50 --temperature 0";
  CHECK(box.gradus(sample).out == box.gradus(sample + " --dtype float32").out);
  CHECK(box.gradus(sample + " --dtype auto").status == 0);
  if (!possible) {
    CHECK(box.gradus("eval run tale.txt --dtype bfloat16").status == 2);
    return;
  }
  const auto half = box.gradus("eval run tale.txt --dtype bfloat16");
  CHECK(std::abs(loss_of(half) - loss_of(plain)) < 0.01);
  CHECK(box.gradus(sample + " --dtype bfloat16").status == 0);
}

TEST_CASE("dtype: in bfloat16 too, any number of threads gives the same bytes") {
  if (!possible) return;
  const program::WithTale box;
  for (const char* options : {"", " --arch gpt2 --optimizer adamw --dropout 0.2 --tokenizer byte"})
    for (const std::string threads : {"1", "2", "5"}) {
      box.done("train tale.txt --dtype bfloat16 --force --out_dir t" + threads + small + options +
               " --threads " + threads);
      INFO(options << ", " << threads << " threads");
      CHECK((program::read(box / "t1/checkpoint.safetensors") ==
             program::read(box / ("t" + threads + "/checkpoint.safetensors"))));
    }
}
