// The GGUF reader and writer: what comes back, and that no damage and no contradiction does harm.
#include "model/exchange/container/gguf.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "tests/catch.h"

using engine::Index;
using engine::real;
using model::Dtype;
using model::GgufFile;
using model::GgufType;
using model::GgufWriter;
using model::TensorEntry;

namespace {

std::string joined(GgufWriter& writer) {
  std::string file;
  for (const std::string_view piece : writer.pieces()) file += piece;
  return file;
}

std::string error_of(std::string_view file) {
  try {
    GgufFile parsed(file);
  } catch (const engine::Error& error) {
    return error.what();
  }
  return "accepted";
}

template <class T>
std::string bytes(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}
std::string u32(std::uint32_t value) { return bytes(value); }
std::string u64(std::uint64_t value) { return bytes(value); }
std::string text(std::string_view value) { return u64(value.size()).append(value); }

std::string header(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
  return "GGUF" + u32(version) + u64(tensors) + u64(keys);
}
std::string key(std::string_view name, GgufType type, std::string_view value) {
  return text(name) + bytes(type).append(value);
}
std::string array(GgufType type, std::uint64_t count, std::string_view elements) {
  return bytes(type) + u64(count).append(elements);
}
// `sizes` as in the file: of the fastest axis first.
std::string tensor(std::string_view name, const std::vector<std::uint64_t>& sizes,
                   std::uint32_t type, std::uint64_t offset) {
  std::string out = text(name) + u32(static_cast<std::uint32_t>(sizes.size()));
  for (const std::uint64_t size : sizes) out += u64(size);
  return out + u32(type) + u64(offset);
}
// Zeros up to a multiple of `alignment`, then `data` more.
std::string padded(std::string file, std::size_t data, std::size_t alignment = 32) {
  file.resize((file.size() + alignment - 1) / alignment * alignment + data, '\0');
  return file;
}
std::string of_tensors(const std::vector<std::string>& tensors, std::size_t data) {
  std::string file = header(tensors.size(), 0);
  for (const std::string& tensor : tensors) file += tensor;
  return padded(file, data);
}
std::string of_key(std::string_view bytes) { return header(0, 1).append(bytes); }

// The writer keeps views of these.
const std::string weight_bytes(24, 'w');
const std::string half_bytes("\x00\xbc\x00\x38\x00\x42", 6);
const std::string block_bytes(68, 'q');

std::string small_file() {
  GgufWriter writer;
  writer.add_text("general.architecture", "gpt2");
  writer.add_integer("gpt2.block_count", 12);
  writer.add_number("epsilon", 0.5f);
  writer.add_boolean("yes", true);
  writer.add_boolean("no", false);
  writer.add_texts("tokens", std::vector<std::string>{"a", "", "\xc4\xa0"});
  writer.add_texts("merges", {});
  writer.add_integers("types", std::vector<std::int32_t>{1, -3, 6});
  writer.add("wte.weight", {2, 3}, Dtype::f32, weight_bytes);
  writer.add("half", {3}, Dtype::f16, half_bytes);
  writer.add("blocks", {2, 1, 32}, Dtype::q8_0, block_bytes);
  return joined(writer);
}

}  // namespace

