// gradus export: writes a model for another program.

#include <algorithm>
#include <deque>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/new_directory.h"
#include "engine/base/utf8.h"
#include "model/exchange/gguf_model.h"
#include "model/exchange/nanogpt.h"
#include "model/exchange/transformers.h"
#include "train/exchange/open_model.h"
#include "train/program/commands.h"
#include "train/program/resume.h"
#include "train/run/checkpoint.h"
#include "train/run/run.h"
#include "train/system/process.h"

namespace train {

using engine::check;
using engine::Index;
using engine::joined;
using engine::printable;
using Bytes = std::deque<engine::FileBytes>;

namespace {

// A run's name: that of its directory.
std::string name_of(const std::string& model_path) {
  std::string name = engine::last_name(model_path);
  for (const std::string_view ending : {".safetensors", ".gguf", ".pt"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return engine::valid_utf8_prefix(name) == name.size() && !name.empty() ? name : "gradus";
}

// The token that ends and begins a text for a program that wants such a token: the separator of
// documents if there is one, else one that is rare. `note` gets a line on it.
Index end_token(const model::LoadedModel& model, std::string& note) {
  if (const std::optional<std::int32_t> separator = model.tokenizer->separator()) return *separator;
  const Index last = model.tokenizer->vocabulary_size() - 1;
  const EndToken token = read_end_token(model.metadata).value_or(EndToken{last, -1});
  const Index id = std::clamp<Index>(token.id, 0, last);
  note = joined("other programs end a text where the model writes token ", id, ", ",
                engine::in_quotes(model.tokenizer->token_bytes(id)),
                token.count > 0    ? joined(", the rarest of the training text (",
                                            engine::counted(token.count, "time"), ")")
                : token.count == 0 ? ", which does not occur in the training text"
                                   : "");
  return id;
}

void export_transformers(model::LoadedModel& model, Index end, const std::string& path) {
  const model::Family family = model::family_of(model.gpt.config);
  const auto files =
      model::transformers_files(model.gpt.config, model::byte_level(*model.tokenizer), end);
  model::SafetensorsWriter writer(model::ChecksumKey::without);
  writer.add_metadata("format", "pt");
  Bytes memory;
  for (const model::StoredTensor& tensor :
       model::foreign_tensors(model.gpt, family, model::Program::transformers))
    writer.add(tensor.name, tensor.shape, model::Dtype::f32,
               model::bytes_of(tensor, model::Dtype::f32, memory));
  engine::NewDirectory directory(path);
  directory.write("model.safetensors", writer.pieces());
  for (const auto& [name, contents] : files) directory.write(name, contents);
  directory.commit();
}

model::Dtype dtype_called(std::string_view name) {
  return name == "float16"    ? model::Dtype::f16
         : name == "bfloat16" ? model::Dtype::bf16
         : name == "q8_0"     ? model::Dtype::q8_0
                              : model::Dtype::f32;
}

// --- nanoGPT -------------------------------------------------------------------------------------

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
std::optional<Corpus> corpus_of(const Settings& settings, const Run& run, Notes& notes) {
  try {
    check(run.plan.vocab_size <= 65'536, "nanoGPT stores a token in 16 bits, the vocabulary has ",
          run.plan.vocab_size);
    const Settings as_stored;
    Sources sources = read_again(as_stored, run.facts, RunFiles(settings.model_path));
    Corpus corpus = encode(sources, *run.tokenizer);
    cut(corpus, sources, run.plan);
    return corpus;
  } catch (const engine::Error& error) {
    notes.add("no train.bin and val.bin: ", error.what());
    return {};
  }
}

// A run goes on from its last checkpoint, with the state of its optimizer; any other model begins.
std::optional<Run> run_of(const Settings& settings) {
  const RunFiles files(settings.model_path);
  if (!engine::is_directory(settings.model_path) || !engine::file_exists(files.checkpoint))
    return {};
  return read_run(files);
}

void export_nanogpt(const Settings& settings, Notes& notes) {
  std::optional<Run> run = run_of(settings);
  std::optional<OpenedModel> opened;
  if (!run) opened = open_model(settings.model_path);
  model::GPT& gpt = run ? run->gpt : opened->model.gpt;
  const model::Tokenizer& tokenizer = run ? *run->tokenizer : *opened->model.tokenizer;
  check(tokenizer.kind() != "word", "a tokenizer of words is known to gradus alone");
  std::string note;
  model::check_is_nanogpt(gpt.config, note);
  if (!note.empty()) notes.add(note);

  const std::string dataset = name_of(settings.model_path);
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
    if (plan.ema > 0)
      notes.add("ckpt.pt has the weights themselves; their running mean is exported from ",
                printable(RunFiles(settings.model_path).model));
    if (run->best_step > 0 && run->best_step < run->step)
      notes.add("ckpt.pt is the run's last step, ", run->step, "; the model of its best, ",
                run->best_step, ", is exported from ",
                printable(RunFiles(settings.model_path).model));
  }

  std::optional<Corpus> corpus;
  if (run) corpus = corpus_of(settings, *run, notes);
  engine::NewDirectory directory(settings.export_path);
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
  const auto quoted = [](const std::string& path) { return engine::shell_quoted(path); };
  notes.add("copy ", quoted(settings.export_path + '/' + folder), " into nanoGPT's data; there, ",
            engine::unbroken("python sample.py --out_dir=" +
                             quoted(engine::absolute_path(settings.export_path))),
            " speaks with the model, and train.py --init_from=resume with the same "
            "--out_dir, --dataset=",
            engine::shell_word(dataset), " and --block_size=", plan.block_size, " goes on");
}

}  // namespace

int export_command(const Settings& settings, Notes& notes) {
  engine::check_is_free(settings.export_path);
  if (settings.format == "nanogpt") {
    export_nanogpt(settings, notes);
  } else {
    OpenedModel opened = open_model(settings.model_path);
    model::LoadedModel& model = opened.model;
    std::string note;
    const Index end = within(opened.path, [&] { return end_token(model, note); });
    if (!note.empty()) notes.add(note);
    if (settings.format == "hf") {
      export_transformers(model, end, settings.export_path);
    } else {
      const std::string difference = model::difference_to_llama_cpp(model.gpt.config);
      if (!difference.empty()) notes.add(difference);
      Bytes memory;
      model::GgufWriter writer;
      const bool smaller = model::add_gguf_model(
          writer, model.gpt, model::byte_level(*model.tokenizer), end, name_of(settings.model_path),
          dtype_called(settings.export_dtype), memory);
      if (smaller)
        notes.add(
            "matrices whose rows are no multiple of 32 are stored as float16, since "
            "q8_0 has blocks of 32");
      engine::write_file(settings.export_path, writer.pieces());
    }
  }
  notes.write();
  write_line(joined("wrote ", printable(settings.export_path)));
  return 0;
}

}  // namespace train
