// gradus info: what a model is and how it was trained, for people.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "train/exchange/open_model.h"
#include "train/loop/plan.h"
#include "train/program/commands.h"
#include "train/run/kept_model.h"
#include "train/run/progress.h"
#include "train/run/run.h"
#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

namespace {

// "  layers            4". The value may come from the file, so it is escaped to one line.
std::string line(std::string name, std::string_view value) {
  name.resize(std::max<std::size_t>(name.size(), 16), ' ');
  return joined("  ", name, "  ", printable(value, 10'000), "\n");
}

// Every setting under the name of its flag, with the sizes that 0 stands for.
std::string architecture(const model::Config& config) {
  model::Config shown = config;
  shown.n_kv_head = config.heads().keys;
  shown.head_dim = config.head_size();
  shown.n_inner = config.hidden_size();
  std::string lines = "\nArchitecture\n";
  for (const model::Setting<model::Config>& setting : model::config_settings)
    lines += line(std::string(setting.name), setting.get(shown));
  return lines;
}

// How the parameters are distributed over the parts of the model.
std::string parameters(model::GPT& gpt) {
  Index blocks = 0;
  std::string lines = "\nParameters\n";
  const auto entry = [&](std::string name, std::string_view shape, Index count) {
    std::string number = count_text(count);
    number.insert(0, 15 - std::min<std::size_t>(number.size(), 15), ' ');
    name.resize(std::max<std::size_t>(name.size(), 16), ' ');
    return joined("  ", name, number, shape.empty() ? "" : "  ", shape, "\n");
  };
  const auto size = [](const engine::Tensor& weight) {
    return joined(weight.shape()[0], " x ", weight.shape()[1]);
  };
  const bool tied = !gpt.lm_head.weight;
  lines += entry("tokens", size(gpt.wte.weight) + (tied ? ", also the head" : ""),
                 gpt.wte.weight.size());
  if (gpt.wpe.weight) lines += entry("positions", size(gpt.wpe.weight), gpt.wpe.weight.size());
  for (model::Block& block : gpt.h) blocks += nn::parameter_count(block);
  const Index each = nn::parameter_count(gpt.h.front());
  lines += entry("blocks", joined(gpt.h.size(), " of ", count_text(each)), blocks);
  lines += entry("last norm", "", nn::parameter_count(gpt.ln_f));
  if (!tied) lines += entry("head", size(gpt.lm_head.weight), gpt.lm_head.weight.size());
  return lines + entry("in all", "", nn::parameter_count(gpt));
}

// Kind and size of the tokenizer, and as many of its tokens as fit on a line.
std::string tokenizer_lines(const model::Tokenizer& tokenizer) {
  constexpr std::size_t width = 60;
  std::string some;
  const Index count = tokenizer.vocabulary_size();
  for (Index id = 0; id < count; ++id) {
    const std::string token = in_quotes(tokenizer.token_bytes(id));
    if (some.size() + token.size() > width) {
      some += " ...";
      break;
    }
    some += (id > 0 ? " " : "") + token;
  }
  std::string ends;
  if (const std::optional<std::int32_t> id = tokenizer.end_of_text())
    ends = line("documents end",
                joined("with token ", *id, ", ", in_quotes(tokenizer.token_bytes(*id))));
  return "\nTokenizer\n" + line("kind", engine::name_of(tokenizer.kind())) +
         line("tokens", count_text(count)) + line("from the first", some) + ends;
}

// One line for each of the first few texts.
std::string text_lines(const std::string& name, const std::vector<TextIdentity>& texts) {
  constexpr std::size_t max_shown = 10;
  std::string lines;
  for (std::size_t i = 0; i < std::min(texts.size(), max_shown); ++i) {
    const std::string path = printable(texts[i].path);
    lines += line(i == 0 ? name : "", joined(path.empty() ? "a name that is not UTF-8" : path, ", ",
                                             counted(static_cast<Index>(texts[i].size), "byte")));
  }
  if (texts.size() > max_shown)
    lines += line("", joined("and ", texts.size() - max_shown, " more"));
  return lines;
}

std::string training(const model::Metadata& metadata, const model::Config& config) {
  if (!metadata.contains("step")) return "\nTraining\n  not recorded in this file\n";
  const auto [plan, info, step] = read_description(metadata, config);
  const auto field = [&](std::string_view key) {
    const auto entry = metadata.find(key);
    return entry == metadata.end() ? std::string("?") : entry->second;
  };
  std::string lines = "\nTraining\n";
  lines += text_lines("texts", info.texts);
  lines += info.val_texts.empty()
               ? line("validation", info.validation.empty()
                                        ? "the last " + short_text(100 * plan.val_fraction) + " %"
                                        : printable(info.validation))
               : text_lines("validation", info.val_texts);
  const bool checkpoint = metadata.contains("best_step");
  lines += line("step", checkpoint ? field("step") + " of " + field("max_iters") : field("step"));
  if (checkpoint && metadata.contains("best_val_loss"))
    lines += line("validation loss",
                  fixed_text(model::metadata_value<double>(metadata, "best_val_loss"), 4) +
                      " at best, at step " + field("best_step"));
  else if (const std::optional<KeptLoss> kept = kept_loss(metadata))
    lines += line("validation loss",
                  fixed_text(kept->loss, 4) + " (nats per token" +
                      (kept->measured_on == 0
                           ? ")"
                           : ", measured on " + count_text(kept->measured_on) + " tokens)"));
  std::string ngrams;
  for (const double of_length : info.ngrams.losses) ngrams += fixed_text(of_length, 4) + ' ';
  if (!ngrams.empty())
    lines +=
        line("n-grams of 1, 2, ..", ngrams + "(validation loss; of " + info.ngrams.symbol + "s)");
  for (const PlanSetting& setting : plan_settings)
    if (setting.holds == Holds::for_the_run)
      lines += line(std::string(setting.name), setting.get(plan));
  return lines;
}

}  // namespace

int info_command(const Settings& settings, Notes& notes) {
  OpenedModel opened = open_model(settings.model_path);
  model::GPT& gpt = opened.model.gpt;
  const model::Metadata& metadata = opened.model.metadata;
  const std::string text =
      joined(printable(opened.path), ": a GPT of ", count_text(gpt.config.parameter_count()),
             " parameters, ", fixed_text(static_cast<double>(opened.size) / 1e6, 1), " MB\n",
             architecture(gpt.config), parameters(gpt), tokenizer_lines(*opened.model.tokenizer),
             opening(opened.path, [&] { return training(metadata, gpt.config); }));
  notes.write();
  (void)write_output(text);  // a closed pipe is no error
  return 0;
}

}  // namespace train
