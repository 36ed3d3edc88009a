// The safetensors reader and writer: what comes back, and that no damage and no contradiction is
// ever taken for a model.
#include "model/format/safetensors.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/pieces.h"
#include "tests/unit/model/error.h"

using engine::Index;
using engine::real;
using model::FileOf;
using model::SafetensorsFile;
using model::SafetensorsWriter;
using model::TensorEntry;

namespace {

std::string error_in(std::string_view file, FileOf owner = FileOf::gradus) {
  return error_of([&] { SafetensorsFile parsed(file, owner); });
}

// A file with that header and `data_bytes` bytes of data, without a checksum.
std::string file_of(std::string_view header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file.append(header).append(data_bytes, '\0');
}

const std::vector<float> weight = {1, -2.5f, 3, 0, 1e-30f, 6};
const std::vector<double> moment = {0.1, -1e300};

std::string small_file() {
  SafetensorsWriter writer;
  writer.add_metadata("format", "pt");
  writer.add_metadata("vocabulary", "a \"b\"\n\xc3\xa9");
  writer.add("transformer.wte.weight", {2, 3}, weight);
  writer.add("nothing", {0, 7}, std::span<const float>());
  writer.add("moment", {2}, moment);
  return joined_pieces(writer.pieces());
}

}  // namespace

TEST_CASE("safetensors: what is written is read back, in place") {
  const std::string file = small_file();
  const SafetensorsFile parsed(file);
  CHECK(parsed.metadata() ==
        model::Metadata{{"format", "pt"}, {"vocabulary", "a \"b\"\n\xc3\xa9"}});
  REQUIRE(parsed.tensors().size() == 3);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  CHECK(length % 8 == 0);

  const TensorEntry* wte = parsed.find("transformer.wte.weight");
  REQUIRE(wte != nullptr);
  CHECK(wte->dtype == model::Dtype::f32);
  CHECK(wte->shape == std::vector<Index>{2, 3});
  CHECK(wte->data.data() == file.data() + 8 + length);
  std::vector<real> values(6);
  copy_values(*wte, values);
  for (std::size_t i = 0; i < 6; ++i) CHECK(values[i] == weight[i]);

  CHECK(parsed.find("nothing")->count() == 0);
  CHECK(parsed.find("moment")->dtype == model::Dtype::f64);
  CHECK(parsed.find("moment")->count() == 2);
  CHECK(parsed.find("lm_head.weight") == nullptr);
  CHECK(error_in(joined_pieces(SafetensorsWriter().pieces())) == "accepted");
}

TEST_CASE("safetensors: the order of the header need not be that of the data") {
  const std::string file = file_of(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                                   R"("a":{"shape":[],"data_offsets":[0,4],"dtype":"F32"}})",
                                   8);
  const SafetensorsFile parsed(file, FileOf::others);
  CHECK(parsed.tensors()[0].name == "a");
  CHECK(parsed.tensors()[1].name == "b");
  CHECK(error_in(file) == "header: no checksum, expected one in __metadata__");
}

TEST_CASE("safetensors: every damaged bit, every truncation and a byte too many is found") {
  const std::string file = small_file();
  REQUIRE(error_in(file) == "accepted");
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO("cut to " << size << " of " << file.size() << " bytes");
    CHECK(error_in(std::string_view(file).substr(0, size)) != "accepted");
  }
  for (int byte = 0; byte < 256; ++byte) {
    INFO("one byte appended: " << byte);
    CHECK(error_in(file + static_cast<char>(byte)) != "accepted");
  }
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    INFO("byte " << bit / 8 << ", bit " << bit % 8);
    CHECK(error_in(damaged) != "accepted");
  }
}

