// What a run records to be looked at, at each evaluation, in its directory:
//
//     log.csv      step,train_loss,val_loss,learning_rate,gradient_norm,tokens
//     times.csv    step,seconds,utc
//     layers.csv   step,layer,weight_norm,gradient_norm
//     samples.txt  == step 250, 198 bytes ==, then so many bytes of text, and a line feed
//
// gradient_norm is that of the update before the evaluation, before clipping; there is none at step
// 0. tokens: read in training so far. seconds: spent on training so far, over all sessions. Losses
// are in nats per token. Two runs that are equal record the same bytes, except in times.csv.
//
// Columns are found by their names: a run begun before 2026-12 has the first four of log.csv only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/real.h"

namespace train {

using engine::Index;

struct LogRow {
  Index step;
  double train_loss, val_loss, learning_rate;
  std::optional<double> gradient_norm;
  std::optional<Index> tokens;
};
struct TimeRow {
  Index step;
  double seconds;
  std::string utc;  // 2026-11-22T17:40:00Z
};
struct LayerRow {
  Index step;
  std::string layer;  // of layer_norms.h
  double weight_norm;
  std::optional<double> gradient_norm;
};
struct Sample {
  Index step;
  std::string text;
};

inline constexpr std::string_view
    log_header = "step,train_loss,val_loss,learning_rate,gradient_norm,tokens\n",
    times_header = "step,seconds,utc\n", layers_header = "step,layer,weight_norm,gradient_norm\n";

std::string text_of(const LogRow& row);
std::string text_of(const TimeRow& row);
std::string text_of(const LayerRow& row);
std::string text_of(const Sample& sample);

// The inverse: what is in a file, of which a run may be writing the end at this moment, so a last
// line or sample that is not complete is left out. Throws engine::Error, naming the line or byte:
// `line 3: "abc" is not a number`.
std::vector<LogRow> read_log(std::string_view file);
std::vector<TimeRow> read_times(std::string_view file);
std::vector<LayerRow> read_layers(std::string_view file);
std::vector<Sample> read_samples(std::string_view file);

// The bytes of a run's file; empty if there is none.
std::string record_file(const std::string& path);
// What is in it; errors name the file.
template <class Rows>
Rows read_record(const std::string& path, Rows (*read)(std::string_view file)) {
  try {
    return read(record_file(path));
  } catch (const engine::Error& error) {
    engine::fail(engine::printable(path), ": ", error.what());
  }
}

}  // namespace train
