// The parts of a report on one run that are not charts, each as HTML; empty if there is nothing to
// show.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/report/subject.h"

namespace train {

// Its loss in several units, beside n-grams, and what the validation text would shrink to if an
// arithmetic coder were given the model's probabilities. card.cpp
std::string evaluation_card(const Subject& run);

// What the model wrote as it was trained. text_sections.cpp
std::string samples_section(const Subject& run);
// The beginning of the validation text, each token on a background that says how little it was
// expected, with what was expected instead. text_sections.cpp
std::string surprise_section(const Subject& run);

// The maps of all heads, their means and their entropies, for a prompt. attention_section.cpp
std::string attention_section(const Subject& run, std::span<const std::int32_t> prompt);

}  // namespace train
