// Models of other programs on disk: recognized by the contents of the files, and read.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "model/base/files.h"
#include "model/model_file.h"
#include "train/system/words.h"

namespace train {

// In a handler of `error`: if the model or run did not fit in memory, throws an Error with its
// name, its size and the bytes requested; else rethrows `error`.
[[noreturn]] void fail_too_large(const std::string& path, const std::exception& error,
                                 std::string_view what = "the model");

// Like model::within, but a model too large for the memory is an error as well.
auto opening(const std::string& path, auto read) try {
  return model::within(read, printable(path));
} catch (const std::exception& error) {
  fail_too_large(path, error);
}

struct OpenedModel {
  std::string path;   // the file, or the directory of another program
  std::int64_t size;  // in bytes
  model::LoadedModel model;
};

// The model in a directory of transformers (one with config.json); nullopt for other directories.
std::optional<OpenedModel> open_foreign_directory(const std::string& directory);

}  // namespace train
