// Files of torch.save, and the zip archives that they are. An input that begins like a pickle is
// put into an archive beside two storages; another one is an archive, of which each CRC-32 is made
// right. Each tensor at the root and one level below must be a part of the file.
#include "model/exchange/container/torch_file.h"

#include "tests/fuzz/archive.h"
#include "tests/fuzz/fuzz.h"

using model::Pickle;
using model::TensorEntry;
using model::TorchFile;

namespace {

std::string archive_of(std::string_view pickle) {
  static const std::string storages[] = {std::string(24, '\1'), std::string(8, '\2')};
  model::ZipWriter zip;
  zip.add("x/data.pkl", pickle);
  zip.add("x/data/0", storages[0]);
  zip.add("x/data/1", storages[1]);
  return joined_pieces(zip.pieces());
}

void check_tensor(const TorchFile& file, Pickle::Value value, std::string_view bytes) {
  if (!file.is_tensor(value)) return;
  fuzz::accepts([&] {
    const TensorEntry entry = file.tensor(value, "x");
    fuzz::demand(entry.data.empty() ||
                 (entry.data.data() >= bytes.data() && entry.data.end() <= bytes.end()));
    model::Index count = 1;
    for (const model::Index n : entry.shape)
      if (n == 0) count = 0;
    for (const model::Index n : entry.shape)
      if (count > 0) count *= n;
    fuzz::demand(count == entry.count());
    std::vector<engine::real> values(static_cast<std::size_t>(count));
    model::copy_values(entry, values);
  });
}

void check_archive(const model::ZipFile& zip, std::string_view bytes) {
  std::size_t size = 0;
  model::ZipWriter writer;
  for (const model::ZipEntry& entry : zip.entries()) {
    fuzz::demand(entry.data.data() >= bytes.data() && entry.data.end() <= bytes.end());
    fuzz::demand(zip.find(entry.name) == &entry);
    size += entry.data.size();
    writer.add(entry.name, entry.data);
  }
  fuzz::demand(size <= bytes.size());
  const std::string written = joined_pieces(writer.pieces());
  const model::ZipFile again(written);
  fuzz::demand(again.entries().size() == zip.entries().size());
  for (std::size_t i = 0; i < zip.entries().size(); ++i)
    fuzz::demand(again.entries()[i].name == zip.entries()[i].name &&
                 again.entries()[i].data == zip.entries()[i].data);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::bytes_of(data, size);
  const std::string bytes = input.starts_with('\x80') ? archive_of(input) : fuzz::put_right(input);
  fuzz::accepts([&] { check_archive(model::ZipFile(bytes), bytes); });
  fuzz::accepts([&] {
    const TorchFile file(bytes);
    const Pickle::Value root = file.root();
    check_tensor(file, root, bytes);
    if (root.type() != Pickle::Type::dict) return;
    for (const auto [key, value] : root.members()) {
      check_tensor(file, value, bytes);
      if (value.type() != Pickle::Type::dict) continue;
      for (const auto [inner, tensor] : value.members()) check_tensor(file, tensor, bytes);
    }
  });
  return 0;
}
