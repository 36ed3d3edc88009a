#include "model/tokenizer/bpe/bpe_tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "model/format/json_writer.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "model/tokenizer/bpe/split.h"

namespace model {

BpeTokenizer::BpeTokenizer(const std::vector<std::string>& tokens, std::vector<Merge> merges)
    : merges_(std::move(merges)) {
  TextMap<Index> ids;
  ids.reserve(std::ssize(tokens));
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    check(!tokens[id].empty(), "token ", id, " is empty");
    const auto [first, is_new] = ids.insert(tokens[id], static_cast<Index>(id));
    check(is_new, "token ", id, " has the same bytes as token ", first);
    add_token(tokens[id]);
  }
  for (int value = 0; value < 256; ++value) {
    const char byte = static_cast<char>(value);
    const Index* id = ids.find({&byte, 1});
    check(id != nullptr, "no token for the byte ", value, ", expected one for each of the 256");
    id_of_byte_[value] = static_cast<std::int32_t>(*id);
  }

  std::string bytes;
  merged_.reserve(merges_.size());
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
    const auto [left, right] = merges_[rank];
    for (const std::int32_t side : {left, right})
      check(0 <= side && side < vocabulary_size(), "merge ", rank, " of token ", side,
            ", expected less than ", vocabulary_size());
    bytes.assign(token_bytes(left)).append(token_bytes(right));
    const Index* made = ids.find(bytes);
    check(made != nullptr, "merge ", rank, " of tokens ", left, " and ", right, " makes no token");
    check(!rank_of_.find(pair_key(left, right)), "merge ", rank, " of tokens ", left, " and ",
          right, " is there twice");
    rank_of_[pair_key(left, right)] = static_cast<std::int32_t>(rank);
    merged_.push_back(static_cast<std::int32_t>(*made));
  }
}

std::shared_ptr<const BpeTokenizer> BpeTokenizer::train(std::span<const std::string_view> texts,
                                                        Index vocabulary_size, Index at_least,
                                                        Index min_size) {
  check(vocabulary_size >= 256, "vocab_size ", vocabulary_size,
        " is too small for BPE, expected 256 (the bytes) or more");
  std::vector<Merge> merges = train_bpe(texts, vocabulary_size - 256, at_least, min_size - 256);
  std::vector<std::string> tokens;
  for (int value = 0; value < 256; ++value) tokens.emplace_back(1, static_cast<char>(value));
  for (const auto [left, right] : merges)
    tokens.push_back(engine::at(tokens, left) + engine::at(tokens, right));
  return std::make_shared<BpeTokenizer>(tokens, std::move(merges));
}

