#include "train/loop/plan.h"

#include "model/model_file.h"

namespace train {

void write_plan(const Plan& plan, Holds holds, model::SafetensorsWriter& writer) {
  for (const PlanSetting& setting : plan_settings)
    if (setting.holds == holds) writer.add_metadata(setting.name, setting.get(plan));
}

void read_plan(const model::Metadata& metadata, Holds holds, Plan& plan) {
  for (const PlanSetting& setting : plan_settings)
    if (setting.holds == holds && metadata.contains(setting.name))
      model::read_setting(setting, metadata, plan);
}

}  // namespace train
