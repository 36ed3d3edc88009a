// Messages in cases that need a shell; the rest is in messages.t.
#include "tests/program/run.h"

using program::Sandbox;

TEST_CASE("messages: the completion offers commands, flags, and the values of a flag", "[shell]") {
  const Sandbox box;
  box.done("--bash_completion > completion");
  // The words of a command line, the last one being typed.
  const auto offers = [&](const std::string& words) {
    return box
        .shell("bash -c 'set -u; . ./completion; COMP_WORDS=(gradus " + words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gradus; echo ${COMPREPLY[@]}'")
        .out;
  };
  CHECK(offers("re") == "report\n");
  CHECK(offers("train --out") == "--out_dir\n");
  CHECK(offers("train a.txt --arch \"\"") == "gpt2 llama qwen3\n");
  CHECK(offers("train a.txt --arch = ll") == "llama\n");
  CHECK(offers("train a.txt --arch =") == "gpt2 llama qwen3\n");
  CHECK(offers("train --tokenizer b") == "byte bpe\n");
  CHECK(offers("train --causal \"\"") == "true false\n");
  CHECK(offers("export RUN \"\"") == "hf gguf bin\n");
  CHECK(offers("export RUN gguf \"\"") == "\n");  // a file: as bash completes it
  CHECK(offers("export RUN gguf x --dtype q") == "q8_0\n");
  CHECK(offers("train te") == "\n");
}

TEST_CASE("messages: started by a path, the program is called by it", "[shell]") {
  const Sandbox box;
  program::write(box / "tale.txt", std::string(40, 'a') + "b c d. " + std::string(200, 'e'));
  CHECK_THAT(
      box.shell("ln -s \"$(command -v \"$GRADUS\")\" here; ./here train tale.txt --n_layer 1 "
                "--block_size 8 --out_dir run --max_iters 1")
          .err,
      Catch::Contains("to read what it writes: ./here sample run;"));
}
