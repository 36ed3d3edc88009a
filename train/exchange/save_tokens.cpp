#include "train/exchange/save_tokens.h"

#include <cstdint>

#include "model/base/utf8.h"
#include "train/exchange/open_model.h"
#include "train/exchange/open_run.h"
#include "train/system/files.h"
#include "train/system/new_directory.h"
#include "train/system/words.h"

namespace train {

namespace {

std::string token_bytes(const Corpus& corpus, Split split) {
  const Index begin = corpus.begin(split), count = corpus.size(split);
  std::string bytes(engine::unsigned_size(2 * count), '\0');
  for (Index i = 0; i < count; ++i) {
    const std::int32_t id = corpus.ids()[begin + i];
    engine::at(bytes, 2 * i) = static_cast<char>(id & 0xFF);
    engine::at(bytes, 2 * i + 1) = static_cast<char>(id >> 8);
  }
  return bytes;
}

}  // namespace

void save_tokens(const std::string& run_path, const std::string& path, Notes& notes) {
  const RunFiles files(run_path);
  check(is_directory(run_path) && file_exists(files.checkpoint), printable(run_path),
        ": is not the directory of a run; bin holds the tokens of a run's texts",
        maybe_in_out(run_path));
  const Run run = read_run(files);
  const Index vocabulary = run.tokenizer->vocabulary_size();
  check(vocabulary <= 65'536, printable(run_path), ": the vocabulary has ", count_text(vocabulary),
        " tokens, bin stores a token in 16 bits: 65,536 at most");
  const Corpus corpus = read_again({}, run.plan, run.info, *run.tokenizer, files).corpus;
  NewDirectory directory(path);
  directory.write("train.bin", token_bytes(corpus, Split::train));
  directory.write("val.bin", token_bytes(corpus, Split::validation));
  directory.commit();
  notes.add("train.bin has ", counted(corpus.size(Split::train), "token"), ", val.bin ",
            count_text(corpus.size(Split::validation)), ", of a vocabulary of ",
            count_text(vocabulary),
            "; for nanoGPT, copy the directory to its data/NAME and run train.py --dataset=NAME");
}

}  // namespace train
