#include "model/exchange/container/torch_file.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace model {

using engine::check;
using engine::fail;
using engine::in_quotes;
using engine::joined;

namespace {

constexpr std::string_view rebuild_tensor = "torch._utils._rebuild_tensor_v2",
                           rebuild_parameter = "torch._utils._rebuild_parameter";

// What the pickle may ask for.
std::span<const std::string_view> globals() {
  static const auto names = [] {
    std::vector<std::string_view> all = {rebuild_tensor, rebuild_parameter};
    for (int i = 0; i < dtype_count; ++i)
      if (const DtypeLayout& row = layout(static_cast<Dtype>(i)); !row.torch.empty())
        all.push_back(row.torch);
    return all;
  }();
  return names;
}

// The folder of the one entry FOLDER/data.pkl.
std::string folder_of(const ZipFile& zip) {
  constexpr std::string_view file = "/data.pkl";
  constexpr std::size_t max_entry_name = 1000;
  std::optional<std::string_view> folder;
  for (const ZipEntry& entry : zip.entries()) {
    const std::string_view name = entry.name;
    // torch.save's are the name of a file and a number; each tensor's is looked up.
    check(name.size() <= max_entry_name, "is no file of torch.save: an entry has a name of ",
          name.size(), " bytes, expected ", max_entry_name, " at most");
    if (!name.ends_with(file) || name.find('/') != name.size() - file.size()) continue;
    check(!folder.has_value(), "is no file of torch.save: it has both ",
          in_quotes(joined(folder.value_or(""), file)), " and ", in_quotes(name));
    folder = name.substr(0, name.size() - file.size());
  }
  check(folder.has_value(), "is no file of torch.save: the archive has no data.pkl");
  return std::string(*folder);
}

std::string_view require(const ZipFile& zip, const std::string& name) {
  const ZipEntry* const entry = zip.find(name);
  check(entry != nullptr, "the archive has no entry ", in_quotes(name));
  return entry->data;
}

// The file, if it is not of the format before PyTorch 1.6.
std::string_view not_legacy(std::string_view file) {
  using namespace std::string_view_literals;
  // A pickle of protocol 2 of the number 0x1950a86a20f9469cfc6c.
  check(!file.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv),
        "is in the format before PyTorch 1.6: open it with torch.load and save it with torch.save "
        "of a newer PyTorch");
  return file;
}

bool is_call_of(std::string_view global, Pickle::Value value) {
  return value.type() == Pickle::Type::call && value.callee().global() == global;
}

// The values of a tuple that must have so many.
template <std::size_t count>
std::vector<Pickle::Value> values_of(Pickle::Value tuple, std::string_view name) {
  check(tuple.size() == count, titled(name), ": ", tuple.size(), " values at byte ", tuple.offset(),
        " of data.pkl, expected ", count);
  std::vector<Pickle::Value> values;
  for (const Pickle::Value value : tuple.elements()) values.push_back(value);
  return values;
}

// A shape or strides.
std::vector<Index> indices(Pickle::Value tuple, std::string_view name) {
  check(tuple.size() <= most_axes, titled(name), " has ", tuple.size(), " axes, expected ",
        most_axes, " at most");
  std::vector<Index> values;
  for (const Pickle::Value value : tuple.elements()) values.push_back(value.integer());
  return values;
}

// The number of elements, which must be at most `limit`, of a tensor whose elements are one after
// another in the storage, the last axis fastest.
Index contiguous_count(std::span<const Index> shape, std::span<const Index> strides, Index limit,
                       std::string_view name) {
  check(strides.size() == shape.size(), titled(name), " of shape ", shape_text(shape),
        " has strides ", shape_text(strides));
  for (const Index n : shape)
    check(n >= 0, titled(name), " has shape ", shape_text(shape), ", expected 0 or more");
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  Index count = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    check(shape[axis] == 1 || strides[axis] == count, titled(name), " of shape ", shape_text(shape),
          " has strides ", shape_text(strides),
          ", expected its elements one after another: save tensor.contiguous()");
    check(shape[axis] <= limit / count, titled(name), " of shape ", shape_text(shape),
          " does not fit its storage of ", limit, " elements");
    count *= shape[axis];
  }
  return count;
}

}  // namespace

TorchFile::TorchFile(std::string_view file)
    : zip_(not_legacy(file)),
      folder_(folder_of(zip_)),
      pickle_(require(zip_, folder_ + "/data.pkl"), globals(), "data.pkl: ") {
  const ZipEntry* const order = zip_.find(folder_ + "/byteorder");
  check(order == nullptr || order->data == "little", "byteorder is ",
        in_quotes(order ? order->data : ""), ", expected \"little\"");
}

