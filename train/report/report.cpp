#include "train/report/report.h"

#include <optional>
#include <utility>
#include <vector>

#include "train/report/data.h"
#include "train/report/template.h"
#include "train/report/text.h"
#include "train/report/thinned.h"
#include "train/system/words.h"

namespace train {
namespace {

// The part of a page for readers without JavaScript: the losses and what the run wrote on the way.
Slots table_of(const ReportedRun& run) {
  constexpr Index most_rows = 200, most_samples = 11;
  Slots slots{{{"name", escaped(run.name)}}, {}};
  std::vector<Slots>&rows = slots.blocks["evaluation"], &samples = slots.blocks["sample"];
  const std::vector<LogRow> all = evaluations(run.log);
  std::vector<double> losses;
  for (const LogRow& row : all) losses.push_back(*row.val_loss);
  for (const Index i : thinned(losses, most_rows).kept) {
    const LogRow& row = engine::at(all, i);
    rows.push_back({{{"step", count_text(row.step)},
                     {"train", fixed_text(*row.train_loss, 4)},
                     {"val", fixed_text(*row.val_loss, 4)}},
                    {}});
  }
  for (const Index i : evenly(std::ssize(run.samples), most_samples)) {
    const Sample& sample = engine::at(run.samples, i);
    samples.push_back(
        {{{"step", count_text(sample.step)}, {"text", escaped(without_blank_head(sample.text))}},
         {}});
  }
  return slots;
}

// Equal for two runs that are validated on the same text.
auto validation_of(const ReportedRun& run) {
  const bool is_apart = !run.info.val_texts.empty();
  return std::pair(is_apart ? run.info.val_texts : run.info.texts,
                   is_apart ? 0 : run.plan.val_fraction);
}

std::string page_of(std::span<const ReportedRun> runs, const std::vector<JsonObject>& data,
                    const std::optional<JsonObject>& comparison, bool watched) {
  std::string names;
  std::vector<Slots> tables;
  for (const ReportedRun& run : runs) {
    names += (names.empty() ? "" : ", ") + run.name;
    tables.push_back(table_of(run));
  }
  const std::string json =
      JsonObject()
          .add("format", 1, "watched", watched, "runs", json_array(data), "comparison", comparison)
          .text();
  return page("gradus: " + names, json, tables, watched);
}

}  // namespace

std::string run_report(const ReportedRun& run, std::span<const std::int32_t> shown,
                       std::span<const std::int32_t> prompt, bool watched) {
  constexpr Index most_samples = 60;
  JsonObject data;
  add_description(data, run);
  add_record(data, run, most_samples);
  add_measures(data, run, shown, prompt);
  return page_of({&run, 1}, {data}, {}, watched);
}

std::string comparison_report(std::span<const ReportedRun> runs) {
  std::vector<JsonObject> data;
  bool same_text = true, same_tokens = true, same_aim = true;
  for (const ReportedRun& run : runs) {
    JsonObject& one = data.emplace_back();
    add_description(one, run);
    add_record(one, run, 1);
    add_no_measures(one);
    same_text = same_text && validation_of(run) == validation_of(runs[0]);
    same_tokens = same_tokens && run.tokenizer().save() == runs[0].tokenizer().save();
    same_aim = same_aim && run.plan.causal == runs[0].plan.causal;
  }
  return page_of(
      runs, data,
      JsonObject().add("same_text", same_text, "same_tokens", same_tokens, "same_aim", same_aim),
      false);
}

}  // namespace train