TEST_CASE("gguf: what is written is read back, in place") {
  const std::string file = small_file();
  CHECK(file.size() % 32 == 0);
  const GgufFile parsed(file);
  CHECK(parsed.keys() == std::vector<std::string_view>{"epsilon", "general.architecture",
                                                       "gpt2.block_count", "merges", "no", "tokens",
                                                       "types", "yes"});
  CHECK(parsed.text("general.architecture") == "gpt2");
  CHECK(parsed.integer("gpt2.block_count") == 12);
  CHECK(parsed.number("gpt2.block_count") == 12);
  CHECK(parsed.number("epsilon") == 0.5);
  CHECK(parsed.boolean("yes"));
  CHECK_FALSE(parsed.boolean("no"));
  CHECK(parsed.texts("tokens") == std::vector<std::string_view>{"a", "", "\xc4\xa0"});
  CHECK(parsed.texts("merges").empty());
  CHECK(parsed.integers("types") == std::vector<std::int64_t>{1, -3, 6});
  CHECK(parsed.contains("tokens"));
  CHECK_FALSE(parsed.contains("token"));

  REQUIRE(parsed.tensors().size() == 3);
  const TensorEntry* wte = parsed.find("wte.weight");
  REQUIRE(wte != nullptr);
  CHECK(wte == parsed.tensors().data());
  CHECK(wte->shape == std::vector<Index>{2, 3});
  CHECK(wte->data == weight_bytes);
  CHECK((wte->data.data() - file.data()) % 32 == 0);
  CHECK(parsed.find("half")->data == half_bytes);
  CHECK(parsed.find("half")->dtype == Dtype::f16);
  CHECK(parsed.find("blocks")->shape == std::vector<Index>{2, 1, 32});
  CHECK(parsed.find("blocks")->count() == 64);
  CHECK(parsed.find("blocks")->data == block_bytes);
  CHECK((parsed.find("blocks")->data.data() - file.data()) % 32 == 0);
  CHECK(parsed.find("w") == nullptr);

  GgufWriter empty;
  const std::string nothing = joined(empty);
  CHECK(nothing.size() == 32);
  CHECK(error_of(nothing) == "accepted");
}

TEST_CASE("gguf: the bytes of a file are those of the specification") {
  GgufWriter writer;
  writer.add_texts("t", std::vector<std::string>{"ab"});
  writer.add("w", {2, 3}, Dtype::f32, weight_bytes);
  CHECK(
      joined(writer) ==
      padded(padded(header(1, 1) + key("t", GgufType::array, array(GgufType::text, 1, text("ab"))) +
                        tensor("w", {3, 2}, 0, 0),
                    0) +
                 weight_bytes,
             0));
}

TEST_CASE("gguf: numbers of every type") {
  const std::pair<GgufType, std::string> minus_one[] = {
      {GgufType::i8, bytes(std::int8_t{-1})},
      {GgufType::i16, bytes(std::int16_t{-1})},
      {GgufType::i32, bytes(std::int32_t{-1})},
      {GgufType::i64, bytes(std::int64_t{-1})},
      {GgufType::f32, bytes(-1.0f)},
      {GgufType::f64, bytes(-1.0)},
  };
  for (const auto& [type, value] : minus_one) {
    INFO("type " << static_cast<int>(type));
    const std::string file = of_key(key("n", type, value));
    CHECK(GgufFile(file).number("n") == -1);
    const std::string list = of_key(key("n", GgufType::array, array(type, 2, value + value)));
    if (type == GgufType::f32 || type == GgufType::f64) {
      CHECK_THROWS_WITH(GgufFile(file).integer("n"), Catch::EndsWith("expected an integer"));
      CHECK_THROWS_WITH(GgufFile(list).integers("n"),
                        Catch::EndsWith("expected an array of integers"));
    } else {
      CHECK(GgufFile(file).integer("n") == -1);
      CHECK(GgufFile(list).integers("n") == std::vector<std::int64_t>{-1, -1});
    }
  }
  const std::pair<GgufType, std::string> largest[] = {{GgufType::u8, std::string(1, '\xff')},
                                                      {GgufType::u16, std::string(2, '\xff')},
                                                      {GgufType::u32, std::string(4, '\xff')}};
  for (const auto& [type, value] : largest) {
    const std::string file = of_key(key("n", type, value));
    CHECK(GgufFile(file).integer("n") == (std::int64_t{1} << 8 * value.size()) - 1);
  }
  const std::string most = of_key(key("n", GgufType::u64, u64((1ull << 63) - 1)));
  CHECK(GgufFile(most).integer("n") == std::numeric_limits<std::int64_t>::max());
  const std::string more = of_key(key("n", GgufType::u64, u64(1ull << 63)));
  CHECK_THROWS_WITH(GgufFile(more).integer("n"),
                    "key \"n\" is 9223372036854775808, expected a number below 2^63");
}

