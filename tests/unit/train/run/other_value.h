// Another value of a setting than its owner has: a plan, or the settings of a command.
#pragma once

#include <string>

namespace train {

std::string other_value(const auto& setting, const auto& owner) {
  const std::string now = setting.get(owner), list(setting.value);
  if (const std::size_t bar = list.find('|'); bar != list.npos)
    return list.starts_with(now + '|') ? list.substr(bar + 1, list.find('|', bar + 1) - bar - 1)
                                       : list.substr(0, bar);
  return setting.range.open_max || setting.range.open_min || now.find('.') != now.npos ? "0.25"
         : now == "2"                                                                  ? "4"
                                                                                       : "2";
}

}  // namespace train
