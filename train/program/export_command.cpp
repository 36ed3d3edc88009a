// gradus export: writes a model, or the tokens of a run's texts, for another program.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/files.h"
#include "model/base/utf8.h"
#include "model/exchange/gguf_model.h"
#include "model/exchange/transformers.h"
#include "train/exchange/open_model.h"
#include "train/exchange/save_tokens.h"
#include "train/program/commands.h"
#include "train/run/run.h"
#include "train/system/files.h"
#include "train/system/new_directory.h"
#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

namespace {

// A run's name, which is its directory's.
std::string name_of(const std::string& model_path) {
  std::string name = last_name(model_path);
  constexpr std::string_view ending = ".safetensors";
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return model::valid_utf8_prefix(name) == name.size() && !name.empty() ? name : "gradus";
}

// The token that ends and begins a text for another program: the tokenizer's, or that of the
// program the model is from. Without one, files of transformers name none; llama.cpp needs one and
// gets the rarest token. `note` gets a line about it.
std::optional<Index> end_token(const model::LoadedModel& model, Format format, std::string& note) {
  if (const std::optional<std::int32_t> end = model.tokenizer->end_of_text()) return *end;
  const Index last = model.tokenizer->vocabulary_size() - 1;
  const std::optional<EndToken> token = read_end_token(model.metadata);
  const Index id = token ? std::clamp<Index>(token->id, 0, last) : last,
              count = token ? token->count : -1;
  if (format == Format::hf && (!token || count >= 0)) return {};
  note = joined("the model has no end-of-text token: other programs stop at token ", id, ", ",
                in_quotes(model.tokenizer->token_bytes(id)),
                count > 0    ? joined(", the rarest of the training text (", counted(count, "time"),
                                      "); ", unbroken("llama-cli --ignore-eos"),
                                      " continues there; training with --document_separator makes "
                                         "an end-of-text token")
                : count == 0 ? ", which does not occur in the training text"
                             : "");
  return id;
}

void export_transformers(model::LoadedModel& model, std::optional<Index> end,
                         const std::string& path) {
  const model::Family family = model::family_of(model.gpt.config);
  const auto files =
      model::transformers_files(model.gpt.config, model::byte_level(*model.tokenizer), end);
  model::SafetensorsWriter writer(model::FileOf::others);
  writer.add_metadata("format", "pt");
  std::deque<model::FileBytes> memory;
  for (const model::StoredTensor& tensor :
       model::foreign_tensors(model.gpt, family, model::Program::transformers))
    writer.add(tensor.name, tensor.shape, model::Dtype::f32,
               model::bytes_of(tensor, model::Dtype::f32, memory));
  NewDirectory directory(path);
  directory.write("model.safetensors", writer.pieces());
  for (const auto& [name, contents] : files) directory.write(name, contents);
  directory.commit();
}

model::Dtype dtype_of(WeightType type) {
  switch (type) {
    case WeightType::float32: return model::Dtype::f32;
    case WeightType::float16: return model::Dtype::f16;
    case WeightType::bfloat16: return model::Dtype::bf16;
    case WeightType::q8_0: return model::Dtype::q8_0;
  }
  return model::Dtype::f32;
}

}  // namespace

int export_command(const Settings& settings, Notes& notes) {
  const ExportSettings& to = settings.exported;
  check_is_free(to.path);
  if (to.format == Format::bin) {
    save_tokens(settings.model_path, to.path, notes);
  } else {
    OpenedModel opened = open_model(settings.model_path);
    model::LoadedModel& model = opened.model;
    std::string note;
    const std::optional<Index> end =
        opening(opened.path, [&] { return end_token(model, to.format, note); });
    if (!note.empty()) notes.add(note);
    if (to.format == Format::hf) {
      export_transformers(model, end, to.path);
    } else {
      const std::string difference = model::difference_to_llama_cpp(model.gpt.config);
      if (!difference.empty()) notes.add(difference);
      model::GgufModel file(model.gpt, model::byte_level(*model.tokenizer), *end,
                            name_of(settings.model_path), dtype_of(to.dtype));
      if (file.fell_back())
        notes.add(
            "matrices are stored as float16 where the length of a row is not a multiple "
            "of 32, the length of q8_0's blocks");
      write_file(to.path, file.pieces());
    }
  }
  notes.write();
  write_line(joined("wrote ", printable(to.path)));
  return 0;
}

}  // namespace train