TEST_CASE("safetensors: contradictions are refused, naming the tensor") {
  const auto tensor = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return engine::joined(R"("w":{"dtype":)", dtype, R"(,"shape":)", shape, R"(,"data_offsets":)",
                          offsets, "}");
  };
  // The tensor "w": its dtype, shape and data_offsets in the header, bytes of data, and what is wrong.
  const struct {
    const char *dtype, *shape, *offsets;
    std::size_t data_bytes;
    const char* wrong;
  } tensors[] = {
      {"F4", "[8]", "[0,4]", 4, "unknown dtype \"F4\""},
      {"Q8_0", "[32]", "[0,34]", 34, "unknown dtype \"Q8_0\""},
      {"F32", "[-2]", "[0,8]", 8, "shape has -2"},
      {"F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]", 4, "shape has 9 numbers"},
      {"F32", "[1]", "[0,4,0,4,0,4,0,4,0,4]", 4, "data_offsets has 10 numbers"},
      {"F32", "[4294967296, 1073741824, 4]", "[0,0]", 0, "takes 2^63 or more bytes"},
      {"F32", "[4611686018427387905]", "[0,4]", 4, "takes 2^63 or more bytes"},
      {"F32", "[2, 3]", "[0,20]", 20, "of shape (2, 3) in F32 takes 24 bytes"},
      {"F32", "[]", "[0,0]", 0, "of shape () in F32 takes 4 bytes"},
      {"F32", "[9223372036854775807, 0]", "[0,4]", 4, "takes 0 bytes"},
      {"F32", "[1]", "[4]", 4, "data_offsets (4)"},
      {"F32", "[1]", "[4,0]", 4, "data_offsets (4, 0)"},
      {"F32", "[1]", "[-4,0]", 4, "data_offsets has -4"},
      {"F32", "[1]", "[0,4]", 3, "needs bytes 62..66, the file ends at 65"},
      {"F32", "[1]", "[9223372036854775803,9223372036854775807]", 4, "the file ends at 102"},
      {"F32", "[1]", "[4,8]", 8, "begins at byte 66, but the data before it (the header)"},
  };
  for (const auto& t : tensors) {
    INFO(t.dtype << ' ' << t.shape << ' ' << t.offsets);
    const std::string header =
        "{" + tensor(engine::joined('"', t.dtype, '"'), t.shape, t.offsets) + "}";
    CHECK_THAT(error_in(file_of(header, t.data_bytes), FileOf::others),
               Catch::StartsWith("tensor \"w\"") && Catch::Contains(t.wrong));
  }
  const std::string good = R"("dtype":"F32","shape":[1],"data_offsets":)";
  struct Case {
    std::string inside;  // of the header's braces
    std::size_t data_bytes;
    const char* error;
  };
  const Case cases[] = {
      {tensor("7", "[2]", "[0,4]"), 4, "header: byte 14: expected a string"},
      {tensor(R"("F32")", "[1.5]", "[0,8]"), 8, "header: byte 29: expected an integer"},
      {tensor(R"("F32")", "[[1]]", "[0,8]"), 8, "header: byte 29: nested"},
      {tensor(R"("F32")", "[1]", "[0,4]"), 5, "the last tensor ends at byte 66, the file at 67"},
      {R"("a":{)" + good + R"([0,4]},"b":{)" + good + "[0,4]}", 4,
       R"(tensor "b" begins at byte 115, but the data before it (a) ends at byte 119)"},
      {R"("a":{)" + good + R"([0,4]},"b":{)" + good + "[8,12]}", 12,
       R"(tensor "b" begins at byte 124, but the data before it (a) ends at byte 120)"},
      {R"("a":{)" + good + R"([0,4]},"a":{)" + good + "[4,8]}", 8, "header: byte 58: second"},
      {R"("a":{)" + good + R"([0,4],"stride":1})", 4, R"(tensor "a": unknown member "stride")"},
      {R"("a\nb":{"dtype":"F32","shape":[1]})", 4, "header: byte 8: this object has no"},
      {R"("a\nb":{"dtype":"F\n","shape":[1],"data_offsets":[0,4]})", 4,
       R"(tensor "a\nb" has the unknown dtype "F\n")"},
      {R"("a":[])", 0, "header: byte 5: expected an object"},
      {R"("__metadata__":{"format":1})", 0, "header: byte 26: expected a string"},
      {R"("__metadata__":"pt")", 0, "header: byte 16: expected an object"},
      {R"("__metadata__":{"checksum":"12"})", 0, R"(header: checksum "12")"},
      {R"("__metadata__":{"checksum":"ABCDEF0123456789"})", 0, R"(header: checksum "ABCDEF)"},
      {R"("__metadata__":{"checksum":"\u0030\u0030000000000000000"})", 0, "header: checksum \"0"},
  };
  for (const Case& c : cases) {
    INFO("header: {" << c.inside << "}");
    CHECK_THAT(error_in(file_of("{" + c.inside + "}", c.data_bytes), FileOf::others),
               Catch::StartsWith(c.error));
  }
}

