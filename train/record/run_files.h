// A run's directory: the best model so far, the checkpoint to continue from, and what is recorded to
// be looked at (train/record/record.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace train {

struct RunFiles {
  explicit RunFiles(const std::string& directory_)
      : directory(directory_),
        model(directory_ + "/model.safetensors"),
        checkpoint(directory_ + "/checkpoint.safetensors"),
        log(directory_ + "/log.csv"),
        times(directory_ + "/times.csv"),
        samples(directory_ + "/samples.txt"),
        sessions(directory_ + "/sessions.txt"),
        report(directory_ + "/report.html") {}
  std::string directory, model, checkpoint, log, times, samples, sessions;
  std::string report;  // of gradus report; not made by training

  // What training writes.
  std::array<std::string, 6> all() const {
    return {checkpoint, model, log, times, samples, sessions};
  }
};

// In the head of every page of gradus report: only such a page is replaced without being asked.
inline constexpr std::string_view page_mark = R"(<meta name="generator" content="gradus">)";

}  // namespace train
