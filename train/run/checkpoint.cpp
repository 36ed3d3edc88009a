#include "train/run/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "model/format/fields.h"
#include "train/run/baselines.h"

namespace train {

using engine::check;
using model::field_text;
using model::metadata_text;
using model::metadata_value;
using model::SafetensorsWriter;

namespace {

// `kind`s, how many there are, and kind.0.path, kind.0.size, kind.0.hash, ...
void add_texts(SafetensorsWriter& writer, const std::string& kind,
               const std::vector<TextIdentity>& texts) {
  writer.add_metadata(kind + "s", field_text(static_cast<Index>(texts.size())));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextIdentity& text = texts[i];
    const std::string key = engine::text(kind, ".", i, ".");
    const bool storable = model::valid_utf8_prefix(text.path) == text.path.size();
    writer.add_metadata(key + "path", storable ? text.path : "");
    writer.add_metadata(key + "size", field_text(text.size));
    writer.add_metadata(key + "hash", field_text(text.hash));
  }
}

void describe_run(SafetensorsWriter& writer, const Plan& plan, const RunFacts& facts) {
  model::add_fields(writer, plan);
  add_texts(writer, "text", facts.texts);
  add_texts(writer, "val_text", facts.val_texts);
  for (const auto& [key, value] : facts.notes)
    writer.add_metadata(std::string(note_prefix) + key, value);
}

RunFacts read_facts(const model::Metadata& metadata) {
  RunFacts facts{stored_texts(metadata, "text"), stored_texts(metadata, "val_text"), {}};
  for (const auto& [key, value] : metadata)
    if (key.starts_with(note_prefix)) facts.notes.emplace(key.substr(note_prefix.size()), value);
  return facts;
}

std::string join(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    if (!text.empty()) text += ' ';
    text += field_text(number);
  }
  return text;
}

