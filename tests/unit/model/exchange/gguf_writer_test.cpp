// The bytes of a .gguf by its specification (gguf_writer.h shows it). What a model's keys and rows mean
// to llama.cpp is in tests/reference/exchange_test.cpp; make interop runs llama.cpp itself.
#include "model/exchange/gguf_writer.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "tests/catch.h"
#include "tests/pieces.h"

using model::Dtype;
using model::GgufWriter;

namespace {

template <class T>
std::string bytes(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}
std::string u32(std::uint32_t value) { return bytes(value); }
std::string u64(std::uint64_t value) { return bytes(value); }
std::string text(std::string_view value) { return u64(value.size()).append(value); }
std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 31) / 32 * 32, '\0');
  return bytes;
}

}  // namespace

TEST_CASE("gguf: the bytes of a file are those of the specification") {
  const std::string floats(24, 'w'), halves(6, 'h'), blocks(68, 'q');
  GgufWriter writer;
  writer.add_text("t", "ab");
  writer.add_integer("n", 12);
  writer.add_number("x", 0.5f);
  writer.add_boolean("yes", true);
  writer.add_boolean("no", false);
  writer.add_texts("ts", std::vector<std::string>{"a", "", "\xc4\xa0"});
  writer.add_texts("none", {});
  writer.add_integers("ns", std::vector<std::int32_t>{1, -3});
  writer.add("w", {2, 3}, Dtype::f32, floats);
  writer.add("half", {3}, Dtype::f16, halves);
  writer.add("b", {3}, Dtype::bf16, halves);
  writer.add("blocks", {2, 1, 32}, Dtype::q8_0, blocks);
  std::string header = "GGUF" + u32(3) + u64(4) + u64(8);
  header += text("t") + u32(8) + text("ab");
  header += text("n") + u32(4) + u32(12);
  header += text("x") + u32(6) + bytes(0.5f);
  header += text("yes") + u32(7) + '\1' + text("no") + u32(7) + '\0';
  header += text("ts") + u32(9) + u32(8) + u64(3) + text("a") + text("") + text("\xc4\xa0");
  header += text("none") + u32(9) + u32(8) + u64(0);
  header += text("ns") + u32(9) + u32(5) + u64(2) + u32(1) + bytes(std::int32_t{-3});
  // Sizes from the fastest axis on, type, offset.
  header += text("w") + u32(2) + u64(3) + u64(2) + u32(0) + u64(0);
  header += text("half") + u32(1) + u64(3) + u32(1) + u64(32);
  header += text("b") + u32(1) + u64(3) + u32(30) + u64(64);
  header += text("blocks") + u32(3) + u64(32) + u64(1) + u64(2) + u32(8) + u64(96);
  CHECK((joined_pieces(writer.pieces()) ==
         padded(header) + padded(floats) + padded(halves) + padded(halves) + padded(blocks)));
  CHECK(joined_pieces(GgufWriter().pieces()) == padded("GGUF" + u32(3) + u64(0) + u64(0)));
}

TEST_CASE("gguf: a text that is not UTF-8 and bytes that do not fill a shape are refused") {
  GgufWriter writer;
  CHECK_THROWS_WITH(writer.add_text("t", "\xff"), "key \"t\": \"\\xff\" is not UTF-8");
  CHECK_THROWS_WITH(writer.add_texts("t", std::vector<std::string>{"a", "\xff"}),
                    "key \"t\": \"\\xff\" is not UTF-8");
  CHECK_THROWS_WITH(writer.add("v", {7}, Dtype::f32, std::string(24, 'w')),
                    "tensor \"v\" of shape (7) in F32 takes 28 bytes, it has 24");
}