TEST_CASE("gguf: a key that is missing or has another type is named") {
  const std::string bytes = small_file();
  const GgufFile file(bytes);
  CHECK_THROWS_WITH(file.integer("n\n"), "key \"n\\n\" is missing");
  CHECK_THROWS_WITH(file.integer("epsilon"), "key \"epsilon\" has type f32, expected an integer");
  CHECK_THROWS_WITH(file.number("yes"), "key \"yes\" has type boolean, expected a number");
  CHECK_THROWS_WITH(file.text("tokens"),
                    "key \"tokens\" has type array of string, expected a string");
  CHECK_THROWS_WITH(file.boolean("gpt2.block_count"),
                    "key \"gpt2.block_count\" has type u32, expected a truth value");
  CHECK_THROWS_WITH(file.texts("types"),
                    "key \"types\" has type array of i32, expected an array of strings");
  CHECK_THROWS_WITH(file.texts("general.architecture"),
                    "key \"general.architecture\" has type string, expected an array of strings");
  CHECK_THROWS_WITH(file.integers("gpt2.block_count"),
                    "key \"gpt2.block_count\" has type u32, expected an array of integers");
}

TEST_CASE("gguf: every truncation is refused") {
  const std::string file = small_file();
  for (std::size_t size = 0; size < file.size(); ++size) {
    INFO("cut to " << size << " of " << file.size() << " bytes");
    // A copy of its own, whose end a sanitizer guards.
    CHECK(error_of(std::string(file, 0, size)) != "accepted");
  }
  // Within the zeros after the 68 bytes of the last tensor.
  CHECK(error_of(file.substr(0, file.size() - 1)) ==
        engine::joined("the file ends at ", file.size() - 1,
                       ", inside the padding of its last tensor"));
}

