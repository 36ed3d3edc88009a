#include "model/tokenizer/bpe/train.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "model/base/hash_map.h"
#include "model/tokenizer/bpe/split.h"

namespace model {

namespace {

using Position = std::uint32_t;

// The distinct chunks of the texts, the most frequent first. Chunks of equal count lie side by
// side, so the count at a position is found by a binary search among the few different counts.
class Chunks {
 public:
  explicit Chunks(std::span<const std::string_view> texts) {
    std::vector<Chunk> chunks;  // in the order of their first occurrences
    TextMap<Index> numbers;     // of chunks
    for (const std::string_view text : texts)
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = gpt2_chunk_end(text, begin);
        const std::string_view chunk = text.substr(begin, end - begin);
        const auto [number, is_new] = numbers.insert(chunk, std::ssize(chunks));
        if (is_new) chunks.push_back({chunk, 0});
        ++engine::at(chunks, number).count;
        begin = end;
      }
    std::ranges::stable_sort(chunks, std::greater{}, &Chunk::count);

    std::size_t size = 1;
    for (const Chunk& chunk : chunks) size += chunk.text.size() + 1;
    check(size < std::numeric_limits<Position>::max(), "BPE: ", size,
          " bytes of distinct chunks, expected less than 4 GiB");
    tokens_.reserve(size);
    tokens_.push_back(none);
    for (const auto [text, count] : chunks) {
      for (const char byte : text) tokens_.push_back(static_cast<unsigned char>(byte));
      tokens_.push_back(none);
      if (groups_.empty() || groups_.back().count != count) groups_.push_back({0, count});
      groups_.back().end = static_cast<Position>(tokens_.size());
    }
  }

  // One entry per byte, and `none` before, between and after the chunks. A token of several bytes
  // is in the entries of its first and its last byte, with `none` between them.
  static constexpr std::int32_t none = -1;
  std::vector<std::int32_t>& tokens() { return tokens_; }

  // How often the chunk around `position` occurs.
  Index count(Position position) const {
    return std::ranges::upper_bound(groups_, position, {}, &Group::end)->count;
  }

 private:
  struct Chunk {
    std::string_view text;
    Index count;
  };
  struct Group {
    Position end;  // of the chunks that occur `count` times
    Index count;
  };
  std::vector<std::int32_t> tokens_;
  std::vector<Group> groups_;
};

class Trainer {
 public:
  Trainer(std::span<const std::string_view> texts, Index at_least, Index min_count)
      : at_least_(at_least),
        min_count_(min_count),
        chunks_(texts),
        tokens_(chunks_.tokens()),
        sizes_(256, 1) {
    for (Position at = 0; at + 1 < tokens_.size(); ++at)
      if (tokens_[at] != Chunks::none && tokens_[at + 1] != Chunks::none)
        add(tokens_[at], tokens_[at + 1], at, chunks_.count(at));
    add_candidates(0);
  }

  // Merges the most frequent pair; false if none is frequent enough. (A merge makes no pair that is
  // more frequent than the merged pair, so a pair that is too rare now stays too rare.)
  bool merge_next(Merge& merge) {
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const Index count = pairs_[best.pair].count;
      if (count == best.count) {
        if (count < enough()) return false;
        merge = {static_cast<std::int32_t>(best.key >> 32), static_cast<std::int32_t>(best.key)};
        join(merge, best.pair);
        return true;
      }
      // The pair has lost places to other merges since this candidate was added.
      add_candidate(best.pair);
    }
    return false;
  }

 private:
  struct Pair {
    std::uint64_t key;  // pair_key(left, right)
    Index count = 0;
    std::vector<Position> places;  // of its left token; some may have been merged away since
  };
  struct Candidate {
    Index count;
    std::uint64_t key;
    std::size_t pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };

  Position size(std::int32_t token) const { return engine::at(sizes_, token); }

  void add(std::int32_t left, std::int32_t right, Position at, Index count) {
    std::uint32_t& number = numbers_[pair_key(left, right)];
    if (number == 0) {
      pairs_.push_back({pair_key(left, right), 0, {}});
      number = static_cast<std::uint32_t>(pairs_.size());
    }
    pairs_[number - 1].count += count;
    pairs_[number - 1].places.push_back(at);
  }
  void remove(std::int32_t left, std::int32_t right, Index count) {
    Pair& pair = pairs_[numbers_[pair_key(left, right)] - 1];
    pair.count -= count;
    if (pair.count == 0) pair.places = {};
  }

  // How often a pair must occur to be merged next.
  Index enough() const { return std::ssize(sizes_) < 256 + min_count_ ? 2 : at_least_; }

  void add_candidate(std::size_t pair) {
    const Index count = pairs_[pair].count;
    if (count >= enough()) candidates_.push({count, pairs_[pair].key, pair});
  }
  void add_candidates(std::size_t first) {
    for (std::size_t pair = first; pair < pairs_.size(); ++pair) add_candidate(pair);
  }

  // Replaces the pair by a new token wherever it occurs. Only pairs with the new token gain places,
  // and all of them are new pairs: merges cut the bytes of a token in the same way everywhere, so
  // no other merge makes the same token.
  void join(const Merge& merge, std::size_t pair) {
    const auto token = static_cast<std::int32_t>(sizes_.size());
    const Position left_size = size(merge.left);
    sizes_.push_back(left_size + size(merge.right));
    const std::size_t first_new = pairs_.size();
    const std::vector<Position> places = std::move(pairs_[pair].places);
    for (const Position at : places) {
      const Position middle = at + left_size;
      if (tokens_[at] != merge.left || tokens_[middle] != merge.right) continue;
      const Position end = at + sizes_.back();
      const Index count = chunks_.count(at);
      if (const std::int32_t before = tokens_[at - 1]; before != Chunks::none) {
        remove(before, merge.left, count);
        add(before, token, at - size(before), count);
      }
      if (const std::int32_t after = tokens_[end]; after != Chunks::none) {
        remove(merge.right, after, count);
        add(token, after, at, count);
      }
      tokens_[middle - 1] = tokens_[middle] = Chunks::none;
      tokens_[at] = tokens_[end - 1] = token;
    }
    pairs_[pair].count = 0;
    add_candidates(first_new);
  }

  Index at_least_, min_count_;
  Chunks chunks_;
  std::vector<std::int32_t>& tokens_;
  std::vector<Position> sizes_;  // of each token in bytes
  std::vector<Pair> pairs_;
  KeyMap<std::uint32_t> numbers_;  // key -> 1 + index in pairs_
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

std::vector<Merge> train_bpe(std::span<const std::string_view> texts, Index count, Index at_least,
                             Index min_count) {
  Trainer trainer(texts, at_least, min_count);
  std::vector<Merge> merges;
  Merge merge;
  while (std::ssize(merges) < count && trainer.merge_next(merge)) merges.push_back(merge);
  return merges;
}

}  // namespace model
