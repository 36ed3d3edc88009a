// A directory for one test's files, removed with all that is in it.
#pragma once

#include <filesystem>
#include <random>
#include <string>

#include "engine/base/check.h"
#include "model/base/system.h"

class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_((std::filesystem::temp_directory_path() / "gradus-").generic_string() +
              std::to_string(std::random_device()())) {
    engine::check(model::system::make_directory(path_.c_str()) == 0, path_, ": cannot create");
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(const std::string& name) const { return path_ + '/' + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};
