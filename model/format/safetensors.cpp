#include "model/format/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "model/format/checksum.h"
#include "model/format/json.h"

namespace model {

using engine::check;
using engine::in_quotes;
using engine::joined;
using engine::printable;

namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t max_header = 100'000'000;  // the limit of the format's own reader
constexpr int header_depth = 3;                    // the header, its tensors, their shapes
constexpr std::string_view checksum_key = "checksum";
constexpr std::string_view zero_digits = "0000000000000000";

// Small letters only: 'A' and 'a' differ in one bit, and a flipped bit must be noticed.
bool is_hex(std::string_view digits) {
  return digits.find_first_not_of(engine::hex_digits) == std::string_view::npos;
}

// The header's text. Checks its length against the size of the file.
std::string_view header_of(std::string_view file) {
  check(file.size() >= length_bytes, "the file ends at ", file.size(),
        ", before the 8 bytes of its header's length");
  std::uint64_t length;
  std::memcpy(&length, file.data(), length_bytes);
  check(length <= max_header,
        "is no model and no .safetensors file, which would begin with the length of its header, at "
        "most ",
        max_header, ", not with ", length);
  check(length <= file.size() - length_bytes, "the header wants ", length,
        " bytes from byte 8, the file ends at ", file.size());
  return file.substr(length_bytes, length);
}

std::vector<Index> indices(Json::Value array, std::string_view tensor) {
  std::vector<Index> values;
  for (const Json::Value element : array.elements()) {
    values.push_back(element.integer());
    check(values.back() >= 0, titled(tensor), ": ", array.key(), " has ", values.back(),
          ", expected 0 or more");
  }
  return values;
}

// The format knows no blocks.
std::optional<Dtype> dtype_named(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (layout(dtype).name == name && layout(dtype).block == 1) return dtype;
  }
  return std::nullopt;
}

TensorEntry read_tensor(Json::Value json, std::string_view file, std::size_t data_begin) {
  const std::string_view name = json.key();
  for (const Json::Value member : json.members())
    check(member.key() == "dtype" || member.key() == "shape" || member.key() == "data_offsets",
          titled(name), ": unknown member ", in_quotes(member.key()));

  const std::string_view type = json.at("dtype").string();
  const std::optional<Dtype> dtype = dtype_named(type);
  check(dtype.has_value(), titled(name), " has the unknown dtype ", in_quotes(type),
        ", expected F32, F64, F16 or BF16");
  const std::vector<Index> shape = indices(json.at("shape"), name);

  const std::vector<Index> offsets = indices(json.at("data_offsets"), name);
  check(offsets.size() == 2 && offsets[0] <= offsets[1], titled(name), " has data_offsets ",
        shape_text(offsets), ", expected a begin and an end not before it");
  const auto begin = static_cast<std::uint64_t>(offsets[0]);  // below 2^63, as data_begin is:
  const auto end = static_cast<std::uint64_t>(offsets[1]);    // their sum cannot wrap
  check(end <= file.size() - data_begin, titled(name), " wants bytes ", data_begin + begin, "..",
        data_begin + end, ", the file ends at ", file.size());
  const std::optional<Index> bytes = bytes_of(name, shape, *dtype);
  check(bytes == offsets[1] - offsets[0], titled(name), " of shape ", shape_text(shape), " in ",
        type, " takes ", bytes_text(bytes), " bytes, its data_offsets hold ", end - begin);
  return {std::string(name), *dtype, shape, file.substr(data_begin + begin, end - begin)};
}

// The tensors, sorted by position, must fill [data_begin, file.size()) without gap or overlap.
void check_layout(const std::vector<TensorEntry>& tensors, std::string_view file,
                  std::size_t data_begin) {
  std::size_t end = data_begin;
  std::string_view before = "the header";
  for (const TensorEntry& tensor : tensors) {
    const std::size_t begin = engine::unsigned_size(tensor.data.data() - file.data());
    check(begin == end, titled(tensor.name), " begins at byte ", begin,
          ", but the data before it (", printable(before), ") ends at byte ", end);
    end += tensor.data.size();
    before = tensor.name;
  }
  check(end == file.size(), "the last tensor ends at byte ", end, ", the file at ", file.size());
}

