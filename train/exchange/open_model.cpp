#include "train/exchange/open_model.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "model/base/files.h"
#include "model/base/utf8.h"
#include "train/record/run_directory.h"
#include "train/run/checkpoint.h"
#include "train/system/files.h"
#include "train/system/process.h"
#include "train/system/words.h"
#include "train/text/texts.h"

namespace train {

std::string maybe_in_out(const std::string& path) {
  return is_directory("out/" + path) ? joined("; did you mean ", shell_quoted("out/" + path), "?")
                                     : "";
}

namespace {

// The hint about a path that does not exist.
std::string where_it_may_be(const std::string& path) {
  if (path.starts_with("gpt2") || path.starts_with("openai-community/"))
    return "; gradus downloads nothing: MODEL is the directory of the model's files from the hub";
  return no_file_at_all(path) + maybe_in_out(path);
}

std::string model_path(const std::string& where) {
  if (!is_directory(where)) return where;
  const RunFiles files(where);
  const std::string nanogpt = inside(where, "ckpt.pt");  // open_file gives the advice
  for (const std::string& path : {files.model, files.checkpoint, nanogpt})
    if (file_exists(path)) return path;
  fail(printable(where),
       ": holds no model, expected the directory of a run or of transformers (config.json)");
}

// Whether torch.save wrote the file: a zip with NAME/data.pkl as its first entry; before PyTorch
// 1.6, a pickle that begins with PyTorch's magic number.
bool is_of_pytorch(std::string_view bytes) {
  return (bytes.starts_with("PK\x03\x04") &&
          bytes.substr(0, 256).find("/data.pkl") != bytes.npos) ||
         bytes.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
}

// Before a file is read: checks whether its first bytes can be a model's.
std::size_t look_at_model(const std::string& path, std::string_view first, std::int64_t size) {
  const auto sample = static_cast<std::size_t>(std::min<std::int64_t>(1000, size));
  if (first.size() < sample) return sample;
  check(!first.starts_with("GGUF"),
        "is a .gguf file, which llama.cpp runs; gradus opens a .safetensors file, a run's "
        "directory or a directory of transformers");
  if (is_of_pytorch(first))
    fail("is a PyTorch file, which gradus does not open; ",
         unbroken(joined("python3 train/exchange/nanogpt.py --from ", shell_quoted(path), " DIR")),
         " converts nanoGPT's ckpt.pt");
  try {
    return model::look_at_safetensors(first, size);
  } catch (const Error& error) {
    first = first.substr(0, sample);
    const bool is_text = model::valid_utf8_prefix(first) + 3 >= first.size() &&
                         first.find('\0') == std::string_view::npos;
    if (is_text && first.size() >= 8)  // a safetensors file has zeros there
      fail("is a text, expected a model; ", unbroken(joined("gradus train ", shell_quoted(path))),
           " trains a model on it");
    fail(error.what());
  }
}

model::FileBytes read_model(const std::string& path) try {
  return model::read_large_file(
      path, model::max_file_size(),
      [&](std::string_view first, std::int64_t size) { return look_at_model(path, first, size); });
} catch (const model::SystemError& error) {
  fail(error.what(), where_it_may_be(path));
}

OpenedModel open_file(const std::string& path) {
  const model::FileBytes bytes = read_model(path);
  return opening(path, [&] {
    // nanogpt.py writes models without a checksum.
    const model::SafetensorsFile file(view(bytes), model::FileOf::others);
    return OpenedModel{path, std::ssize(bytes), model::load_model(file, state_prefixes)};
  });
}

}  // namespace

OpenedModel open_model(const std::string& where) try {
  std::optional<OpenedModel> opened;
  if (is_directory(where) && !holds_run(RunFiles(where))) opened = open_foreign_directory(where);
  if (!opened) opened = open_file(model_path(where));
  engine::pool::trim();  // gives the files' memory back
  if (opened->path == RunFiles(where).checkpoint)
    write_line(
        joined(printable(where), ": holds no kept model; this is the model of the checkpoint"));
  return std::move(*opened);
} catch (const std::exception& error) {
  fail_too_large(where, error);
}

}  // namespace train
