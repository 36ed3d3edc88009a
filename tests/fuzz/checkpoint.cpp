// A checkpoint with its checksum put right after every mutation, read as far as --resume goes. What
// is accepted is the same after being written and read again.
#include "train/run/checkpoint.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/safetensors_file.h"

namespace {

// The states of the two generators would be most of a file, in digits that are all alike: a '+'
// stands for such a state.
std::string with_generators(std::string_view bytes) {
  static const std::string state = engine::Generator(1).state();
  constexpr std::string_view sign = "generator\":\"+";
  std::string file(bytes);
  for (std::size_t at = 0, n = 0; n < 2 && (at = file.find(sign, at)) != std::string::npos; ++n) {
    at += sign.size() - 1;
    file.replace(at, 1, state);
  }
  return file;
}

// Reads a checkpoint and writes it.
std::string again(const std::string& bytes) {
  const model::SafetensorsFile file(bytes);
  train::Checkpoint run = train::read_checkpoint(file);
  model::TokenIds text(run.tokenizer->vocabulary_size());
  for (int i = 0; i < 100; ++i) text.push_back(0);
  const train::Corpus corpus(std::move(text), run.plan.val_fraction, run.plan.model.block_size);
  train::Trainer trainer(run.gpt, corpus, run.plan, std::move(run.state));
  train::read_moments(file, trainer);
  auto writer = train::checkpoint_file(run.gpt, *run.tokenizer, run.plan, run.facts, trainer,
                                       run.log_bytes, run.closing ? &*run.closing : nullptr);
  return fuzz::join(writer);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::put_right(with_generators(fuzz::bytes_of(data, size)));
  fuzz::accepts([&] {
    const std::string once = again(bytes);
    fuzz::demand(again(once) == once);
  });
  return 0;
}
