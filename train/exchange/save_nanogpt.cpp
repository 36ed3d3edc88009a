#include "train/exchange/save_nanogpt.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/new_directory.h"
#include "engine/base/utf8.h"
#include "model/exchange/nanogpt.h"
#include "train/exchange/open_model.h"
#include "train/exchange/open_run.h"
#include "train/system/process.h"

namespace train {

using engine::check;
using engine::Index;
using engine::printable;

namespace {

// The settings of a run that nanoGPT has, whose names are nanoGPT's.
std::vector<std::pair<std::string, model::NanogptValue>> nanogpt_config(
    const Plan& plan, const std::string& dataset) {
  std::vector<std::pair<std::string, model::NanogptValue>> config = {
      {"out_dir", std::string("out")}, {"dataset", dataset}, {"init_from", std::string("resume")}};
  Settings settings;
  static_cast<Plan&>(settings) = plan;
  for (const std::string_view name :
       {"eval_interval", "eval_iters",   "batch_size",     "gradient_accumulation_steps",
        "block_size",    "n_layer",      "n_head",         "n_embd",
        "dropout",       "bias",         "learning_rate",  "max_iters",
        "weight_decay",  "beta1",        "beta2",          "grad_clip",
        "decay_lr",      "warmup_iters", "lr_decay_iters", "min_lr"})
    std::visit(
        [&](auto member) {
          if constexpr (std::is_constructible_v<model::NanogptValue, decltype(settings.*member)>)
            config.emplace_back(name, settings.*member);
        },
        find_flag(name)->field);
  return config;
}

// The tokens of a split as nanoGPT reads them: 16 bits each, little-endian.
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

// The tokens of the run's texts, if those are still what they were; else nullopt and a note.
std::optional<Corpus> corpus_of(const RunFiles& files, const Run& run, Notes& notes) {
  try {
    check(run.plan.vocab_size <= 65'536, "nanoGPT stores a token in 16 bits, the vocabulary has ",
          run.plan.vocab_size);
    const Settings as_stored;
    Sources sources = read_again(as_stored, run.facts, files);
    Corpus corpus = encode(sources, *run.tokenizer);
    cut(corpus, sources, run.plan, run.facts.learned_tokens);
    return corpus;
  } catch (const engine::Error& error) {
    notes.add("no train.bin and val.bin: ", error.what());
    return {};
  }
}

}  // namespace

void save_nanogpt(const std::string& model_path, const std::string& dataset,
                  const std::string& path, Notes& notes) {
  const RunFiles files(model_path);
  // A run goes on from its last checkpoint, with the state of its optimizer; any other model begins.
  std::optional<Run> run;
  std::optional<OpenedModel> opened;
  if (engine::is_directory(model_path) && engine::file_exists(files.checkpoint))
    run = read_run(files);
  else
    opened = open_model(model_path);
  model::GPT& gpt = run ? run->gpt : opened->model.gpt;
  const model::Tokenizer& tokenizer = run ? *run->tokenizer : *opened->model.tokenizer;
  check(tokenizer.kind() != "word", "a tokenizer of words is known to gradus alone");
  std::string note;
  model::check_is_nanogpt(gpt.config, note);
  if (!note.empty()) notes.add(note);

  Plan plan;
  static_cast<model::Config&>(plan) = gpt.config;
  if (run) plan = run->plan;
  model::NanogptCheckpoint checkpoint{.adamw = plan,
                                      .learning_rate = plan.learning_rate,
                                      .moments = {},
                                      .config = nanogpt_config(plan, dataset)};
  if (run) {
    checkpoint.iter_num = run->step;
    if (run->best_step > 0) checkpoint.best_val_loss = run->best_val_loss;
    checkpoint.steps = static_cast<float>(run->step);
    if (plan.optimizer == "adamw" && run->step > 0)
      for (const auto& [first, second] : run->optimizer.moments())
        checkpoint.moments.emplace_back(first, second);
    else if (run->step > 0)
      notes.add("nanoGPT has AdamW only, so its state begins anew; the run's is Muon's");
    if (run->best_step > 0 && run->best_step < run->step)
      notes.add("ckpt.pt is the run's last step, ", run->step, "; the model of its best, ",
                run->best_step, ", is exported from ", printable(files.model));
  }

  std::optional<Corpus> corpus;
  if (run) corpus = corpus_of(files, *run, notes);
  engine::NewDirectory directory(path);
  const std::string folder = "data/" + dataset, meta = model::nanogpt_meta(tokenizer);
  model::TorchWriter writer;
  model::write_nanogpt(writer, gpt, checkpoint);
  directory.write("ckpt.pt", writer.pieces("ckpt"));
  directory.write("meta.pkl", meta);
  directory.write(folder + "/meta.pkl", meta);
  if (corpus) {
    directory.write(folder + "/train.bin", token_bytes(*corpus, Split::train));
    directory.write(folder + "/val.bin", token_bytes(*corpus, Split::validation));
  }
  directory.commit();
  if (!model::is_characters(tokenizer))
    notes.add("nanoGPT's sample.py can encode only those tokens that are one character");
  const auto quoted = [](const std::string& name) { return engine::shell_quoted(name); };
  notes.add("copy ", quoted(path + '/' + folder), " into nanoGPT's data; there, ",
            engine::unbroken("python sample.py --out_dir=" + quoted(engine::absolute_path(path))),
            " speaks with the model, and train.py --init_from=resume with the same "
            "--out_dir, --dataset=",
            engine::shell_word(dataset), " and --block_size=", plan.block_size, " goes on");
}

}  // namespace train
