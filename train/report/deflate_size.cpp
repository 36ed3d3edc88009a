#include "train/report/deflate_size.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <queue>
#include <vector>

namespace train {
namespace {

constexpr std::size_t window = 32'768, shortest = 3, longest = 258;
constexpr int max_candidates = 256;  // places that are tried for a repetition

struct Match {
  std::size_t length = 0, distance = 0;
};

// Finds the longest earlier occurrence of what comes next: places whose next three bytes have the
// same hash are in a chain, the latest first.
class Finder {
 public:
  explicit Finder(std::string_view text)
      : text_(text), head_(1 << 15, none), before_(text.size()) {}

  Match longest_at(std::size_t at) const {
    Match best;
    if (at + shortest > text_.size()) return best;
    const std::size_t limit = std::min(longest, text_.size() - at);
    std::uint32_t place = head_[hash(at)];
    for (int tried = 0; place != none && at - place <= window && tried < max_candidates; ++tried) {
      std::size_t length = 0;
      while (length < limit && text_[place + length] == text_[at + length]) ++length;
      if (length > best.length) best = {length, at - place};
      if (length == limit) break;
      place = before_[place];
    }
    // Three bytes from far away cost more than their letters.
    if (best.length < shortest || (best.length == shortest && best.distance > 4096)) return {};
    return best;
  }
  void add(std::size_t at) {
    if (at + shortest > text_.size()) return;
    std::uint32_t& head = head_[hash(at)];
    before_[at] = head;
    head = static_cast<std::uint32_t>(at);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::size_t hash(std::size_t at) const {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(text_[at + i]));
    };
    return (byte(0) << 16 | byte(1) << 8 | byte(2)) * 2'654'435'761U >> 17;
  }
  std::string_view text_;
  std::vector<std::uint32_t> head_, before_;
};

// DEFLATE names a number by a class of numbers and by bits that follow: two bits after the highest
// decide the class of a length (29 classes), one that of a distance (30).
struct Class {
  std::size_t number, extra_bits;
};
Class class_of(std::size_t value, std::size_t fine_bits) {
  if (value >> (fine_bits + 1) == 0) return {value, 0};
  const std::size_t extra = static_cast<std::size_t>(std::bit_width(value)) - 1 - fine_bits;
  return {(extra << fine_bits) + (value >> extra), extra};
}

// The bits of all symbols in Huffman's code for these counts.
double huffman_bits(const std::vector<std::int64_t>& counts) {
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> nodes;
  for (const std::int64_t count : counts)
    if (count > 0) nodes.push(count);
  if (nodes.size() == 1) return static_cast<double>(nodes.top());
  double bits = 0;  // the sum of all inner nodes
  while (nodes.size() > 1) {
    std::int64_t sum = nodes.top();
    nodes.pop();
    sum += nodes.top();
    nodes.pop();
    bits += static_cast<double>(sum);
    nodes.push(sum);
  }
  return bits;
}

// A block of symbols, and what they cost.
class Block {
 public:
  void add_literal(char byte) { count(literals_[static_cast<unsigned char>(byte)]); }
  void add(const Match& match) {
    const Class length = match.length == longest ? Class{28, 0} : class_of(match.length - 3, 2);
    const Class distance = class_of(match.distance - 1, 1);
    count(literals_[257 + length.number]);
    ++distances_[distance.number];
    extra_ += length.extra_bits + distance.extra_bits;
  }
  bool is_full() const { return symbols_ == 16'384; }
  // The header gives a length of each code, some 3.5 bits if the symbol occurs, less for a run of
  // those that do not.
  double bits() {
    literals_[256] = 1;  // the end of the block
    double header = 3 + 14 + 19 * 3;
    for (const auto* counts : {&literals_, &distances_})
      for (std::size_t i = 0; i < counts->size(); ++i)
        header += (*counts)[i] > 0 ? 3.5 : i > 0 && (*counts)[i - 1] > 0 ? 8 : 0;
    return header + huffman_bits(literals_) + huffman_bits(distances_) +
           static_cast<double>(extra_);
  }

 private:
  void count(std::int64_t& symbol) {
    ++symbol;
    ++symbols_;
  }
  std::vector<std::int64_t> literals_ = std::vector<std::int64_t>(286),
                            distances_ = std::vector<std::int64_t>(30);
  std::size_t symbols_ = 0, extra_ = 0;
};

}  // namespace

double deflate_bits(std::string_view text, std::size_t begin) {
  if (begin > window) {
    text.remove_prefix(begin - window);
    begin = window;
  }
  Finder finder(text);
  for (std::size_t i = 0; i < begin; ++i) finder.add(i);
  double bits = 0;
  Block block;
  for (std::size_t i = begin; i < text.size();) {
    Match match = finder.longest_at(i);
    finder.add(i);
    // A longer repetition that begins one byte later is worth a letter.
    if (match.length > 0 && match.length < longest &&
        finder.longest_at(i + 1).length > match.length)
      match = {};
    if (match.length == 0) {
      block.add_literal(text[i++]);
    } else {
      block.add(match);
      for (std::size_t end = i++ + match.length; i < end; ++i) finder.add(i);
    }
    if (!block.is_full()) continue;
    bits += block.bits();
    block = {};
  }
  return bits + block.bits();
}

}  // namespace train
