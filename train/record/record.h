// The record of a run, in its directory:
//
//     log.csv      step,loss,learning_rate,gradient_norm,train_loss,val_loss
//     times.csv    step,seconds,utc
//     samples.txt  == step 250, 198 bytes ==, then 198 bytes of text, and a line feed
//     sessions.jsonl  a line of JSON for each start or resumption of the run
//
// log.csv has a row for each update, or each n-th (RunInfo::record_interval), and for each
// evaluation; times.csv has a row for each of the same steps. step: updates made. loss,
// learning_rate, gradient_norm (before clipping): of the update that led to the step. train_loss,
// val_loss: of an evaluation at the step. Fields without a value are blank. seconds: spent on
// training so far, over all sessions. Losses are in nats per token. Two runs that are equal record
// the same bytes, except in times.csv and sessions.jsonl.
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

// One start or resumption of the run.
struct SessionRow {
  std::string utc = {};  // as TimeRow's
  Index step = 0;        // where it resumed; 0 for a start
  std::string version = {};
  int processes = 1;
  Index threads = 1;                      // of each process
  double gflops = 0;                      // the peak of all of them together
  std::string dtype = {};                 // of matrix products
  double minutes = 0;                     // --minutes; 0: without it
  std::vector<std::string> command = {};  // its words, the program's first
};

inline constexpr std::string_view log_header =
                                      "step,loss,learning_rate,gradient_norm,train_loss,val_loss\n",
                                  times_header = "step,seconds,utc\n";

// The rows of evaluations: with both losses.
std::vector<LogRow> evaluations(std::span<const LogRow> log);

std::string text_of(const LogRow& row);
std::string text_of(const TimeRow& row);
std::string text_of(const Sample& sample);
std::string text_of(const SessionRow& row);
// The same for people: one line with time and machine, one with the command.
std::string description(const SessionRow& row);
// The command, quoted for a shell.
std::string command_line(std::span<const std::string> words, int processes);

// The inverse. A run may be writing to the file at this moment, so an incomplete last line or
// sample is left out. Throws Error, naming the line or byte: `line 3: "abc" is not a number`.
std::vector<LogRow> read_log(std::string_view file);
std::vector<TimeRow> read_times(std::string_view file);
std::vector<Sample> read_samples(std::string_view file);
std::vector<SessionRow> read_sessions(std::string_view file);

// The bytes of a run's file; empty if there is none.
std::string record_file(const std::string& path);
// The rows in it; errors name the file.
template <class Rows>
Rows read_record(const std::string& path, Rows (*read)(std::string_view file)) {
  const std::string file = record_file(path);
  return model::within([&] { return read(file); }, printable(path));
}

// The first row of sessions.jsonl; a row without a command if it does not read.
SessionRow first_session(const std::string& path);

}  // namespace train
