// The charts of a report: what a run recorded, as lines over its steps. Several runs share a chart.
#pragma once

#include <span>
#include <string>

#include "train/report/subject.h"

namespace train {

// Each is a <figure>, or empty if nothing of it was recorded.
std::string loss_chart(std::span<const Subject> runs);
// Validation losses over the seconds spent, and over the tokens read: for runs that take more time
// for a step than others, or have larger batches.
std::string loss_by_time_chart(std::span<const Subject> runs);
std::string loss_by_tokens_chart(std::span<const Subject> runs);
std::string learning_rate_chart(std::span<const Subject> runs);
std::string gradient_chart(std::span<const Subject> runs);
std::string weight_norms_chart(const Subject& run);
std::string gradient_norms_chart(const Subject& run);
// Loss against tokens of context: measured with the model, beside the n-grams of the run.
std::string position_chart(const Subject& run);

}  // namespace train