std::vector<std::int64_t> split(std::string_view key, std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    Index number = 0;
    model::parse_field(key, std::string(text.substr(0, end)), number);
    numbers.push_back(number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

// The part of the optimiser's flat memory that belongs to a parameter.
std::span<engine::real> moment(engine::real* memory, const nn::FlatParameters::Entry& entry) {
  return {memory + entry.offset, static_cast<std::size_t>(entry.tensor.size())};
}

}  // namespace

std::vector<TextIdentity> stored_texts(const model::Metadata& metadata, const std::string& kind) {
  std::vector<TextIdentity> texts;
  const Index count = metadata_value<Index>(metadata, kind + "s");
  for (Index i = 0; i < count; ++i) {
    const std::string key = engine::text(kind, ".", i, ".");
    texts.push_back({metadata_text(metadata, key + "path"),
                     metadata_value<std::uint64_t>(metadata, key + "size"),
                     metadata_value<std::uint64_t>(metadata, key + "hash")});
  }
  return texts;
}

SafetensorsWriter model_file(model::GPT& gpt, const model::Tokenizer& tokenizer, const Plan& plan,
                             const RunFacts& facts, Index step, double val_loss) {
  SafetensorsWriter writer;
  model::describe_model(writer, gpt, tokenizer);
  describe_run(writer, plan, facts);
  writer.add_metadata("step", field_text(step));
  writer.add_metadata("val_loss", field_text(val_loss));
  return writer;
}

SafetensorsWriter checkpoint_file(model::GPT& gpt, const model::Tokenizer& tokenizer,
                                  const Plan& plan, const RunFacts& facts, Trainer& trainer,
                                  Index log_bytes, Closing* closing) {
  SafetensorsWriter writer;
  model::describe_model(writer, gpt, tokenizer);
  describe_run(writer, plan, facts);
  model::add_fields<Pace>(writer, plan);
  const Trainer::State& state = trainer.state();
  writer.add_metadata("step", field_text(state.step));
  writer.add_metadata("generator", state.generator.state());
  writer.add_metadata("dropout_generator", state.dropout.state());
  writer.add_metadata("next_batch", join(state.starts));
  writer.add_metadata("best_step", field_text(state.best_step));
  if (std::isfinite(state.best_val_loss))
    writer.add_metadata("best_val_loss", field_text(state.best_val_loss));
  writer.add_metadata("log_bytes", field_text(log_bytes));
  AdamW& optimiser = trainer.optimiser();
  for (const auto& entry : trainer.parameters().entries()) {
    const auto sizes = entry.tensor.shape().sizes();
    const std::vector<Index> shape(sizes.begin(), sizes.end());
    const auto add = [&](std::string_view prefix, engine::real* memory) {
      writer.add(std::string(prefix) + entry.name, shape, moment(memory, entry));
    };
    add(moment_prefixes[0], optimiser.first_moment());
    add(moment_prefixes[1], optimiser.second_moment());
  }
  if (closing != nullptr) {
    writer.add_metadata("closing_val_loss", field_text(closing->val_loss));
    if (closing->earlier_best) model::add_weights(writer, best_prefix, *closing->earlier_best);
  }
  return writer;
}

Checkpoint read_checkpoint(const model::SafetensorsFile& file) {
  const model::Metadata& metadata = file.metadata();
  Plan plan;
  model::read_fields(metadata, plan);
  model::read_fields<Pace>(metadata, plan);
  plan.validate();
  Trainer::State state{.step = metadata_value<Index>(metadata, "step"),
                       .generator = engine::Generator(plan.seed),
                       .dropout = engine::Generator(plan.seed),
                       .starts = split("next_batch", metadata_text(metadata, "next_batch"))};
  state.generator.set_state(metadata_text(metadata, "generator"));
  state.dropout.set_state(metadata_text(metadata, "dropout_generator"));
  state.best_step = metadata_value<Index>(metadata, "best_step");
  if (metadata.contains("best_val_loss"))
    state.best_val_loss = metadata_value<double>(metadata, "best_val_loss");
  check(static_cast<Index>(state.starts.size()) == plan.batch_size,
        "metadata \"next_batch\": ", state.starts.size(), " positions for batch_size ",
        plan.batch_size);
  model::LoadedModel model = model::load_model(file, other_prefixes);
  plan.model = model.gpt.config;
  std::optional<Closing> closing;
  if (metadata.contains("closing_val_loss")) {
    closing = Closing{metadata_value<double>(metadata, "closing_val_loss"), std::nullopt};
    if (state.best_step > 0 && std::ranges::any_of(file.tensors(), [](const model::TensorEntry& t) {
          return t.name.starts_with(best_prefix);
        })) {
      closing->earlier_best.emplace(plan.model);
      model::read_weights(file, best_prefix, *closing->earlier_best);
    }
  }
  (void)noted_ngrams(metadata);  // an error unless they are numbers
  return {std::move(model.gpt),
          std::move(model.tokenizer),
          plan,
          read_facts(metadata),
          std::move(state),
          metadata_value<Index>(metadata, "log_bytes"),
          std::move(closing)};
}

void read_moments(const model::SafetensorsFile& file, Trainer& trainer) {
  AdamW& optimiser = trainer.optimiser();
  for (const auto& entry : trainer.parameters().entries()) {
    const auto read = [&](std::string_view prefix, engine::real* memory) {
      const std::string name = std::string(prefix) + entry.name;
      const model::TensorEntry* const stored = file.find(name);
      check(stored != nullptr, "tensor \"", name, "\" is missing");
      check(std::ranges::equal(stored->shape, entry.tensor.shape().sizes()), "tensor \"", name,
            "\" has shape ", model::shape_text(stored->shape), " but the parameter ",
            entry.tensor.shape());
      model::copy_values(*stored, moment(memory, entry));
    };
    read(moment_prefixes[0], optimiser.first_moment());
    read(moment_prefixes[1], optimiser.second_moment());
    for (const engine::real square : moment(optimiser.second_moment(), entry))
      if (square < 0)
        engine::fail("tensor \"", moment_prefixes[1], entry.name, "\": ", square,
                     " is negative, expected a mean of squares");
  }
  optimiser.set_steps(trainer.state().step);
}

}  // namespace train