TEST_CASE("safetensors: a header's length is held against the file before anything is read") {
  std::string file = file_of("{}", 1);
  const auto with_length = [&](std::uint64_t length) {
    std::memcpy(file.data(), &length, 8);
    return error_in(file);
  };
  CHECK_THAT(with_length(0), Catch::StartsWith("header: byte 0: expected a value"));
  for (const std::uint64_t length : {std::uint64_t{4}, std::uint64_t{100'000'000}})
    CHECK(with_length(length) ==
          engine::joined("the header needs ", length, " bytes from byte 8, the file ends at 11"));
  for (const std::uint64_t length :
       {std::uint64_t{100'000'001}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
    CHECK_THAT(with_length(length),
               Catch::StartsWith("is neither a model nor a .safetensors file") &&
                   Catch::EndsWith(engine::joined("not with ", length)));
}

TEST_CASE("safetensors: the writer refuses what it could not read back") {
  SafetensorsWriter writer;
  writer.add_metadata("format", "pt");
  CHECK_THROWS(writer.add_metadata("format", "pt"));
  CHECK_THROWS(writer.add_metadata("checksum", ""));
  CHECK_THROWS(writer.add("w", {1, 32}, model::Dtype::q8_0, std::string(34, 'x')));
  CHECK_THROWS(writer.add("__metadata__", {2, 3}, weight));
}

TEST_CASE("safetensors: every dtype of the format is counted, weights are converted") {
  const struct {
    const char* name;
    std::size_t bytes;
    bool weights;
  } dtypes[] = {{"BOOL", 1, false}, {"U8", 1, false},      {"I8", 1, false},     {"I16", 2, false},
                {"U16", 2, false},  {"I32", 4, false},     {"U32", 4, false},    {"I64", 8, false},
                {"U64", 8, false},  {"F16", 2, true},      {"BF16", 2, true},    {"F32", 4, true},
                {"F64", 8, true},   {"F8_E4M3", 1, false}, {"F8_E5M2", 1, false}};
  for (const auto& dtype : dtypes) {
    INFO(dtype.name);
    const std::string file =
        file_of(engine::joined(R"({"w":{"dtype":")", dtype.name,
                               R"(","shape":[2,3],"data_offsets":[0,)", 6 * dtype.bytes, "]}}"),
                6 * dtype.bytes);
    const SafetensorsFile parsed(file, FileOf::others);
    const TensorEntry& entry = *parsed.find("w");
    CHECK(entry.count() == 6);
    std::vector<real> values(6, 1);
    if (dtype.weights) {
      copy_values(entry, values);
      CHECK(values == std::vector<real>(6, 0));
    } else {
      CHECK_THROWS_WITH(copy_values(entry, values),
                        Catch::StartsWith(engine::joined("tensor \"w\" is ", dtype.name, ',')));
    }
  }
}

TEST_CASE("safetensors: a look at the header refuses what reading the file would") {
  const std::string file = small_file();
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const std::size_t end = 8 + length;
  const auto size = std::ssize(file);
  const std::string_view whole = file;
  CHECK(model::look_at_safetensors(whole.substr(0, 7), size) == 8);
  CHECK(model::look_at_safetensors(whole.substr(0, 8), size) == end);
  CHECK(model::look_at_safetensors(whole.substr(0, end), size) == end);
  const auto error = [](std::string_view first, std::int64_t file_size) {
    return error_of([&] { model::look_at_safetensors(first, file_size); });
  };
  CHECK(error(whole.substr(0, 5), 5) == error_in(whole.substr(0, 5)));
  CHECK(error(file_of("{}", 0), 6'000'000'000) ==
        "the last tensor ends at byte 10, the file at 6000000000");
  CHECK(error(whole.substr(0, end), size - 1) == error_in(whole.substr(0, file.size() - 1)));
  // A fault in any byte of the header is found before the rest of the file is read.
  for (std::size_t at = 0; at < end; ++at) {
    INFO("byte " << at);
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const std::string found = error(std::string_view(damaged).substr(0, end), size);
    if (found != "accepted") CHECK(found == error_in(damaged));
  }
}
