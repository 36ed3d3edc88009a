// The members of another program's config.json. None is overlooked: a key that is not asked for,
// and is not known to be harmless, could change what the model computes, and is refused.
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "engine/base/index.h"
#include "model/format/json.h"

namespace model {

// Of config.json, or of an object in it; null counts as absent. Throws Error.
class ConfigMembers {
 public:
  explicit ConfigMembers(Json::Value root) : root_(root) {}

  std::optional<Json::Value> find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key).has_value(); }
  Json::Value at(std::string_view key) const;
  std::string_view text(std::string_view key) const { return at(key).string(); }
  engine::Index integer(std::string_view key) const { return at(key).integer(); }
  double number(std::string_view key, double otherwise) const;
  // The key must have this value, as JSON.
  void demand(std::string_view key, std::string_view expected) const;
  // If the key is there, it must have this number.
  void demand(std::string_view key, double expected) const;
  // Call this after all known keys are read: refuses those that were not asked for.
  void refuse_others() const;

 private:
  Json::Value root_;
  mutable std::set<std::string_view> asked_;  // views of literals
};

}  // namespace model
