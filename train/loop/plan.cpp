#include "train/loop/plan.h"

namespace train {

void write_plan(const Plan& plan, Holds holds, model::SafetensorsWriter& writer) {
  for (const PlanSetting& setting : plan_settings)
    if (setting.holds == holds) setting.write(plan, writer);
}

void read_plan(const model::Metadata& metadata, Holds holds, Plan& plan) {
  for (const PlanSetting& setting : plan_settings)
    if (setting.holds == holds && metadata.contains(setting.name)) setting.read(plan, metadata);
}

}  // namespace train
