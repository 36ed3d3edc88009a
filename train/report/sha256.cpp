#include "train/report/sha256.h"

#include <bit>
#include <cmath>

namespace train {
namespace {

using Word32 = std::uint32_t;

using State = std::array<Word32, 8>;

// The first 32 bits of the fractional parts of the roots of the first n primes.
template <std::size_t n>
std::array<Word32, n> fractions_of_roots(double (*root)(double)) {
  std::array<Word32, n> words{};
  int prime = 1;
  const auto is_prime = [&] {
    int factor = 2;
    while (prime % factor != 0) ++factor;
    return factor == prime;
  };
  for (Word32& word : words) {
    do ++prime;
    while (!is_prime());
    const double x = root(prime);
    word = static_cast<Word32>(std::ldexp(x - std::floor(x), 32));
  }
  return words;
}

// The words of a block of 64 bytes are W[0..15]; up to W[63],
//     W[t] = s1(W[t - 2]) + W[t - 7] + s0(W[t - 15]) + W[t - 16]
// and then, 64 times, with Ch(e, f, g) = ef ^ ~eg, Maj(a, b, c) = ab ^ ac ^ bc and K from
// cube roots,
//     T1 = h + S1(e) + Ch(e, f, g) + K[t] + W[t],  T2 = S0(a) + Maj(a, b, c)
//     (a, b, c, d, e, f, g, h) = (T1 + T2, a, b, c, d + T1, e, f, g)
void add_block(State& sum, std::string_view block) {
  static const auto k = fractions_of_roots<64>([](double prime) { return std::cbrt(prime); });
  std::array<Word32, 64> w{};
  for (std::size_t i = 0; i < 64; ++i)
    w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  for (std::size_t t = 16; t < 64; ++t) {
    const Word32 a = w[t - 15], b = w[t - 2];
    w[t] = (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10) + w[t - 7] +
           (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = sum;
  for (std::size_t t = 0; t < 64; ++t) {
    const Word32 t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                      ((e & f) ^ (~e & g)) + k[t] + w[t];
    const Word32 t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) sum[i] += added[i];
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  State sum = fractions_of_roots<8>([](double prime) { return std::sqrt(prime); });
  // Padded to whole blocks: a one bit, zeros, the number of bits in 64 bits.
  std::string padded(bytes);
  padded += '\x80';
  padded.resize((padded.size() + 8 + 63) / 64 * 64 - 8);
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>((std::uint64_t(bytes.size()) * 8 >> shift) & 0xff);
  for (std::size_t at = 0; at < padded.size(); at += 64)
    add_block(sum, std::string_view(padded).substr(at, 64));
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < 32; ++i)
    digest[i] = static_cast<std::uint8_t>(sum[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) { return Word32(i < bytes.size() ? bytes[i] : 0); };
    const Word32 three = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[three >> shift & 63];
  }
  for (std::size_t i = 0; i < (3 - bytes.size() % 3) % 3; ++i) text[text.size() - 1 - i] = '=';
  return text;
}

}  // namespace train
