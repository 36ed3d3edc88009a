#include "model/exchange/gguf_writer.h"

#include <utility>

#include "model/base/utf8.h"
#include "model/format/bytes.h"

namespace model {

namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint32_t version = 3;
constexpr std::uint64_t alignment = 32;

void append_text(std::string& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  out += text;
}

void check_utf8(std::string_view key, std::string_view text) {
  check(valid_utf8_prefix(text) == text.size(), "key ", in_quotes(key), ": ", in_quotes(text),
        " is not UTF-8");
}

}  // namespace

void GgufWriter::begin_key(std::string_view key, GgufType type) {
  ++key_count_;
  append_text(keys_, key);
  append(keys_, type);
}

void GgufWriter::add_text(std::string_view key, std::string_view value) {
  check_utf8(key, value);
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
  begin_array(key, GgufType::text, values.size());
  for (const std::string& value : values) {
    check_utf8(key, value);
    append_text(keys_, value);
  }
}

void GgufWriter::add_integers(std::string_view key, std::span<const std::int32_t> values) {
  begin_array(key, GgufType::i32, values.size());
  for (const std::int32_t value : values) append(keys_, value);
}

void GgufWriter::add(std::string_view name, std::vector<Index> shape, Dtype dtype,
                     std::string_view bytes) {
  tensors_.push_back(make_entry(name, std::move(shape), dtype, bytes));
}

std::vector<std::string_view> GgufWriter::pieces() {
  header_ = magic;
  append(header_, version);
  append(header_, std::uint64_t{tensors_.size()});
  append(header_, key_count_);
  header_ += keys_;
  std::uint64_t end = 0;
  for (const TensorEntry& tensor : tensors_) {
    append_text(header_, tensor.name);
    append(header_, static_cast<std::uint32_t>(tensor.shape.size()));
    for (std::size_t i = tensor.shape.size(); i-- > 0;) append(header_, tensor.shape[i]);
    append(header_, layout(tensor.dtype).gguf.value());
    append(header_, end);
    end += engine::round_up(std::uint64_t{tensor.data.size()}, alignment);
  }
  header_.resize(engine::round_up(header_.size(), alignment), '\0');

  static constexpr char zeros[alignment] = {};
  std::vector<std::string_view> pieces = {header_};
  for (const TensorEntry& tensor : tensors_) {
    const std::size_t size = tensor.data.size();
    pieces.push_back(tensor.data);
    pieces.emplace_back(zeros, engine::round_up(size, alignment) - size);
  }
  return pieces;
}

}  // namespace model
