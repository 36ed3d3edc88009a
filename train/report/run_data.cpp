#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/number.h"
#include "train/loop/text_units.h"
#include "train/report/data.h"
#include "train/report/text.h"
#include "train/run/verdict.h"
#include "train/system/files.h"
#include "train/system/words.h"

namespace train {

std::optional<LogRow> ReportedRun::best() const {
  const std::vector<LogRow> rows = evaluations(log);
  const auto row = std::ranges::find(rows, model_step, &LogRow::step);
  return row == rows.end() ? std::optional<LogRow>() : *row;
}

Index ReportedRun::last_step() const {
  return log.empty() ? step : std::max(step, log.back().step);
}

JsonText json_text(std::string_view text) { return {model::json_string(clean(text))}; }
// More digits than the page shows, so that it rounds as gradus eval does.
JsonText json_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {"null"};
  return {engine::number_text(*value, 8)};
}
JsonText json_numbers(const std::vector<double>& values) {
  return json_array(values, [](double value) { return json_number(value); });
}

namespace {

JsonText number_if(bool known, double value) {
  return known ? json_number(value) : JsonText{"null"};
}

std::string names_of(const std::vector<TextIdentity>& texts) {
  constexpr std::size_t most = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) {
    const std::string& path = texts[i].path;
    const std::string name = path.substr(last_separator(path) + 1);
    names += (i > 0 ? ", " : "") + (name.empty() ? std::string("a text") : name);
  }
  return texts.size() > most ? joined(names, " and ", texts.size() - most, " more") : names;
}

// The text that the run is validated on.
std::string validation_name(const ReportedRun& run) {
  if (!run.info.val_texts.empty()) return names_of(run.info.val_texts);
  if (!run.info.validation.empty()) return run.info.validation;
  return joined("the last ", short_text(100 * run.plan.val_fraction), " % of ",
                names_of(run.info.texts));
}

// The name under which --arch has these settings; empty: they are a mixture.
std::string architecture_of(const model::Config& config) {
  for (const model::Family family :
       {model::Family::gpt2, model::Family::llama, model::Family::qwen3})
    if (model::Config same = config; set_architecture(same, family), same == config)
      return std::string(engine::name_of(family));
  return "";
}

// [name, value] of everything that decides the run, with the sizes that 0 stands for.
std::vector<JsonText> settings_of(const ReportedRun& run) {
  Plan plan = run.plan;
  plan.n_kv_head = plan.heads().keys;
  plan.head_dim = plan.head_size();
  plan.n_inner = plan.hidden_size();
  std::vector<JsonText> rows;
  const auto add = [&](std::string_view name, std::string_view value) {
    rows.push_back(json_list(name, json_text(value)));
  };
  add("text", names_of(run.info.texts));
  add("validation text", validation_name(run));
  add("init_from", run.info.init_from.empty() ? "none" : last_name(run.info.init_from));
  add("tokenizer", engine::name_of(run.tokenizer().kind()));
  add("arch", architecture_of(run.plan));
  for (const model::Setting<model::Config>& setting : model::config_settings)
    add(setting.name, setting.get(plan));
  for (const PlanSetting& setting : plan_settings) add(setting.name, setting.get(plan));
  return rows;
}

JsonObject model_of(const ReportedRun& run) {
  const Plan& plan = run.plan;
  return JsonObject().add("layers", plan.n_layer, "heads", plan.n_head, "channels", plan.n_embd,
                          "parameters", plan.parameter_count(), "context", plan.block_size,
                          "tokenizer", engine::name_of(run.tokenizer().kind()), "vocabulary",
                          plan.vocab_size, "causal", plan.causal);
}

// The bytes of the validation text, at `each` bytes a token; none if the text is gone.
std::optional<Index> bytes_of(const ReportedRun& run, double each) {
  if (!run.corpus) return {};
  return std::llround(each * static_cast<double>(run.corpus->size(Split::validation)));
}

TextUnits units_of(const ReportedRun& run) {
  return run.corpus ? run.corpus->units() : TextUnits();
}

JsonObject text_of(const ReportedRun& run) {
  const TextUnits units = units_of(run);
  const auto tokens = [&](Split split) {
    return run.corpus ? std::optional(run.corpus->size(split)) : std::nullopt;
  };
  return JsonObject().add("train", json_text(names_of(run.info.texts)), "validation",
                          json_text(validation_name(run)), "train_tokens", tokens(Split::train),
                          "validation_tokens", tokens(Split::validation), "bytes_per_token",
                          number_if(run.corpus.has_value(), units.bytes_per_token),
                          "characters_per_token",
                          number_if(units.characters_per_token > 0, units.characters_per_token));
}

