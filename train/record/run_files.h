// A run's directory: the best model so far, the checkpoint to continue from, and the record
// (train/record/record.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "train/system/files.h"
#include "train/system/words.h"

namespace train {

struct RunFiles {
  explicit RunFiles(const std::string& directory_)
      : directory(directory_),
        model(inside(directory_, "model.safetensors")),
        checkpoint(inside(directory_, "checkpoint.safetensors")),
        log(inside(directory_, "log.csv")),
        times(inside(directory_, "times.csv")),
        samples(inside(directory_, "samples.txt")),
        sessions(inside(directory_, "sessions.jsonl")),
        report(inside(directory_, "report.html")) {}
  std::string directory, model, checkpoint, log, times, samples, sessions;
  std::string report;  // by gradus report, not by training

  // What training writes.
  std::array<std::string, 6> all() const {
    return {checkpoint, model, log, times, samples, sessions};
  }
  // With the page.
  std::array<std::string, 7> with_report() const {
    return {checkpoint, model, log, times, samples, sessions, report};
  }
};

// In the head of every page of gradus report: only such a page is replaced without --force.
inline constexpr std::string_view page_mark = R"(<meta name="generator" content="gradus">)";

}  // namespace train
