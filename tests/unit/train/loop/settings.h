// Plans of some settings, and the settings of a plan by their names.
#pragma once

#include <sstream>
#include <string>

#include "tests/catch.h"
#include "train/loop/plan.h"

namespace train {

// A plan of a model of these sizes.
inline Plan sized(const model::Config& config, const Schedule& schedule = {}) {
  Plan plan;
  static_cast<model::Config&>(plan) = config;
  static_cast<Schedule&>(plan) = schedule;
  return plan;
}

inline std::string value_of(std::string_view name, const Plan& plan) {
  for (const PlanSetting& setting : plan_settings)
    if (setting.name == name) return setting.get(plan);
  for (const model::Setting<model::Config>& setting : model::config_settings)
    if (setting.name == name) return setting.get(plan);
  return "no such setting";
}

// Compares each of the values in a text such as "n_layer=4 optimizer=muon".
inline void check_settings(const Plan& plan, const std::string& expected) {
  std::istringstream words(expected);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    CHECK(name + '=' + value_of(name, plan) == word);
  }
}

}  // namespace train
