#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "model/exchange/container/gguf.h"
#include "model/exchange/container/gguf_layout.h"
#include "model/format/bytes.h"

namespace model {

using engine::check;
using engine::in_quotes;
using namespace gguf;

namespace {

constexpr std::uint32_t written_version = 3;
constexpr std::size_t max_name = 63;  // of a tensor; llama.cpp's array of 64 with a zero at its end

void append_text(std::string& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  out += text;
}

}  // namespace

void GgufWriter::begin_key(std::string_view key, GgufType type) {
  check(key != alignment_key, key_title(key), " is the writer's own");
  check(is_utf8(key), key_title(key), " is not UTF-8");
  check(key_names_.emplace(key).second, "second value for ", key_title(key));
  append_text(keys_, key);
  append(keys_, type);
}

void GgufWriter::add_text(std::string_view key, std::string_view value) {
  check(is_utf8(value), key_title(key), " is ", in_quotes(value), ", expected UTF-8");
  begin_key(key, GgufType::text);
  append_text(keys_, value);
}

void GgufWriter::add_integer(std::string_view key, std::uint32_t value) {
  begin_key(key, GgufType::u32);
  append(keys_, value);
}

void GgufWriter::add_number(std::string_view key, float value) {
  begin_key(key, GgufType::f32);
  append(keys_, value);
}

void GgufWriter::add_boolean(std::string_view key, bool value) {
  begin_key(key, GgufType::boolean);
  keys_ += value ? '\1' : '\0';
}

void GgufWriter::begin_array(std::string_view key, GgufType type, std::size_t count) {
  begin_key(key, GgufType::array);
  append(keys_, type);
  append(keys_, std::uint64_t{count});
}

void GgufWriter::add_texts(std::string_view key, std::span<const std::string> values) {
  for (const std::string& value : values)
    check(is_utf8(value), key_title(key), " has ", in_quotes(value), ", expected UTF-8");
  begin_array(key, GgufType::text, values.size());
  for (const std::string& value : values) append_text(keys_, value);
}

void GgufWriter::add_integers(std::string_view key, std::span<const std::int32_t> values) {
  begin_array(key, GgufType::i32, values.size());
  for (const std::int32_t value : values) append(keys_, value);
}

void GgufWriter::add(std::string_view name, std::vector<Index> shape, Dtype dtype,
                     std::string_view bytes) {
  check(is_utf8(name) && name.size() <= max_name, titled(name), " has a name of ", name.size(),
        " bytes, expected UTF-8 of at most ", max_name);
  check(!shape.empty() && shape.size() <= max_axes, titled(name), " of shape ", shape_text(shape),
        " has ", shape.size(), " axes, expected 1 to ", max_axes);
  check(layout(dtype).gguf.has_value(), titled(name), " is ", layout(dtype).name,
        ", for which GGUF has no type");
  TensorEntry entry = make_entry(name, std::move(shape), dtype, bytes);
  check(tensor_names_.emplace(name).second, "second ", titled(name));
  tensors_.push_back(std::move(entry));
}

std::vector<std::string_view> GgufWriter::pieces() {
  header_ = magic;
  append(header_, written_version);
  append(header_, std::uint64_t{tensors_.size()});
  append(header_, std::uint64_t{key_names_.size()});
  header_ += keys_;
  std::uint64_t end = 0;
  for (const TensorEntry& tensor : tensors_) {
    append_text(header_, tensor.name);
    append(header_, static_cast<std::uint32_t>(tensor.shape.size()));
    for (std::size_t i = tensor.shape.size(); i-- > 0;) append(header_, tensor.shape[i]);
    append(header_, *layout(tensor.dtype).gguf);
    append(header_, end);
    end += engine::round_up(std::uint64_t{tensor.data.size()}, default_alignment);
  }
  header_.resize(engine::round_up(header_.size(), default_alignment), '\0');

  // llama.cpp wants zeros after the last tensor too.
  static constexpr char zeros[default_alignment] = {};
  std::vector<std::string_view> pieces = {header_};
  for (const TensorEntry& tensor : tensors_) {
    const std::size_t size = tensor.data.size();
    pieces.push_back(tensor.data);
    pieces.emplace_back(zeros, engine::round_up(size, default_alignment) - size);
  }
  return pieces;
}

}  // namespace model