TEST_CASE("gguf: headers that contradict the file are refused, naming key or tensor") {
  const std::string w = tensor("w", {4}, 0, 0);
  constexpr std::uint64_t huge = 1ull << 63;
  const auto aligned = [](GgufType type, std::string_view value) {
    return of_key(key("general.alignment", type, value));
  };
  struct Case {
    std::string file;
    const char* error;
  };
  const Case cases[] = {
      {"", R"(the file begins with "", expected "GGUF")"},
      {"GGML" + u32(3), R"(the file begins with "GGML", expected "GGUF")"},
      {"GGUF", "the header wants 4 bytes from byte 4, the file ends at 4"},
      {header(0, 0, 1), "GGUF version 1, expected 2 or 3"},
      {header(0, 0, 4), "GGUF version 4, expected 2 or 3"},
      {header(0, 0, 0x03000000), "is a big-endian GGUF file, expected a little-endian one"},
      {header(0, 0, 2), "accepted"},
      {header(0, huge),
       "the header counts 9223372036854775808 keys, the 0 bytes from byte 24 have room for 0"},
      {header(0, 2) + key("k", GgufType::u8, "1") + std::string(11, '\0'),
       "the header counts 2 keys, the 25 bytes from byte 24 have room for 1"},
      {padded(header(huge, 0), 31),
       "the header counts 9223372036854775808 tensors, the 39 bytes from byte 24 have room for 1"},
      {header(0, 1) + u64(huge) + std::string(5, '\0'),
       "key 0 wants 9223372036854775808 bytes from byte 32, the file ends at 37"},
      {of_key(key("\xff", GgufType::u8, "1")), "key 0: byte 32 of the file is not UTF-8"},
      {of_key(key("k", GgufType(13), "1")), R"(key "k" has the unknown type 13, expected one of )"
                                            "0..12"},
      {of_key(key("k", GgufType::u32, "123")),
       R"(key "k" has 1 values of type u32, the 3 bytes from byte 37 have room for 0)"},
      {of_key(key("k", GgufType::text, u64(huge))),
       R"(key "k" wants 9223372036854775808 bytes from byte 45, the file ends at 45)"},
      {of_key(key("k", GgufType::text, text("a\xc3"))),
       R"(key "k": byte 46 of the file is not UTF-8)"},
      {of_key(key("k", GgufType::boolean, "\2")),
       R"(key "k" has the truth value 2, expected 0 or 1)"},
      {of_key(key("k", GgufType::array, array(GgufType::boolean, 3, {"\0\1\xff", 3}))),
       R"(key "k" has the truth value 255, expected 0 or 1)"},
      {of_key(key("k", GgufType::array, array(GgufType::array, 0, ""))),
       R"(key "k" is an array of arrays, expected an array of numbers, truth values or strings)"},
      {of_key(key("k", GgufType::array, array(GgufType(99), 0, ""))),
       R"(key "k" has the unknown type 99, expected one of 0..12)"},
      {of_key(key("k", GgufType::array, array(GgufType::u64, huge / 4, "12345678"))),
       R"(key "k" has 2305843009213693952 values of type u64, the 8 bytes from byte 49 have )"
       "room for 1"},
      {of_key(key("k", GgufType::array, array(GgufType::text, huge, text("")))),
       R"(key "k" has 9223372036854775808 values of type string, the 8 bytes from byte 49 have )"
       "room for 1"},
      {of_key(key("k", GgufType::array, array(GgufType::text, 2, text("\xff") + text("")))),
       R"(key "k": byte 57 of the file is not UTF-8)"},
      {header(0, 3) + key("k", GgufType::u8, "1") + key("a", GgufType::u8, "1") +
           key("k", GgufType::u16, "12"),
       R"(second value for key "k")"},
      {aligned(GgufType::u32, u32(0)),
       R"(key "general.alignment" is 0, expected a power of two below 2^32)"},
      {aligned(GgufType::u32, u32(48)),
       R"(key "general.alignment" is 48, expected a power of two below 2^32)"},
      {aligned(GgufType::i32, u32(1u << 31)),
       R"(key "general.alignment" is -2147483648, expected a power of two below 2^32)"},
      {aligned(GgufType::u64, u64(1ull << 32)),
       R"(key "general.alignment" is 4294967296, expected a power of two below 2^32)"},
      {aligned(GgufType::text, text("32")),
       R"(key "general.alignment" has type string, expected an integer)"},
      {aligned(GgufType::u32, u32(1u << 31)), "accepted"},
      {padded(header(1, 1) + key("general.alignment", GgufType::u32, u32(64)) +
                  tensor("w", {4}, 0, 32),
              48, 64),
       R"(tensor "w" begins at offset 32 of the data, expected a multiple of 64)"},
      {padded(
           header(1, 1) + key("general.alignment", GgufType::u32, u32(8)) + tensor("w", {4}, 0, 8),
           24, 8),
       "accepted"},
      {of_tensors({w}, 32), "accepted"},
      {of_tensors({tensor("", {4}, 0, 0)}, 32), "accepted"},
      {of_tensors({w}, 15), R"(tensor "w" wants 16 bytes from offset 0 of the data, which begins )"
                            "at byte 64; the file ends at 79"},
      {of_tensors({tensor("\n", {4}, 0, 32)}, 16),
       R"(tensor "\n" wants 16 bytes from offset 32 of the data, which begins at byte 64; )"
       "the file ends at 80"},
      {of_tensors({tensor("w", {4}, 0, 0 - 64ull)}, 16),
       R"(tensor "w" wants 16 bytes from offset 18446744073709551552 of the data, which begins )"
       "at byte 64; the file ends at 80"},
      {header(1, 0) + tensor("w", {0}, 0, 0),
       R"(tensor "w" wants 0 bytes from offset 0 of the data, which begins at byte 64; )"
       "the file ends at 57"},
      {of_tensors({tensor("w", {4}, 0, 16)}, 64),
       R"(tensor "w" begins at offset 16 of the data, expected a multiple of 32)"},
      {of_tensors({w, tensor("w", {4}, 0, 32)}, 64), R"(second tensor "w")"},
      {of_tensors({w, tensor("v", {4}, 0, 0)}, 64),
       R"(tensor "v" begins at byte 96, inside tensor "w")"},
      {of_tensors({tensor("v", {4}, 0, 32), tensor("w", {9}, 0, 0)}, 64),
       R"(tensor "v" begins at byte 128, inside tensor "w")"},
      {of_tensors({tensor("v", {4}, 0, 32), w, tensor("n", {0}, 0, 32)}, 64), "accepted"},
      {of_tensors({tensor("\xff", {4}, 0, 0)}, 16), "tensor 0: byte 32 of the file is not UTF-8"},
      {of_tensors({tensor("w", {}, 0, 0)}, 16), R"(tensor "w" has 0 axes, expected 1 to 4)"},
      {of_tensors({tensor("w", {1, 1, 1, 1, 1}, 0, 0)}, 16),
       R"(tensor "w" has 5 axes, expected 1 to 4)"},
      {of_tensors({tensor("w", {4, huge}, 0, 0)}, 16),
       R"(tensor "w" has an axis of 9223372036854775808 elements, expected less than 2^63)"},
      {of_tensors({tensor("w", {1u << 31, 1u << 31, 4}, 0, 0)}, 0),
       R"(tensor "w" of shape (4, 2147483648, 2147483648) in F32 takes 2^63 or more bytes)"},
      {of_tensors({tensor("w", {33}, 8, 0)}, 68),
       R"(tensor "w" of shape (33) in Q8_0 has rows of 33 elements, expected a multiple of 32)"},
      {of_tensors({tensor("w", {32}, 8, 0)}, 33),
       R"(tensor "w" wants 34 bytes from offset 0 of the data, which begins at byte 64; )"
       "the file ends at 97"},
      {of_tensors({tensor("w", {32}, 4, 0)}, 99),
       R"(tensor "w" has the unknown type 4, expected F32 (0), F16 (1), Q8_0 (8) or BF16 (30))"},
  };
  for (const Case& c : cases) {
    INFO("expected: " << c.error);
    CHECK(error_of(c.file) == c.error);
  }
}