// A loss in all units, and the size in bytes of the validation text coded by an entropy coder with
// these probabilities.
JsonObject card_row(const ReportedRun& run, const std::string& name, double loss,
                    bool predicts = true, bool decodable = true) {
  const TextUnits units = units_of(run);
  const double bits = units.bits_per_byte(loss);
  return JsonObject().add(
      "name", name, "loss", number_if(predicts, loss), "perplexity",
      number_if(predicts, std::exp(loss)), "bits_per_character",
      number_if(units.characters_per_token > 0, units.bits_per_character(loss)), "bits_per_byte",
      number_if(run.corpus.has_value(), bits), "bytes",
      decodable ? bytes_of(run, bits * units.bytes_per_token / 8) : std::nullopt);
}

// The model's loss beside those of n-grams and of the uncoded text, at eight bits a byte. A coder
// cannot use a model that sees the tokens that it predicts.
std::vector<JsonObject> card_of(const ReportedRun& run) {
  if (!run.best()) return {};
  std::vector<JsonObject> rows{card_row(run, "this model", run.kept.loss, true, run.plan.causal)};
  for (const double loss : run.info.ngrams.losses)
    rows.push_back(card_row(run, joined(rows.size(), "-gram"), loss));
  if (run.corpus)
    rows.push_back(card_row(run, "the text as it is",
                            8 * std::numbers::ln2 * units_of(run).bytes_per_token, false));
  return rows;
}

// How long a new run would take at the speed of this one, if known.
std::optional<double> expected_seconds(const ReportedRun& run, const Change& change) {
  if (change.name.empty() || change.name == "minutes" || run.times.size() < 2) return {};
  Plan plan = run.plan;
  const auto take = [&](const auto& setting) {
    if (setting.name == change.name) setting.set(plan, change.value, change.name);
  };
  for (const auto& setting : model::config_settings) take(setting);
  for (const PlanSetting& setting : plan_settings) take(setting);
  const TimeRow &first = run.times.front(), &last = run.times.back();
  const double updates =
      static_cast<double>(plan.max_iters) * plan.update_flops() / run.plan.update_flops();
  return updates * (last.seconds - first.seconds) / static_cast<double>(last.step - first.step);
}

// The verdict and what to try, as gradus train prints them; none if the run is not finished.
// `overfits` only if the validation loss has risen by at least a hundredth.
std::optional<JsonObject> verdict_of(const ReportedRun& run) {
  const std::optional<LogRow> best = run.best();
  if (!best || run.last_step() < run.plan.max_iters) return {};
  const std::vector<LogRow> rows = evaluations(run.log);
  const LogRow& last = rows.back();
  const Verdict outcome =
      verdict(run.plan, run.corpus ? run.info.ngrams : Ngrams(), run.kept.loss, *best, rows,
              units_of(run), run.sessions.empty() ? 0 : run.sessions[0].minutes);
  const bool changes = !outcome.change.name.empty(),
             has_risen = best->step > 0 && *last.val_loss > 1.01 * *best->val_loss;
  return JsonObject().add("text", json_text(outcome.text()), "command",
                          json_text(changes ? run.next_run(outcome.change) : ""), "seconds",
                          json_number(expected_seconds(run, outcome.change)), "overfits",
                          has_risen && overfits(*best, last));
}

void add_results(JsonObject& data, const ReportedRun& run) {
  std::optional<JsonObject> result, estimated;
  if (const std::optional<LogRow> best = run.best())
    result = JsonObject().add("step", best->step, "loss", json_number(run.kept.loss), "train",
                              json_number(best->train_loss), "val", json_number(best->val_loss),
                              "measured_on", run.kept.measured_on);
  if (run.corpus && estimates_loss(run.plan, *run.corpus))
    estimated = JsonObject().add("batches", run.plan.eval_iters);
  const Ngrams& ngrams = run.info.ngrams;
  data.add("best", result, "estimated", estimated, "ngrams",
           JsonObject().add("symbol", ngrams.symbol, "losses", json_numbers(ngrams.losses)), "card",
           json_array(card_of(run)), "verdict", verdict_of(run));
}

}  // namespace

void add_description(JsonObject& data, const ReportedRun& run) {
  const Plan& plan = run.plan;
  const bool timed = !run.times.empty(), is_over = run.last_step() >= plan.max_iters;
  data.add("name", json_text(run.name), "model", model_of(run), "text", text_of(run), "missing",
           json_text(run.no_corpus), "step", run.last_step(), "max_iters", plan.max_iters,
           "seconds", number_if(timed, timed ? run.times.back().seconds : 0), "from_the_start",
           timed && run.times.front().step == 0, "tokens_per_update",
           plan.sequences_per_update() * plan.block_size, "flops_per_update",
           json_number(plan.update_flops()), "grad_clip", json_number(plan.grad_clip), "resume",
           json_text(is_over ? "" : "gradus train --resume " + shell_quoted(run.directory)));
  add_results(data, run);
  data.add(
      "settings", json_array(settings_of(run)), "sessions",
      json_array(run.sessions, [](const SessionRow& row) { return json_text(description(row)); }));
}

}  // namespace train
