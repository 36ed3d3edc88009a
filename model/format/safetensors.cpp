#include "model/format/safetensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "model/base/files.h"
#include "model/format/bytes.h"
#include "model/format/checksum.h"
#include "model/format/json.h"
#include "model/format/json_writer.h"

namespace model {

namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t max_header = 100'000'000;  // the limit of the format's own reader
constexpr int header_depth = 3;                    // the header, its tensors, their shapes
constexpr std::string_view metadata_key = "__metadata__", checksum_key = "checksum";
constexpr std::string_view zero_digits = "0000000000000000";

// Small letters only: 'A' and 'a' differ in one bit, and a flipped bit must be noticed.
bool is_hex(std::string_view digits) {
  return digits.find_first_not_of(hex_digits) == std::string_view::npos;
}

// The length of the header and the 8 bytes before it, checked against the size of the file.
// `first`: the beginning of the file.
std::size_t header_end(std::string_view first, std::uint64_t file_size) {
  check(first.size() >= length_bytes, "the file ends at ", file_size,
        ", before the 8 bytes of its header's length");
  const auto length = load<std::uint64_t>(first.data());
  check(length <= max_header,
        "is neither a model nor a .safetensors file, which would begin with the length of its "
        "header, at most ",
        max_header, ", not with ", length);
  check(length <= file_size - length_bytes, "the header needs ", length,
        " bytes from byte 8, the file ends at ", file_size);
  return unsigned_size(length_bytes + length);
}

// A shape or data_offsets.
std::vector<Index> indices(Json::Value array, std::string_view tensor) {
  check(array.size() <= most_axes, titled(tensor), ": ", array.key(), " has ", array.size(),
        " numbers, expected ", most_axes, " at most");
  std::vector<Index> values;
  for (const Json::Value element : array.elements()) {
    values.push_back(element.integer());
    check(values.back() >= 0, titled(tensor), ": ", array.key(), " has ", values.back(),
          ", expected 0 or more");
  }
  return values;
}

// A tensor as the header describes it, without its data.
TensorEntry read_tensor(Json::Value json, std::uint64_t file_size, std::size_t data_begin) {
  const std::string_view name = json.key();
  for (const Json::Value member : json.members())
    check(member.key() == "dtype" || member.key() == "shape" || member.key() == "data_offsets",
          titled(name), ": unknown member ", in_quotes(member.key()));

  const std::string_view type = json.at("dtype").string();
  const std::optional<Dtype> dtype = dtype_with(&DtypeLayout::name, type);
  // The format has no blocks.
  check(dtype.has_value() && layout(*dtype).block == 1, titled(name), " has the unknown dtype ",
        in_quotes(type), ", expected F32, F64, F16 or BF16");
  std::vector<Index> shape = indices(json.at("shape"), name);

  const std::vector<Index> offsets = indices(json.at("data_offsets"), name);
  check(offsets.size() == 2 && offsets[0] <= offsets[1], titled(name), " has data_offsets ",
        shape_text(offsets), ", expected a begin and an end, in this order");
  const auto begin = static_cast<std::uint64_t>(offsets[0]);  // below 2^63, as data_begin is:
  const auto end = static_cast<std::uint64_t>(offsets[1]);    // their sum cannot wrap
  check(end <= file_size - data_begin, titled(name), " needs bytes ", data_begin + begin, "..",
        data_begin + end, ", the file ends at ", file_size);
  const std::optional<Index> bytes = bytes_of(name, shape, *dtype);
  check(bytes == offsets[1] - offsets[0], titled(name), " of shape ", shape_text(shape), " in ",
        type, " takes ", bytes_text(bytes), " bytes, its data_offsets hold ", end - begin);
  return {std::string(name), *dtype, std::move(shape), {}, data_begin + begin};
}

// Where the data of a tensor that was read ends in the file.
std::uint64_t end_of(const TensorEntry& tensor) {
  const std::optional<Index> bytes = bytes_of(tensor.name, tensor.shape, tensor.dtype);
  return tensor.offset + static_cast<std::uint64_t>(bytes.value());
}

// Sorts the tensors by the places of their data, which must fill the file from `data_begin` on
// without gap or overlap.
void check_layout(std::vector<TensorEntry>& tensors, std::uint64_t file_size,
                  std::size_t data_begin) {
  std::ranges::sort(tensors, {},
                    [](const TensorEntry& t) { return std::pair(t.offset, end_of(t)); });
  std::uint64_t end = data_begin;
  std::string_view before = "the header";
  for (const TensorEntry& tensor : tensors) {
    if (tensor.offset != end)
      fail(titled(tensor.name), " begins at byte ", tensor.offset, ", but the data before it (",
           printable(before), ") ends at byte ", end);
    end = end_of(tensor);
    before = tensor.name;
  }
  check(end == file_size, "the last tensor ends at byte ", end, ", the file at ", file_size);
}

struct Header {
  std::vector<TensorEntry> tensors;
  Metadata metadata;
  std::string_view checksum;  // its digits, a view into the file; empty if there are none
};

// `bytes`: the file up to the end of its header.
Header read_header(std::string_view bytes, std::uint64_t file_size) {
  const std::string_view text = bytes.substr(length_bytes);
  const Json json(text, header_depth, "header: ");
  Header header;
  for (const Json::Value member : json.root().members()) {
    if (member.key() != metadata_key) {
      header.tensors.push_back(read_tensor(member, file_size, bytes.size()));
      continue;
    }
    for (const Json::Value value : member.members())
      if (value.key() == checksum_key) {
        header.checksum = text.substr(value.offset() + 1, zero_digits.size());  // after its quote
        check(header.checksum == value.string() && is_hex(header.checksum), "header: checksum ",
              in_quotes(value.string()), ", expected 16 hexadecimal digits");
      } else {
        header.metadata.emplace(value.key(), value.string());
      }
  }
  check_layout(header.tensors, file_size, bytes.size());
  return header;
}

// `digits`: the checksum's digits, a view into `file`.
void check_checksum(std::string_view file, std::string_view digits) {
  const std::size_t place = unsigned_size(digits.data() - file.data());
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

std::size_t look_at_safetensors(std::string_view first, std::int64_t file_size) {
  const auto size = static_cast<std::uint64_t>(file_size);
  if (first.size() < std::min<std::uint64_t>(length_bytes, size)) return length_bytes;
  const std::size_t end = header_end(first, size);
  if (first.size() < end) return end;
  read_header(first.substr(0, end), size);
  return end;
}

const std::string& metadata_text(const Metadata& metadata, std::string_view key) {
  const auto entry = metadata.find(key);
  check(entry != metadata.end(), "metadata \"", key, "\" is missing; is this a gradus model?");
  return entry->second;
}

SafetensorsFile::SafetensorsFile(std::string_view file, FileOf owner) {
  Header header = read_header(file.substr(0, header_end(file, file.size())), file.size());
  check(!header.checksum.empty() || owner == FileOf::others,
        "header: no checksum, expected one in __metadata__");
  if (!header.checksum.empty()) check_checksum(file, header.checksum);
  metadata_ = std::move(header.metadata);
  for (TensorEntry& t : header.tensors)
    t.data = file.substr(unsigned_size(t.offset), unsigned_size(end_of(t) - t.offset));
  set_ = TensorSet(std::move(header.tensors));
}

Metadata read_metadata(const std::string& path) {
  const FileBytes bytes = read_large_file(path, max_file_size(), look_at_safetensors);
  return within([&] { return SafetensorsFile(view(bytes)).metadata(); }, printable(path));
}

void SafetensorsWriter::add_metadata(std::string_view key, std::string_view value) {
  check(key != checksum_key, "metadata: the key \"", checksum_key, "\" is reserved");
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
  check(name != metadata_key, titled(name),
        " has the name that .safetensors reserves for its metadata");
  tensors_.push_back(make_entry(name, std::move(shape), dtype, bytes));
}

std::vector<std::string_view> SafetensorsWriter::pieces() {
  std::vector<std::pair<std::string_view, std::string_view>> texts(metadata_.begin(),
                                                                   metadata_.end());
  if (owner_ == FileOf::gradus) texts.insert(texts.begin(), {checksum_key, zero_digits});
  JsonObject metadata, header;
  for (const auto& [key, value] : texts) metadata.add(key, value);
  header.add(metadata_key, metadata);
  std::size_t end = 0;
  for (const TensorEntry& tensor : tensors_) {
    const std::size_t begin = std::exchange(end, end + tensor.data.size());
    header.add(tensor.name, JsonObject().add("dtype", layout(tensor.dtype).name, "shape",
                                             JsonText{shape_json(tensor.shape)}, "data_offsets",
                                             json_array(std::array{begin, end})));
  }
  header_ = std::string(length_bytes, '\0') + header.text();
  header_.resize((header_.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header_.size() - length_bytes;
  std::memcpy(header_.data(), &length, length_bytes);

  std::vector<std::string_view> pieces = {header_};
  for (const TensorEntry& tensor : tensors_) pieces.push_back(tensor.data);
  if (owner_ == FileOf::others) return pieces;
  Checksum sum;
  for (const std::string_view piece : pieces) sum.update(piece);
  header_.replace(header_.find(zero_digits), zero_digits.size(), checksum_text(sum.value()));
  return pieces;
}

}  // namespace model