bool TorchFile::is_tensor(Pickle::Value value) {
  return is_call_of(rebuild_tensor, value) || is_call_of(rebuild_parameter, value);
}

TensorEntry TorchFile::tensor(Pickle::Value value, std::string_view name) const {
  // A parameter: the tensor, requires_grad, hooks.
  if (is_call_of(rebuild_parameter, value)) value = values_of<3>(value.arguments(), name)[0];
  check(is_call_of(rebuild_tensor, value), titled(name), ": no tensor at byte ", value.offset(),
        " of data.pkl");
  const std::vector<Pickle::Value> arguments = values_of<6>(value.arguments(), name);
  const std::vector<Pickle::Value> id = values_of<5>(arguments[0].persistent_id(), name);
  const std::string_view global = id[1].global(), key = id[2].text();
  const Index elements = id[4].integer(), offset = arguments[1].integer();
  std::vector<Index> shape = indices(arguments[2], name);

  const std::optional<Dtype> dtype = dtype_with(&DtypeLayout::torch, global);
  check(id[0].text() == "storage" && dtype.has_value(), titled(name), ": ", global, " in ",
        in_quotes(id[0].text()), ", expected a storage");
  const std::int64_t element = layout(*dtype).bytes;
  const std::string_view data = require(zip_, joined(folder_, "/data/", key));
  check(std::ssize(data) % element == 0 && elements == std::ssize(data) / element, titled(name),
        ": storage ", in_quotes(key), " has ", data.size(), " bytes, expected ", elements,
        " elements of ", element, " bytes");

  const Index count = contiguous_count(shape, indices(arguments[3], name), elements, name);
  check(offset >= 0 && offset <= elements - count, titled(name), " of ", count,
        " elements begins at element ", offset, " of a storage of ", elements);
  return {
      std::string(name), *dtype, std::move(shape),
      data.substr(engine::unsigned_size(offset * element), engine::unsigned_size(count * element))};
}

template <class Number>
void TorchWriter::write_tensor(std::span<const Index> shape, std::span<const Number> values) {
  const std::string_view data(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  const auto same = [&](std::string_view storage) {
    return storage.data() == data.data() && storage.size() == data.size();
  };
  const auto storage = std::find_if(storages_.begin(), storages_.end(), same);
  const auto key = storage - storages_.begin();
  if (storage == storages_.end()) storages_.push_back(data);

  std::vector<Index> strides(shape.size());
  Index count = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; count *= shape[axis]) strides[axis] = count;
  check(count == std::ssize(values), "tensor of shape ", shape_text(shape), " has ", values.size(),
        " values");

  const auto tuple_of = [&](std::span<const Index> numbers) {
    begin_tuple();
    for (const Index n : numbers) integer(n);
    end_tuple();
  };
  global("torch._utils", "_rebuild_tensor_v2");
  begin_tuple();
  begin_tuple();
  text("storage");
  global("torch", std::is_same_v<Number, float> ? "FloatStorage" : "DoubleStorage");
  text(joined(key));
  text("cpu");
  integer(std::ssize(values));
  end_tuple();
  persistent_id();
  integer(0);  // offset
  tuple_of(shape);
  tuple_of(strides);
  boolean(false);        // requires_grad
  begin_ordered_dict();  // hooks
  end_dict();
  end_tuple();
  call();
}

void TorchWriter::tensor(std::span<const Index> shape, std::span<const float> values) {
  write_tensor(shape, values);
}

void TorchWriter::tensor(std::span<const Index> shape, std::span<const double> values) {
  write_tensor(shape, values);
}

std::vector<std::string_view> TorchWriter::pieces(std::string_view archive_name) {
  check(!archive_name.empty() && archive_name.find('/') == std::string_view::npos,
        "an archive named ", in_quotes(archive_name), ", expected a name without '/'");
  pickle_ = finish();
  zip_.add(joined(archive_name, "/data.pkl"), pickle_);
  zip_.add(joined(archive_name, "/byteorder"), "little");
  for (std::size_t i = 0; i < storages_.size(); ++i)
    zip_.add(joined(archive_name, "/data/", i), storages_[i]);
  zip_.add(joined(archive_name, "/version"), "3\n");
  return zip_.pieces();
}

}  // namespace model
