// What a run records to be looked at, in its directory:
//
//     log.csv      step,loss,learning_rate,gradient_norm,train_loss,val_loss
//     times.csv    step,seconds,utc
//     samples.txt  == step 250, 198 bytes ==, then so many bytes of text, and a line feed
//     sessions.txt two lines for each time that the run began or went on: when and where; the command
//
// log.csv has a row for each update, or each n-th (RunInfo::record_interval), and for each evaluation;
// times.csv has one for the same steps. step: updates made. loss, learning_rate, gradient_norm (before
// clipping): of the update that led to the step. train_loss, val_loss: of an evaluation there. What a
// row does not have is blank. seconds: spent on training so far, over all sessions. Losses are in nats
// per token. Two runs that are equal record the same bytes, except in times.csv and sessions.txt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/real.h"
#include "model/base/files.h"
#include "train/system/words.h"

namespace train {

struct LogRow {
  Index step;
  std::optional<double> loss, learning_rate, gradient_norm, train_loss = {}, val_loss = {};
};
struct TimeRow {
  Index step;
  double seconds;
  std::string utc;  // 2026-11-22T17:40:00Z
};
struct Sample {
  Index step;
  std::string text;
};

inline constexpr std::string_view log_header =
                                      "step,loss,learning_rate,gradient_norm,train_loss,val_loss\n",
                                  times_header = "step,seconds,utc\n";

inline constexpr std::string_view command_mark = "\n    ";  // before the second line of a session

inline constexpr std::string_view sample_begin = "== step ";

// The rows of evaluations: with both losses.
std::vector<LogRow> evaluations(std::span<const LogRow> log);

std::string text_of(const LogRow& row);
std::string text_of(const TimeRow& row);
std::string text_of(const Sample& sample);

// The inverse: what is in a file, of which a run may be writing the end at this moment, so a last
// line or sample that is not complete is left out. Throws Error, naming the line or byte:
// `line 3: "abc" is not a number`.
std::vector<LogRow> read_log(std::string_view file);
std::vector<TimeRow> read_times(std::string_view file);
std::vector<Sample> read_samples(std::string_view file);

// The bytes of a run's file; empty if there is none.
std::string record_file(const std::string& path);
// What is in it; errors name the file.
template <class Rows>
Rows read_record(const std::string& path, Rows (*read)(std::string_view file)) {
  const std::string file = record_file(path);
  return model::within([&] { return read(file); }, printable(path));
}

// The command line that the run began with, from its sessions.txt; empty if there is none.
std::string first_command(std::string_view sessions);

}  // namespace train