// `digits`: the checksum's digits, a view into `file`.
void check_checksum(std::string_view file, std::string_view digits) {
  const std::size_t place = engine::unsigned_size(digits.data() - file.data());
  Checksum sum;
  sum.update(file.substr(0, place));
  sum.update(zero_digits);
  sum.update(file.substr(place + digits.size()));
  const std::string expected = checksum_text(sum.value());
  check(digits == expected, "damaged: the checksum in the header is ", in_quotes(digits),
        ", the file's bytes give \"", expected, '"');
}

template <class Value>
std::string_view bytes_view(std::span<const Value> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::string_view file, ChecksumRule rule) {
  const std::string_view header = header_of(file);
  const std::size_t data_begin = length_bytes + header.size();
  const Json json(header, header_depth, "header: ");
  std::string_view digits;
  for (const Json::Value member : json.root().members()) {
    if (member.key() == "__metadata__") {
      for (const Json::Value value : member.members())
        if (value.key() == checksum_key) {
          digits = header.substr(value.offset() + 1, zero_digits.size());  // after its quote
          check(digits == value.string() && is_hex(digits), "header: checksum ",
                in_quotes(value.string()), ", expected 16 hexadecimal digits");
        } else {
          metadata_.emplace(value.key(), value.string());
        }
    } else {
      tensors_.push_back(read_tensor(member, file, data_begin));
    }
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.data.data(), a.data.size()) < std::pair(b.data.data(), b.data.size());
  });
  check_layout(tensors_, file, data_begin);
  check(!digits.empty() || rule == ChecksumRule::if_present,
        "header: no checksum, expected one in __metadata__");
  if (!digits.empty()) check_checksum(file, digits);
  for (std::size_t i = 0; i < tensors_.size(); ++i) index_.emplace(tensors_[i].name, i);
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

void SafetensorsWriter::add_metadata(std::string_view key, std::string_view value) {
  check(key != checksum_key, "metadata: the key \"", checksum_key, "\" is taken");
  check(metadata_.emplace(key, value).second, "metadata: second value for ", in_quotes(key));
}

void SafetensorsWriter::add(std::string_view name, std::vector<Index> shape,
                            std::span<const float> values) {
  add(name, std::move(shape), Dtype::f32, bytes_view(values));
}

void SafetensorsWriter::add(std::string_view name, std::vector<Index> shape,
                            std::span<const double> values) {
  add(name, std::move(shape), Dtype::f64, bytes_view(values));
}

void SafetensorsWriter::add(std::string_view name, std::vector<Index> shape, Dtype dtype,
                            std::string_view bytes) {
  check(layout(dtype).block == 1, titled(name), " is ", layout(dtype).name,
        ", for which a .safetensors file has no dtype");
  tensors_.push_back(make_entry(name, std::move(shape), dtype, bytes));
}

std::vector<std::string_view> SafetensorsWriter::pieces() {
  std::vector<std::pair<std::string_view, std::string_view>> texts(metadata_.begin(),
                                                                   metadata_.end());
  if (checksum_ == ChecksumKey::with) texts.insert(texts.begin(), {checksum_key, zero_digits});
  header_ = std::string(length_bytes, '\0') + R"({"__metadata__":{)";
  for (const auto& [key, value] : texts) {
    if (header_.back() != '{') header_ += ',';
    header_ += json_string(key) + ':' + json_string(value);
  }
  header_ += '}';
  std::size_t end = 0;
  for (const TensorEntry& tensor : tensors_) {
    const std::size_t begin = std::exchange(end, end + tensor.data.size());
    header_ += joined(',', json_string(tensor.name), R"(:{"dtype":")", layout(tensor.dtype).name,
                      R"(","shape":)", shape_json(tensor.shape), R"(,"data_offsets":[)", begin, ',',
                      end, "]}");
  }
  header_ += '}';
  header_.resize((header_.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header_.size() - length_bytes;
  std::memcpy(header_.data(), &length, length_bytes);

  std::vector<std::string_view> pieces = {header_};
  for (const TensorEntry& tensor : tensors_) pieces.push_back(tensor.data);
  if (checksum_ == ChecksumKey::without) return pieces;
  Checksum sum;
  for (const std::string_view piece : pieces) sum.update(piece);
  header_.replace(header_.find(zero_digits), zero_digits.size(), checksum_text(sum.value()));
  return pieces;
}

}  // namespace model
