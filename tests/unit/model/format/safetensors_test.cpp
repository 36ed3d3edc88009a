// The safetensors reader and writer: what comes back, and that no damage and no contradiction is
// ever taken for a model.
#include "model/format/safetensors.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/checksum.h"
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

TEST_CASE("checksum: XXH64's published values, in pieces of any size") {
  CHECK(model::checksum("") == 0xEF46DB3751D8E999);
  CHECK(model::checksum("a") == 0xD24EC4F1A98C6E5B);
  CHECK(model::checksum("abc") == 0x44BC2CF5AD770999);
  CHECK(model::checksum("Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1);
  CHECK(model::checksum_text(0x0123456789abcdef) == "0123456789abcdef");

  std::string bytes;
  for (int i = 0; i < 150; ++i) bytes += static_cast<char>(i * i + 3 * i);
  for (std::size_t a = 0; a <= bytes.size(); ++a)
    for (std::size_t b = a; b <= bytes.size(); b += 13) {
      const std::string_view all = bytes;
      model::Checksum sum;
      sum.update(all.substr(0, a));
      sum.update(all.substr(a, b - a));
      sum.update(all.substr(b));
      INFO("cut at " << a << " and " << b);
      CHECK(sum.value() == model::checksum(all));
    }
}

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
  CHECK(SafetensorsWriter().pieces().size() == 1);
  SafetensorsWriter empty;
  CHECK(error_in(joined_pieces(empty.pieces())) == "accepted");
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

TEST_CASE("safetensors: the errors of damage say what and where") {
  const std::string file = small_file();
  const std::string_view view = file;
  CHECK(error_in(view.substr(0, 5)) ==
        "the file ends at 5, before the 8 bytes of its header's length");
  CHECK(error_in(view.substr(0, 100)) == "the header needs " +
                                             std::to_string(file.size() - 8 - 40) +
                                             " bytes from byte 8, the file ends at 100");
  CHECK(error_in(view.substr(0, file.size() - 1)) ==
        "tensor \"moment\" needs bytes " + std::to_string(file.size() - 16) + ".." +
            std::to_string(file.size()) + ", the file ends at " + std::to_string(file.size() - 1));
  CHECK(error_in(file + "x") == "the last tensor ends at byte " + std::to_string(file.size()) +
                                    ", the file at " + std::to_string(file.size() + 1));
  std::string damaged = file;
  damaged[file.size() - 3] ^= 4;
  CHECK_THAT(error_in(damaged), Catch::StartsWith("damaged: the checksum in the header is \""));
}

TEST_CASE("safetensors: contradictions are refused, naming the tensor") {
  const auto tensor = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return engine::joined(R"("w":{"dtype":)", dtype, R"(,"shape":)", shape, R"(,"data_offsets":)",
                          offsets, "}");
  };
  // The tensor "w": its dtype, shape and data_offsets in the header, bytes of data, and the message.
  const struct {
    const char *dtype, *shape, *offsets;
    std::size_t data_bytes;
    std::string error;
  } tensors[] = {
      {"F4", "[8]", "[0,4]", 4, R"( has the unknown dtype "F4", expected F32, F64, F16 or BF16)"},
      {"Q8_0", "[32]", "[0,34]", 34,
       R"( has the unknown dtype "Q8_0", expected F32, F64, F16 or BF16)"},
      {"I64", "[2]", "[0,8]", 8, " of shape (2) in I64 takes 16 bytes, its data_offsets hold 8"},
      {"F32", "[-2]", "[0,8]", 8, ": shape has -2, expected 0 or more"},
      {"F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]", 4, ": shape has 9 numbers, expected 8 at most"},
      {"F32", "[1]", "[0,4,0,4,0,4,0,4,0,4]", 4,
       ": data_offsets has 10 numbers, expected 8 at most"},
      {"F32", "[4294967296, 1073741824, 4]", "[0,0]", 0,
       " of shape (4294967296, 1073741824, 4) in F32 takes 2^63 or more bytes, its data_offsets "
       "hold 0"},
      {"F32", "[4611686018427387905]", "[0,4]", 4,
       " of shape (4611686018427387905) in F32 takes 2^63 or more bytes, its data_offsets hold 4"},
      {"F32", "[2, 3]", "[0,20]", 20,
       " of shape (2, 3) in F32 takes 24 bytes, its data_offsets hold 20"},
      {"F64", "[2]", "[0,8]", 8, " of shape (2) in F64 takes 16 bytes, its data_offsets hold 8"},
      {"F32", "[]", "[0,0]", 0, " of shape () in F32 takes 4 bytes, its data_offsets hold 0"},
      {"F32", "[9223372036854775807, 0]", "[0,4]", 4,
       " of shape (9223372036854775807, 0) in F32 takes 0 bytes, its data_offsets hold 4"},
      {"F32", "[1]", "[4]", 4, " has data_offsets (4), expected a begin and an end, in this order"},
      {"F32", "[1]", "[4,0]", 4,
       " has data_offsets (4, 0), expected a begin and an end, in this order"},
      {"F32", "[1]", "[-4,0]", 4, ": data_offsets has -4, expected 0 or more"},
      {"F32", "[1]", "[0,4]", 3, " needs bytes 62..66, the file ends at 65"},
      {"F32", "[1]", "[9223372036854775803,9223372036854775807]", 4,
       " needs bytes 9223372036854775901..9223372036854775905, the file ends at 102"},
      {"F32", "[1]", "[4,8]", 8,
       " begins at byte 66, but the data before it (the header) ends at byte 62"},
  };
  for (const auto& t : tensors) {
    INFO(t.dtype << ' ' << t.shape << ' ' << t.offsets);
    const std::string header =
        "{" + tensor(engine::joined('"', t.dtype, '"'), t.shape, t.offsets) + "}";
    CHECK(error_in(file_of(header, t.data_bytes), FileOf::others) == "tensor \"w\"" + t.error);
  }
  const std::string good = R"("dtype":"F32","shape":[1],"data_offsets":)";
  struct Case {
    std::string inside;  // of the header's braces
    std::size_t data_bytes;
    const char* error;
  };
  const Case cases[] = {
      {tensor("7", "[2]", "[0,4]"), 4, "header: byte 14: expected a string, found an integer"},
      {tensor(R"("F32")", "[1.5]", "[0,8]"), 8,
       "header: byte 29: expected an integer, found a number"},
      {tensor(R"("F32")", "[[1]]", "[0,8]"), 8, "header: byte 29: nested more than 3 deep"},
      {tensor(R"("F32")", "[9223372036854775808]", "[0,8]"), 8,
       "header: byte 29: 9223372036854775808 does not fit a 64-bit integer"},
      {tensor(R"("F32")", "[1]", "[0,4]"), 5, "the last tensor ends at byte 66, the file at 67"},
      {R"("a":{)" + good + R"([0,4]},"b":{)" + good + "[0,4]}", 4,
       R"(tensor "b" begins at byte 115, but the data before it (a) ends at byte 119)"},
      {R"("a":{)" + good + R"([0,4]},"b":{)" + good + "[8,12]}", 12,
       R"(tensor "b" begins at byte 124, but the data before it (a) ends at byte 120)"},
      {R"("a":{)" + good + R"([0,4]},"a":{)" + good + "[4,8]}", 8,
       R"(header: byte 58: second value for the key "a")"},
      {R"("a":{)" + good + R"([0,4],"stride":1})", 4, R"(tensor "a": unknown member "stride")"},
      {R"("a\nb":{"dtype":"F32","shape":[1]})", 4,
       R"(header: byte 8: this object has no "data_offsets")"},
      {R"("a\nb":{"dtype":"F\n","shape":[1],"data_offsets":[0,4]})", 4,
       R"(tensor "a\nb" has the unknown dtype "F\n", expected F32, F64, F16 or BF16)"},
      {R"("a":[])", 0, "header: byte 5: expected an object, found an array"},
      {R"("__metadata__":{"format":1})", 0, "header: byte 26: expected a string, found an integer"},
      {R"("__metadata__":"pt")", 0, "header: byte 16: expected an object, found a string"},
      {R"("__metadata__":{"checksum":"12"})", 0,
       R"(header: checksum "12", expected 16 hexadecimal digits)"},
      {R"("__metadata__":{"checksum":"ABCDEF0123456789"})", 0,
       R"(header: checksum "ABCDEF0123456789", expected 16 hexadecimal digits)"},
      {R"("__metadata__":{"checksum":"\u0030\u0030000000000000000"})", 0,
       R"(header: checksum "00000000000000000", expected 16 hexadecimal digits)"},
  };
  for (const Case& c : cases) {
    INFO("header: {" << c.inside << "}");
    CHECK(error_in(file_of("{" + c.inside + "}", c.data_bytes), FileOf::others) == c.error);
  }
  CHECK(error_in(file_of("", 9)) == "header: byte 0: expected a value, found the end");
  CHECK(error_in(file_of("[]", 0)) == "header: byte 0: expected an object, found an array");
}

TEST_CASE("safetensors: a header's length is held against the file before anything is read") {
  std::string file = file_of("{}", 1);
  const auto with_length = [&](std::uint64_t length) {
    std::memcpy(file.data(), &length, 8);
    return error_in(file);
  };
  CHECK(with_length(0) == "header: byte 0: expected a value, found the end");
  CHECK(with_length(4) == "the header needs 4 bytes from byte 8, the file ends at 11");
  CHECK(with_length(100'000'000) ==
        "the header needs 100000000 bytes from byte 8, the file ends at 11");
  for (const std::uint64_t length :
       {std::uint64_t{100'000'001}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
    CHECK(with_length(length) ==
          "is neither a model nor a .safetensors file, which would begin with the length of its "
          "header, at most 100000000, not with " +
              std::to_string(length));
}

TEST_CASE("safetensors: values that are not finite are refused by name and place") {
  const std::vector<float> values = {1, 2, std::numeric_limits<float>::quiet_NaN()};
  SafetensorsWriter writer;
  writer.add("w", {3}, values);
  const std::string file = joined_pieces(writer.pieces());
  const SafetensorsFile parsed(file);
  std::vector<real> out(3);
  CHECK_THROWS_WITH(copy_values(*parsed.find("w"), out),
                    "tensor \"w\": element 2 is nan, expected a finite number");
  out.resize(2);
  CHECK_THROWS_WITH(copy_values(*parsed.find("w"), out), "tensor \"w\" has 3 values, expected 2");
}

TEST_CASE("safetensors: the writer refuses what it could not read back") {
  SafetensorsWriter writer;
  writer.add_metadata("format", "pt");
  CHECK_THROWS_WITH(writer.add_metadata("format", "pt"), "metadata: second value for \"format\"");
  CHECK_THROWS_WITH(writer.add_metadata("checksum", ""),
                    "metadata: the key \"checksum\" is reserved");
  CHECK_THROWS_WITH(writer.add("w", {2, 2}, weight),
                    "tensor \"w\" of shape (2, 2) in F32 takes 16 bytes, it has 24");
  CHECK_THROWS_WITH(writer.add("w", {1, 32}, model::Dtype::q8_0, std::string(34, 'x')),
                    "tensor \"w\" is Q8_0, for which a .safetensors file has no dtype");
  CHECK_THROWS_WITH(
      writer.add("__metadata__", {2, 3}, weight),
      "tensor \"__metadata__\" has the name that .safetensors reserves for its metadata");
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
      CHECK_THROWS_WITH(
          copy_values(entry, values),
          engine::joined("tensor \"w\" is ", dtype.name, ", expected F32, F64, F16 or BF16"));
    }

    SafetensorsWriter writer;
    writer.add("w", {2, 3}, entry.dtype, entry.data);
    const std::string again = joined_pieces(writer.pieces());
    const SafetensorsFile read_again(again);
    CHECK(read_again.find("w")->data == entry.data);
    CHECK(read_again.find("w")->dtype == entry.dtype);
  }
}

TEST_CASE("safetensors: a file for other programs has no checksum") {
  SafetensorsWriter writer(model::FileOf::others);
  writer.add_metadata("format", "pt");
  writer.add("w", {1}, std::span(weight).first(1));
  const std::string file = joined_pieces(writer.pieces());
  CHECK(file.substr(8, file.size() - 12) ==
        R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"
        "   ");
  CHECK(error_in(file) == "header: no checksum, expected one in __metadata__");
  CHECK(error_in(file, FileOf::others) == "accepted");
  SafetensorsWriter empty(model::FileOf::others);
  CHECK(joined_pieces(empty.pieces()).substr(8) == R"({"__metadata__":{}}     )");
}

TEST_CASE("safetensors: a look at the header refuses what reading the file would") {
  const std::string file = small_file();
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const std::size_t end = 8 + length;
  const auto size = std::ssize(file);
  const std::string_view whole = file;
  CHECK(model::look_at_safetensors("", size) == 8);
  CHECK(model::look_at_safetensors(whole.substr(0, 7), size) == 8);
  CHECK(model::look_at_safetensors(whole.substr(0, 8), size) == end);
  CHECK(model::look_at_safetensors(whole.substr(0, end), size) == end);
  const auto error = [](std::string_view first, std::int64_t file_size) {
    return error_of([&] { model::look_at_safetensors(first, file_size); });
  };
  const std::int64_t six_gb = 6'000'000'000;
  CHECK(error(whole.substr(0, 5), 5) == error_in(whole.substr(0, 5)));
  CHECK(error(std::string(8, '\0'), six_gb) == "header: byte 0: expected a value, found the end");
  CHECK(error(file_of("{}", 0), six_gb) ==
        "the last tensor ends at byte 10, the file at 6000000000");
  CHECK(error(whole.substr(0, end), size + 1) == error_in(file + "x"));
  CHECK(error(whole.substr(0, end), size - 1) == error_in(whole.substr(0, file.size() - 1)));
  // A fault in any byte of the header is found before the rest of the file is read.
  for (std::size_t at = 0; at < end; ++at) {
    INFO("byte " << at);
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const std::string found = error(std::string_view(damaged).substr(0, end), size);
    if (found != "accepted") CHECK(found == error_in(damaged));
    CHECK(error_in(damaged) != "accepted");
  }
}
