#include "train/run/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace train {

using model::metadata_text;
using model::metadata_value;
using model::SafetensorsWriter;
using model::value_text;

namespace {

constexpr std::string_view version_key = "format_version";

void describe_run(SafetensorsWriter& writer, Run& run, Paths paths) {
  model::add_model(writer, run.gpt, *run.tokenizer);
  write_plan(run.plan, Holds::for_the_run, writer);
  write_info(run.info, paths, writer);
  writer.add_metadata("step", value_text(run.step));
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    if (!text.empty()) text += ' ';
    text += value_text(number);
  }
  return text;
}

std::vector<std::int64_t> read_numbers(std::string_view key, std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    numbers.push_back(model::parse_field<Index>(key, text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

// Calls visit(name, shape, values) for all state that belongs to each weight.
template <class Visit>
void for_each_state(Run& run, Visit visit) {
  for (std::size_t i = 0; i < run.parameters.entries().size(); ++i) {
    const auto& entry = run.parameters.entries()[i];
    const auto see = [&](std::string_view prefix, engine::real* values) {
      if (values != nullptr)
        visit(std::string(prefix) + entry.name, entry.tensor.shape(),
              std::span(values, static_cast<std::size_t>(entry.tensor.size())));
    };
    see(first_moment, run.optimizer.moments()[i].first);
    see(second_moment, run.optimizer.moments()[i].second);
  }
}

void read_state(const model::SafetensorsFile& file, const std::string& name,
                const engine::Shape& shape, std::span<engine::real> values) {
  const model::TensorEntry* const stored = file.find(name);
  check(stored != nullptr, "tensor \"", name, "\" is missing");
  check(std::ranges::equal(stored->shape, shape.sizes()), "tensor \"", name, "\" has shape ",
        model::shape_text(stored->shape), " but the parameter ", shape);
  model::copy_values(*stored, values);
  if (!name.starts_with(second_moment)) return;
  const auto negative = std::ranges::find_if(values, [](engine::real v) { return v < 0; });
  if (negative != values.end())
    fail("tensor \"", name, "\": ", *negative, " is negative, expected a mean of squares");
}

}  // namespace

SafetensorsWriter model_file(Run& run, std::optional<double> val_loss) {
  SafetensorsWriter writer;
  describe_run(writer, run, Paths::names);
  if (val_loss) writer.add_metadata("val_loss", value_text(*val_loss));
  return writer;
}

SafetensorsWriter checkpoint_file(Run& run) {
  SafetensorsWriter writer;
  describe_run(writer, run, Paths::absolute);
  writer.add_metadata(version_key, value_text(format_version));
  write_plan(run.plan, Holds::until_resumed, writer);
  writer.add_metadata("generator", run.generator.state());
  writer.add_metadata("next_batch", numbers_text(run.next_batch));
  if (run.evaluated_step >= 0)
    writer.add_metadata("evaluated_step", value_text(run.evaluated_step));
  writer.add_metadata("best_step", value_text(run.best_step));
  if (std::isfinite(run.best_val_loss))
    writer.add_metadata("best_val_loss", value_text(run.best_val_loss));
  if (run.since_evaluation.count > 0) {
    writer.add_metadata("losses", value_text(run.since_evaluation.count));
    writer.add_metadata("sum_of_losses", value_text(run.since_evaluation.sum));
  }
  for_each_state(run, [&](const std::string& name, const engine::Shape& shape,
                          std::span<const engine::real> values) {
    writer.add(name, {shape.sizes().begin(), shape.sizes().end()}, values);
  });
  return writer;
}

void check_format(const model::Metadata& metadata, std::string_view directory) {
  const bool same = metadata.contains(version_key) &&
                    metadata_text(metadata, version_key) == value_text(format_version);
  check(same,
        metadata.contains("best_step")
            ? "a run of another version of gradus, which updates weights in another way"
            : "a model alone, without the optimizer's state that a run needs to continue",
        "; to start a new run from its model: gradus train TEXT --init_from ",
        shell_quoted(directory));
}

Run read_checkpoint(const model::SafetensorsFile& file) {
  const model::Metadata& metadata = file.metadata();
  model::LoadedModel model = model::load_model(file, state_prefixes);
  RunDescription described = read_description(metadata, model.gpt.config);
  const Plan& plan = described.plan;
  Run run(Training(plan, std::move(model.gpt)), std::move(model.tokenizer),
          std::move(described.info));
  run.step = described.step;
  run.begins_with_a_model = !run.info.init_from.empty();
  run.generator.set_state(metadata_text(metadata, "generator"));
  run.next_batch = read_numbers("next_batch", metadata_text(metadata, "next_batch"));
  check(std::ssize(run.next_batch) == plan.batch_size,
        "metadata \"next_batch\": ", run.next_batch.size(), " positions for batch_size ",
        plan.batch_size);
  if (metadata.contains("evaluated_step"))
    run.evaluated_step = metadata_value<Index>(metadata, "evaluated_step");
  run.best_step = metadata_value<Index>(metadata, "best_step");
  if (metadata.contains("best_val_loss"))
    run.best_val_loss = metadata_value<double>(metadata, "best_val_loss");
  if (metadata.contains("losses"))
    run.since_evaluation = {metadata_value<double>(metadata, "sum_of_losses"),
                            metadata_value<Index>(metadata, "losses")};
  for_each_state(run,
                 [&](const std::string& name, const engine::Shape& shape,
                     std::span<engine::real> values) { read_state(file, name, shape, values); });
  run.optimizer.set_steps(run.step);
  return run;
}

}  // namespace train
