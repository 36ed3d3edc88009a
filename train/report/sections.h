// The parts of a report, each as HTML; empty if there is nothing to show.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/report/reported_run.h"

namespace train {

// Charts of what a run recorded, as lines over its steps: curves.cpp. Those of several runs have a
// line for each.
std::string loss_chart(const ReportedRun& run);  // of each update too, beside the best n-grams
// Validation losses over steps, seconds and tokens read: runs may take more time for a step than others,
// or have larger batches. per_byte: in bits per byte, for runs with different tokens.
std::string losses_charts(std::span<const ReportedRun> runs, bool per_byte);
std::string learning_rate_chart(std::span<const ReportedRun> runs);
std::string gradient_chart(std::span<const ReportedRun> runs);
std::string speed_chart(const ReportedRun& run);
// Loss against tokens of context: measured with the model, beside the n-grams of the run.
std::string position_chart(const ReportedRun& run);

// Its loss in several units, beside n-grams, and what the validation text would shrink to if an
// arithmetic coder were given the model's probabilities: card.cpp.
std::string evaluation_card(const ReportedRun& run);

// What the kept model writes, after the prompt or by itself, and what it wrote as it was trained:
// text_sections.cpp.
std::string samples_section(const ReportedRun& run, std::span<const std::int32_t> prompt);
// The beginning of the validation text, each token on a background that says how little it was
// expected, with what was expected instead: text_sections.cpp.
std::string surprise_section(const ReportedRun& run);

// The maps of all heads for a prompt, a row for each layer: attention.cpp.
std::string attention_section(const ReportedRun& run, std::span<const std::int32_t> prompt);

}  // namespace train
