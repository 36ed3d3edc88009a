// The size of DEFLATE's output, against what gzip 1.12 -9 made of the same bytes.
#include "train/report/deflate_size.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/text.h"
#include "tests/catch.h"

using train::deflate_bits;

namespace {

// Random letters of an alphabet, or words of a list: the high bits of a linear congruence.
template <class Words>
std::string random_text(int count, const Words& words, std::string_view between) {
  std::string text;
  std::uint32_t x = 1;
  for (int i = 0; i < count; ++i) {
    x = (x * 1'103'515'245 + 12'345) % (1U << 31);
    if (i > 0) text += between;
    text += words[(x >> 16) % std::size(words)];
  }
  return text;
}

std::string random_bytes(int count) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return random_text(count, bytes, "");
}

double bytes_of(std::string_view text, std::size_t begin = 0) {
  return deflate_bits(text, begin) / 8;
}

// gzip's header of 10 bytes, and 8 at the end: checksum and length.
constexpr double around = 18;

void check_size(const char* what, const std::string& text, std::size_t size, double gzip,
                double share = 0.03) {
  INFO(what << ": gzip -9 " << gzip << ", estimated " << bytes_of(text) + around);
  REQUIRE(text.size() == size);  // else the record is of another text
  CHECK(std::abs(bytes_of(text) + around - gzip) <= share * gzip);
}

}  // namespace

TEST_CASE("deflate size: within 3 % of gzip -9") {
  std::ifstream file("data/fables.txt", std::ios::binary);
  const std::string fables{std::istreambuf_iterator<char>(file), {}};
  check_size("fables", fables, 195'874, 71'559 - std::strlen("fables.txt") - 1,  // its name
             0.005);  // 0.2 % for the places that are not tried; 2.7 % without the look ahead
  check_size("four letters", random_text(100'000, std::string("ACGT"), ""), 100'000, 29'394);
  check_size("random bytes", random_bytes(100'000), 100'000, 100'038);
  const std::string words[] = {"one", "two", "three", "four", "seventeen", "eight"};
  // Each three letters occur in thousands of places, of which gzip -9 tries 4,096 and the estimate
  // 256: the longest repetition is often not found. Of texts in a language that costs 0.3 %.
  check_size("random words", random_text(20'000, words, " "), 116'962, 11'140, 0.06);
}

TEST_CASE("deflate size: of texts that repeat themselves nearly nothing remains") {
  std::string fox, tale;
  for (int i = 0; i < 5000; ++i) fox += "the quick brown fox ";
  for (int i = 0; i < 2000; ++i)
    tale += engine::joined("The fox said ", i * i % 97, " words to the hen.\n");
  // One repetition has 258 bytes at most, so 100,000 bytes take 388 of them, each a bit or two, and
  // the tables of the codes. gzip -9 took 133, 301 and 687 bytes; the estimate of the tables, some
  // 3.5 bits for each symbol, is what may differ.
  const auto check_near = [](const char* what, const std::string& text, double gzip) {
    INFO(what << ": gzip -9 " << gzip << ", estimated " << bytes_of(text) + around);
    CHECK(std::abs(bytes_of(text) + around - gzip) < 40);
  };
  check_near("one letter", std::string(100'000, 'a'), 133);
  check_near("one sentence", fox, 301);
  check_near("numbered sentences", tale, 687);
}

TEST_CASE("deflate size: no text costs the frame of a block, and each byte adds to it") {
  const double none = deflate_bits("");
  CHECK(none > 0);
  CHECK(none < 12 * 8);
  double before = none;
  for (const char* text : {"a", "ab", "abc", "abcd", "abcde"}) {
    INFO(text);
    CHECK(deflate_bits(text) > before);
    before = deflate_bits(text);
  }
  CHECK(deflate_bits("abc", 3) == none);
}

TEST_CASE("deflate size: lengths and distances take RFC 1951's extra bits") {
  // A text that is one repetition: only its extra bits differ, and the table of the codes if its
  // symbol is beside that of the end or the last one: there one run of no symbols less, of 8 bits.
  const std::string bytes = random_bytes(40'000);
  const auto of_length = [&](std::size_t length) {
    return deflate_bits(bytes.substr(0, 300) + bytes.substr(0, length), 300);
  };
  const auto of_distance = [&](std::size_t distance) {
    std::string text = bytes.substr(0, distance);
    while (text.size() < distance + 20) text += text[text.size() - distance];
    return deflate_bits(text, distance);
  };
  struct Range {
    std::size_t first, last;
    int extra, run;
  };
  for (const Range& range :
       {Range{3, 3, 0, -8}, Range{4, 10, 0, 0}, Range{11, 18, 1, 0}, Range{19, 34, 2, 0},
        Range{35, 66, 3, 0}, Range{67, 130, 4, 0}, Range{131, 257, 5, 0}, Range{258, 258, 0, -8}})
    for (std::size_t length = range.first; length <= range.last; ++length) {
      INFO("length " << length);
      CHECK(of_length(length) == of_length(5) + range.extra + range.run);
    }
  // Three bytes from farther than 4,096 are written as letters, as by gzip.
  const auto three_from = [&](std::size_t distance) {
    return deflate_bits(bytes.substr(0, distance) + bytes.substr(0, 3), distance);
  };
  CHECK(three_from(4096) == of_length(3) + 10 - 7);  // extra bits of 4,096 and of 300
  CHECK(three_from(4097) == deflate_bits(bytes.substr(0, 3)));
  for (int extra = 0; extra <= 13; ++extra) {
    // 1 to 4, 5 to 8, 9 to 16, ..., of two symbols each but the first; the last is from 24,577.
    const std::size_t first = extra == 0 ? 1 : (std::size_t{2} << extra) + 1,
                      last = std::size_t{4} << extra;
    for (const std::size_t distance : {first, first + 1, (first + last) / 2, last - 1, last}) {
      INFO("distance " << distance);
      CHECK(of_distance(distance) == of_distance(2) + extra - (distance > 24'576 ? 8 : 0));
    }
  }
}

TEST_CASE("deflate size: what is known before the text costs nothing, and helps") {
  const std::string news = random_bytes(3000), known = random_text(40'000, std::string("ACGT"), "");
  const double alone = deflate_bits(news);
  // Nothing of `known` occurs in it.
  CHECK(deflate_bits(known + news, known.size()) == alone);
  // Twelve repetitions of 258 bytes, of some 30 bits each with their tables.
  CHECK(deflate_bits(news + news, news.size()) < 12 * 30 + deflate_bits(""));
  // The same, as far away as DEFLATE reaches, and farther.
  const auto after = [&](std::size_t between) {
    return deflate_bits(news + known.substr(0, between) + news, news.size() + between);
  };
  CHECK(after(1) < 12 * 30 + deflate_bits(""));
  CHECK(after(32'768 - 3000) < 12 * 30 + deflate_bits(""));
  CHECK(after(32'768 - 3000 + 1) == alone);
  CHECK(after(40'000) == alone);
}