// Encodes chunks, one after another. The tokens of a chunk form a linked list; each token is in the
// node of its first byte. A heap holds the places where a merge applies, ordered by merge, then
// from left to right. Merging at a place removes at most two other places and adds at most two, so
// a chunk of n bytes takes O(n log n).
class BpeTokenizer::ChunkEncoder {
 public:
  explicit ChunkEncoder(const BpeTokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // The ids of `chunk`, valid until the next call.
  const std::vector<std::int32_t>& encode(std::string_view chunk) {
    check(chunk.size() < none, "BPE: a run of ", chunk.size(),
          " bytes without a break, expected less than 4 GiB");
    const auto size = static_cast<Position>(chunk.size());
    nodes_.clear();
    for (Position at = 0; at < size; ++at)
      nodes_.push_back(
          {tokenizer_.id_of_byte_[static_cast<unsigned char>(chunk[at])], at - 1, at + 1});
    nodes_.push_back({no_token, size - 1, none});  // every token has a right neighbor
    heap_.clear();
    for (Position at = 0; at < size; ++at) add_place(at);
    std::ranges::make_heap(heap_, std::greater{});
    while (!heap_.empty()) apply(rank_of(heap_.front()));
    ids_.clear();
    for (Position at = 0; nodes_[at].token != no_token; at = nodes_[at].next)
      ids_.push_back(nodes_[at].token);
    return ids_;
  }

 private:
  using Position = std::uint32_t;
  static constexpr Position none = ~Position{0};  // also Position{0} - 1
  static constexpr std::int32_t no_token = -1;    // part of the token to the left, or the end
  struct Node {
    std::int32_t token;
    Position previous, next;
  };
  using Place = std::uint64_t;  // pair_key(rank, position of the left token)
  static std::int32_t rank_of(Place place) { return static_cast<std::int32_t>(place >> 32); }

  // Adds the place if the token at `at` and the next one can be merged; returns whether they can.
  bool add_place(Position at) {
    const std::int32_t right = nodes_[nodes_[at].next].token;
    if (right == no_token) return false;
    const std::int32_t* rank = tokenizer_.rank_of_.find(pair_key(nodes_[at].token, right));
    if (rank) heap_.push_back(pair_key(*rank, at));
    return rank != nullptr;
  }

  // Applies one merge at all its places, and only then adds the places that become possible. This
  // is GPT-2's order; it matters where a later merge makes a token that an earlier merge takes.
  void apply(std::int32_t rank) {
    const Merge merge = engine::at(tokenizer_.merges_, rank);
    changed_.clear();
    while (!heap_.empty() && rank_of(heap_.front()) == rank) {
      const auto at = static_cast<Position>(heap_.front());
      std::ranges::pop_heap(heap_, std::greater{});
      heap_.pop_back();
      Node& left = nodes_[at];
      if (left.token != merge.left || nodes_[left.next].token != merge.right) continue;
      nodes_[left.next].token = no_token;
      left.next = nodes_[left.next].next;
      nodes_[left.next].previous = at;
      left.token = engine::at(tokenizer_.merged_, rank);
      changed_.push_back(at);
    }
    for (const Position at : changed_) {
      if (add_place(at)) std::ranges::push_heap(heap_, std::greater{});
      const Position previous = nodes_[at].previous;
      if (previous != none && add_place(previous)) std::ranges::push_heap(heap_, std::greater{});
    }
  }

  const BpeTokenizer& tokenizer_;
  std::vector<Node> nodes_;
  std::vector<Place> heap_;
  std::vector<Position> changed_;
  std::vector<std::int32_t> ids_;
};

void BpeTokenizer::encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                               UnknownSymbols*, KnownChunks& known) const {
  // The same chunks occur again and again. The limits keep what is known of them below about 100 MB
  // where they do not.
  constexpr Index max_chunks = 1 << 20;
  constexpr std::size_t max_chunk_size = 32;
  ChunkEncoder encoder(*this);

  while (begin < text.size()) {
    const std::size_t end = gpt2_chunk_end(text, begin);
    const std::string_view chunk = text.substr(begin, end - begin);
    begin = end;
    if (chunk.size() > max_chunk_size) {
      for (const std::int32_t id : encoder.encode(chunk)) ids.push_back(id);
      continue;
    }
    if (known.ranges.size() == max_chunks) known = {};
    const auto [range, is_new] = known.ranges.insert(chunk, {});
    if (is_new) {
      const std::vector<std::int32_t>& encoded = encoder.encode(chunk);
      range = {known.ids.size(), known.ids.size() + encoded.size()};
      known.ids.insert(known.ids.end(), encoded.begin(), encoded.end());
    }
    for (std::size_t i = range.begin; i < range.end; ++i) ids.push_back(known.ids[i]);
  }
}

// {"kind":"bpe","tokens":["!",...],"merges":[left,right,left,right,...]}, tokens by
// printable_bytes.
std::string BpeTokenizer::save() const {
  const auto token = [&](Index id) { return printable_bytes(token_bytes(id)); };
  const auto side = [&](Index i) {
    const Merge merge = engine::at(merges_, i / 2);
    return i % 2 == 0 ? merge.left : merge.right;
  };
  return JsonObject()
      .add("kind", engine::name_of(kind()), "tokens", json_array(vocabulary_size(), token),
           "merges", json_array(2 * std::ssize(merges_), side))
      .text();
}

std::shared_ptr<const BpeTokenizer> BpeTokenizer::load(Json::Value saved) {
  std::vector<std::string> tokens;
  for (const Json::Value token : saved.at("tokens").elements())
    tokens.push_back(bytes_of_printable(token.string()));

  std::vector<std::int32_t> sides;
  for (const Json::Value side : saved.at("merges").elements()) {
    const std::int64_t id = side.integer();
    check(0 <= id && id < std::ssize(tokens), "byte ", side.offset(), ": merge of token ", id,
          ", expected less than ", tokens.size());
    sides.push_back(static_cast<std::int32_t>(id));
  }
  check(sides.size() % 2 == 0, "an odd number of merged tokens: ", sides.size());
  std::vector<Merge> merges;
  for (std::size_t i = 0; i < sides.size(); i += 2) merges.push_back({sides[i], sides[i + 1]});
  return std::make_shared<BpeTokenizer>(tokens, std::move(merges));
}

}  // namespace model
