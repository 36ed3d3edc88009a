// A model file with its checksum put right after every mutation, and its header's length too, so
// that what lies behind those two checks is reached: tensors, architecture, tokenizer.
#include "model/model_file.h"

#include <cstring>
#include <string>

#include "model/checksum.h"
#include "tests/fuzz/fuzz.h"

namespace {

// The bytes of the object that begins at `begin`, by its braces; 0 if it has no end.
std::size_t object_size(std::string_view bytes, std::size_t begin) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = begin; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && c == '{')
      ++depth;
    else if (!in_string && c == '}' && --depth == 0)
      return i + 1 - begin;
  }
  return 0;
}

std::string put_right(std::string_view bytes) {
  std::string file(bytes);
  constexpr std::size_t header = 8;
  if (file.size() > header)
    if (std::uint64_t length = object_size(file, header)) {
      while (header + length < file.size() && file[header + length] == ' ') ++length;
      std::memcpy(file.data(), &length, header);
    }
  constexpr std::string_view key = "\"checksum\":\"", zeros = "0000000000000000";
  const std::size_t key_at = file.find(key), at = key_at + key.size();
  if (key_at == std::string::npos || at + zeros.size() > file.size()) return file;
  file.replace(at, zeros.size(), zeros);
  return file.replace(at, zeros.size(), model::checksum_text(model::checksum(file)));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = put_right(fuzz::bytes_of(data, size));
  fuzz::accepts([&] {
    const model::SafetensorsFile file(bytes);
    model::LoadedModel loaded = model::load_model(file);
    fuzz::demand(loaded.tokenizer->vocabulary_size() <= loaded.gpt.config.vocab_size);
  });
  return 0;
}