TEST_CASE("gguf: types of llama.cpp that are not converted are known by name and size") {
  const struct {
    std::uint32_t number;
    std::uint64_t elements;
    std::size_t bytes;
    const char* name;
  } types[] = {{2, 32, 18, "Q4_0"},    {3, 32, 20, "Q4_1"},    {6, 32, 22, "Q5_0"},
               {7, 32, 24, "Q5_1"},    {9, 32, 36, "Q8_1"},    {10, 256, 84, "Q2_K"},
               {11, 256, 110, "Q3_K"}, {12, 256, 144, "Q4_K"}, {13, 256, 176, "Q5_K"},
               {14, 256, 210, "Q6_K"}, {15, 256, 292, "Q8_K"}, {24, 1, 1, "I8"},
               {25, 1, 2, "I16"},      {26, 1, 4, "I32"},      {27, 1, 8, "I64"}};
  for (const auto& type : types) {
    INFO(type.name);
    const std::vector<std::string> one = {tensor("x", {2 * type.elements}, type.number, 0)};
    const std::string file = of_tensors(one, (2 * type.bytes + 31) / 32 * 32);
    CHECK(error_of(of_tensors(one, 2 * type.bytes - 1)) != "accepted");
    const GgufFile parsed(file);
    CHECK(parsed.find("x")->count() == Index(2 * type.elements));
    std::vector<real> values(2 * type.elements);
    CHECK_THROWS_WITH(
        copy_values(*parsed.find("x"), values),
        engine::joined("tensor \"x\" is ", type.name, ", expected F32, F64, F16, BF16 or Q8_0"));
  }
  const std::pair<std::uint32_t, Dtype> weights[] = {
      {0, Dtype::f32}, {1, Dtype::f16}, {8, Dtype::q8_0}, {28, Dtype::f64}, {30, Dtype::bf16}};
  for (const auto& [number, dtype] : weights) {
    const std::string file = of_tensors({tensor("x", {32}, number, 0)}, 256);
    CHECK(GgufFile(file).find("x")->dtype == dtype);
  }
}

