// The data of a page about a run, as JSON; README.md lists the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/json_writer.h"
#include "train/report/reported_run.h"

namespace train {

using model::json_array;
using model::JsonObject;
using model::JsonText;

// A text from outside; a measured number with eight significant digits.
JsonText json_text(std::string_view text);
JsonText json_number(std::optional<double> value);
JsonText json_numbers(const std::vector<double>& values);
// [value, value, ...], of different types.
template <class... Values>
JsonText json_list(const Values&... values) {
  std::string json;
  ((json += (json.empty() ? "[" : ",") + model::json_of(values)), ...);
  return {json + "]"};
}

// Each adds its keys to a run's object. What the run is and its result: run_data.cpp.
void add_description(JsonObject& data, const ReportedRun& run);
// What it recorded, with at most `most_samples` of its samples: record_data.cpp.
void add_record(JsonObject& data, const ReportedRun& run, Index most_samples);
// What its model does, after the prompt or by itself; `shown`: as of run_report. model_data.cpp.
void add_measures(JsonObject& data, const ReportedRun& run, std::span<const std::int32_t> shown,
                  std::span<const std::int32_t> prompt);
void add_no_measures(JsonObject& data);  // the same keys

// The attention weights between the shown tokens; nothing for fewer than two tokens: attention.cpp.
std::optional<JsonObject> attention_of(const ReportedRun& run, std::span<const std::int32_t> shown);
// weights (n, n) of a head -> a row's weights with spaces between them, the rows with semicolons:
// four digits after the point, without zeros at either end, .25; of a causal model without those
// above the diagonal.
std::string weights_text(std::span<const engine::real> weights, Index n, bool causal);
// How many tokens the attention maps show. Their weights in all heads take at most 150 kB: 40
// tokens or fewer, but at least two.
Index tokens_on_maps(Index heads, bool causal);

}  // namespace train
