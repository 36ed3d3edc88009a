// A run's directory: the best model so far, the checkpoint to continue from, and the record
// (train/record/record.h).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "model/base/directories.h"
#include "train/system/words.h"

namespace train {

struct RunFiles {
  explicit RunFiles(const std::string& directory_, const model::DirectoryLock* lock_ = nullptr)
      : lock(lock_),
        directory(directory_),
        model(inside(directory_, "model.safetensors")),
        checkpoint(inside(directory_, "checkpoint.safetensors")),
        log(inside(directory_, "log.csv")),
        times(inside(directory_, "times.csv")),
        samples(inside(directory_, "samples.txt")),
        sessions(inside(directory_, "sessions.jsonl")),
        report(inside(directory_, "report.html")) {}
  const model::DirectoryLock* lock;  // if there is one, write() writes only in its directory
  std::string directory, model, checkpoint, log, times, samples, sessions;
  std::string report;  // by gradus report, not by training

  // The directory, open, if there is a lock.
  const model::Descriptor* open() const { return lock ? &lock->directory() : nullptr; }
  // One of them, by write_file of model/base/files.h.
  void write(const std::string& path, std::span<const std::string_view> pieces,
             const std::string& like = {}) const {
    write_file(path, pieces, like, open());
  }
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
