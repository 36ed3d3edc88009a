// The subject of a report: a run as stored in its directory, its model, and its text if that still
// exists.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model_file.h"
#include "train/loop/corpus.h"
#include "train/loop/plan.h"
#include "train/record/record.h"
#include "train/run/kept_model.h"
#include "train/run/run.h"
#include "train/run/verdict.h"
#include "train/system/words.h"

namespace train {

struct ReportedRun : RunDescription {  // step: of the checkpoint
  ReportedRun(const std::string& path, model::LoadedModel model_)
      : directory(path), name(path), model(std::move(model_)) {}

  std::string directory;  // as the user wrote it
  std::string name;       // on the page
  Index model_step = -1;  // the step of the model; -1: it was not evaluated
  KeptLoss kept = {};
  std::vector<LogRow> log;
  std::vector<TimeRow> times;
  std::vector<Sample> samples;
  std::vector<SessionRow> sessions;
  // The command of a new run with one change; empty if the run's command is not known.
  std::function<std::string(const Change&)> next_run = [](const Change&) { return ""; };
  model::LoadedModel model;
  std::optional<Corpus> corpus;  // none: the page leaves out what needs the text
  std::string no_corpus;         // and this is why

  const model::Tokenizer& tokenizer() const { return *model.tokenizer; }
  // The evaluation of the model, the best of the run; none if there was no evaluation yet.
  std::optional<LogRow> best() const;
  // The last known step: an evaluation may be ahead of the checkpoint or behind it.
  Index last_step() const;
};

}  // namespace train
