// Which settings of a command go together: what has no effect, or contradicts another one, is
// refused by the flag's name.

#include <string>
#include <string_view>
#include <utility>

#include "model/base/path.h"
#include "train/cli/settings.h"
#include "train/system/files.h"
#include "train/system/precision.h"

namespace train {
namespace {

template <class... Parts>
void demand(bool condition, const Parts&... parts) {
  if (!condition) throw UsageError(joined(parts...));
}

void check_bfloat16(ProductDtype dtype) {
  if (dtype == ProductDtype::bfloat16)
    demand(missing_for_bfloat16().empty(),
           "--dtype: bfloat16 is not possible here: ", missing_for_bfloat16(),
           "; expected float32 or auto");
}

// Refuses settings that would have no effect. nanoGPT's files may hold a schedule that is off.
void check_effects(const TrainSettings& s) {
  const auto demand_for = [](std::string_view flag, bool was_given, bool has_effect,
                             const auto&... what) {
    demand(!was_given || has_effect, "--", flag, ": is for ", what...);
  };
  Plan plan;
  const Recipe recipe = s.plan_request().recipe;
  take_recipe(recipe, plan);
  if (s.was_given<&Plan::optimizer>()) plan.optimizer = s.optimizer;
  if (s.was_given<&TrainSettings::arch>() || recipe == Recipe::best)
    model::set_architecture(plan, s.arch);
  if (s.was_given<&Plan::position>()) plan.position = s.position;
  demand_for("momentum", s.was_given<&Plan::momentum>(), plan.optimizer == OptimizerKind::muon,
             "--optimizer muon, found ", engine::name_of(plan.optimizer));
  demand_for("rope_theta", s.was_given<&Plan::rope_theta>(),
             plan.position == nn::PositionKind::rope || recipe == Recipe::fine_tuning,
             "--position rope, found ", engine::name_of(plan.position));
  demand_for("eval_tokens", s.was_given<&Plan::eval_tokens>(), s.eval_iters == 0,
             "--eval_iters 0, found ", s.eval_iters);
  const std::pair<std::string_view, bool> schedule[] = {
      {"warmup_iters", s.was_given<&Plan::warmup_iters>()},
      {"lr_schedule", s.was_given<&Plan::lr_schedule>()},
      {"lr_decay_iters", s.was_given<&Plan::lr_decay_iters>()},
      {"min_lr", s.was_given<&Plan::min_lr>()}};
  for (const auto& [flag, was_given] : schedule)
    demand_for(flag, was_given, s.decay_lr || s.is_nanogpt(), "--decay_lr true, found false");
}

void check_together(const TrainSettings& s) {
  const TokenizerRequest request = s.tokenizer_request();
  demand(request.directory.empty() || is_directory(s.tokenizer),
         "--tokenizer: ", in_quotes(s.tokenizer), " is not one of ",
         model::listed(model::choices_of<model::TokenizerKind>),
         ", auto, nor a directory with vocab.json and merges.txt");
  if (s.was_given<&Plan::n_embd>() && s.was_given<&Plan::n_head>() && s.head_dim == 0)
    demand(s.n_embd % s.n_head == 0, "--n_head: ", counted(s.n_embd, "channel"),
           s.n_embd == 1 ? " is" : " are", " not divisible by ", counted(s.n_head, "head"));
  if (s.was_given<&Plan::learning_rate>() && s.was_given<&Plan::min_lr>() && s.decay_lr)
    demand(s.min_lr <= s.learning_rate, "--min_lr: ", s.min_lr, " is above --learning_rate ",
           s.learning_rate);
  if (!s.resumes()) check_effects(s);
  const std::pair<std::string_view, bool> fixed[] = {
      {"tokenizer", s.was_given<&TrainSettings::tokenizer>()},
      {"vocab_size", s.was_given<&Plan::vocab_size>()},
      {"init_std", s.was_given<&Plan::init_std>()},
      {"arch", s.was_given<&TrainSettings::arch>()}};
  for (const auto& [name, was_given] : fixed)
    demand(s.init_from.empty() || !was_given, "--", name,
           ": cannot be given with --init_from, which takes it from the model");
  demand(s.init_from.empty() || !s.resumes(),
         "--init_from: begins a run, --resume continues one; expected one of them");
  check_bfloat16(s.dtype);
  demand(!s.was_given<&Plan::vocab_size>() || request.kind == model::TokenizerKind::bpe ||
             (!request.kind && request.directory.empty()),
         "--vocab_size: is for --tokenizer bpe or auto, found ", s.tokenizer);
  demand(s.val_text.empty() || !s.was_given<&Plan::val_fraction>(),
         "--val_text: replaces --val_fraction; expected one of them");
  demand(s.minutes == 0 || s.resumes() || !s.was_given<&Plan::max_iters>(),
         "--minutes: chooses max_iters, found --max_iters ", s.max_iters, " as well");
  demand(!s.resumes() || !s.force, "--force: replaces a run, --resume continues it; expected one");
  const auto place = [](const std::string& path) {
    return model::without_separators(absolute_path(path));
  };
  demand(!s.resumes() || s.out_dir.empty() || place(s.resume) == place(s.out_dir),
         "--out_dir: a resumed run stays in ", in_quotes(s.resume), ", found ",
         in_quotes(s.out_dir));
}

void check_report(const Settings& settings) {
  const ReportSettings& s = settings.report;
  demand(s.runs.size() <= 1 || settings.prompt.empty(),
         "--prompt: is for the report of one run, found ", s.runs.size(), " runs");
  demand(!s.watch || s.runs.size() == 1, "--watch: is for the report of one run, found ",
         s.runs.size(), " runs");
  demand(!s.watch || settings.prompt != "-",
         "--watch: reads the prompt more than once, so --prompt - cannot be read");
  demand(!s.watch || settings.output != "-",
         "--watch: needs a file that it can rewrite, found --output -");
}

}  // namespace

void check_together(const Settings& s, Command command) {
  if (command == Command::train) check_together(s.train);
  if (command == Command::report) check_report(s);
  check_bfloat16(s.dtype);
  demand(!s.sample.interactive || s.output.empty(),
         "--output: cannot be combined with --interactive, which writes to standard output");
  demand(s.exported.dtype == WeightType::float32 || s.exported.format == Format::gguf,
         "--dtype: is for gguf; ", engine::name_of(s.exported.format),
         s.exported.format == Format::bin ? " holds tokens" : " holds float32");
}

}  // namespace train