TEST_CASE("gguf: the writer refuses what it or llama.cpp could not read back") {
  GgufWriter writer;
  writer.add_integer("k", 1);
  CHECK_THROWS_WITH(writer.add_text("k", ""), "second value for key \"k\"");
  CHECK_THROWS_WITH(writer.add_integer("general.alignment", 64),
                    "key \"general.alignment\" is the writer's own");
  CHECK_THROWS_WITH(writer.add_integer("\xff", 64), "key \"\\xff\" is not UTF-8");
  CHECK_THROWS_WITH(writer.add_text("t", "\xff"), "key \"t\" is \"\\xff\", expected UTF-8");
  CHECK_THROWS_WITH(writer.add_texts("t", std::vector<std::string>{"a", "\xff"}),
                    "key \"t\" has \"\\xff\", expected UTF-8");
  writer.add("w", {6}, Dtype::f32, weight_bytes);
  CHECK_THROWS_WITH(writer.add("w", {6}, Dtype::f32, weight_bytes), "second tensor \"w\"");
  CHECK_THROWS_WITH(writer.add("v", {7}, Dtype::f32, weight_bytes),
                    "tensor \"v\" of shape (7) in F32 takes 28 bytes, it has 24");
  CHECK_THROWS_WITH(writer.add("v", {}, Dtype::f32, weight_bytes),
                    "tensor \"v\" of shape () has 0 axes, expected 1 to 4");
  CHECK_THROWS_WITH(writer.add("v", {1, 1, 1, 1, 6}, Dtype::f32, weight_bytes),
                    "tensor \"v\" of shape (1, 1, 1, 1, 6) has 5 axes, expected 1 to 4");
  CHECK_THROWS_WITH(writer.add("v", {24}, Dtype::u8, weight_bytes),
                    "tensor \"v\" is U8, for which GGUF has no type");
  writer.add(std::string(63, 'x'), {6}, Dtype::f32, weight_bytes);
  CHECK_THROWS_WITH(writer.add(std::string(64, 'x'), {6}, Dtype::f32, weight_bytes),
                    Catch::EndsWith(" has a name of 64 bytes, expected UTF-8 of at most 63"));
  CHECK_THROWS_WITH(writer.add("\xff", {6}, Dtype::f32, weight_bytes),
                    Catch::StartsWith("tensor \"\\xff\" has a name of 1 bytes"));
  // What was refused left nothing behind.
  const std::string file = joined(writer);
  CHECK(GgufFile(file).tensors().size() == 2);
  CHECK(GgufFile(file).keys().size() == 1);
}

TEST_CASE("gguf: damaged files are refused with one line, or read within their bytes") {
  const std::string good = small_file();
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % n;
  };
  int refused = 0;
  for (int round = 0; round < 10'000; ++round) {
    std::string file = good;
    for (std::uint64_t i = 0; i <= below(4); ++i) {
      const std::uint64_t at = below(file.size() - 8);
      const std::uint64_t numbers[] = {0, 1, below(256), 1ull << 63, ~0ull, below(file.size())};
      const std::string value = u64(numbers[below(6)]);
      if (below(2) == 0)
        file[at] = value[0];
      else
        file.replace(at, 8, value);
    }
    try {
      const GgufFile parsed(file);
      for (const TensorEntry& entry : parsed.tensors()) {
        REQUIRE(entry.data.data() >= file.data());
        REQUIRE(entry.data.data() + entry.data.size() <= file.data() + file.size());
        REQUIRE(parsed.find(entry.name) == &entry);
      }
      for (const std::string_view name : parsed.keys()) REQUIRE(parsed.contains(name));
    } catch (const engine::Error& error) {
      ++refused;
      const std::string_view line = error.what();
      REQUIRE(engine::printable(line, 2000) == line);
    }
  }
  CHECK(refused > 1000);
  CHECK(refused < 10'000);
}
