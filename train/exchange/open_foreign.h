// Models of other programs on disk: recognised by what is in the files, and read.
#pragma once

#include <optional>
#include <string>

#include "model/base/files.h"
#include "model/model_file.h"
#include "train/system/words.h"

namespace train {

// In a handler of `error`: if the model or run does not fit in memory, an Error that names it, its size
// and what was asked for; else throws `error` again.
[[noreturn]] void fail_too_large(const std::string& path, const std::exception& error,
                                 std::string_view what = "the model");

// As model::within, and a model too large for the memory is an error too.
auto opening(const std::string& path, auto read) try {
  return model::within(read, printable(path));
} catch (const std::exception& error) {
  fail_too_large(path, error);
}

struct OpenedModel {
  std::string path;   // of the file, or of the directory of another program, that it was read from
  std::int64_t size;  // in bytes
  model::LoadedModel model;
};

// The model in a directory of transformers, which has config.json; nullopt if it is none.
std::optional<OpenedModel> open_foreign_directory(const std::string& directory);

}  // namespace train
