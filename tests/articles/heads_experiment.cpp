// What single heads do: a small transformer learns that a verb agrees with its subject,
//
//     the dogs near the cat run         the dog near the cats runs
//     near the cats the dog runs        near the cat the dogs run
//
// and not with the other noun. Then its heads are removed one by one, by setting their outputs to
// 0, and each head's weights say which word it reads at the verb. The model has two widths: with 32
// channels any head can be removed, with 4 hardly one.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "engine/random/generator.h"
#include "engine/tape.h"
#include "model/base/text.h"
#include "nn/adamw.h"
#include "nn/attention.h"
#include "nn/layers.h"
#include "tests/articles/experiment.h"
#include "tests/articles/walkthrough.h"
#include "tests/catch.h"

namespace articles {
namespace {

using Ids = std::vector<std::int32_t>;

// --- the language ----------------------------------------------------------------------------

// A noun's plural is the word after it. Verbs have no ending: the model has to predict it.
const std::vector<std::string> vocabulary = words_of(
    "the near behind beside run sleep wait "
    "dog dogs cat cats bird birds child children fox foxes friend friends");
constexpr std::int32_t the = 0, first_preposition = 1, first_verb = 4, first_noun = 7;
constexpr std::int32_t prepositions = 3, verbs = 3, nouns = 6;
constexpr Index n = 6;  // words of a sentence

// Every sentence has a number. Its words follow from the number, one choice after another.
constexpr Index all_sentences = 2 * nouns * 2 * nouns * 2 * prepositions * verbs;
struct Sentence {
  std::int32_t plural, subject, other_plural, other, order, preposition, verb;

  explicit Sentence(Index number) {
    const auto choice = [&](std::int32_t of) {
      const auto chosen = static_cast<std::int32_t>(number % of);
      number /= of;
      return chosen;
    };
    plural = choice(2), subject = choice(nouns), other_plural = choice(2), other = choice(nouns);
    order = choice(2), preposition = choice(prepositions), verb = choice(verbs);
  }
  // Every third pair of subject and other noun is left out of training.
  bool for_testing() const { return (subject + 2 * other) % 3 == 0; }
  Ids words() const {
    const std::int32_t s = first_noun + 2 * subject + plural;
    const std::int32_t o = first_noun + 2 * other + other_plural;
    const std::int32_t p = first_preposition + preposition, v = first_verb + verb;
    return order == 0 ? Ids{the, s, p, the, o, v} : Ids{p, the, o, the, s, v};
  }
};

struct Sentences {
  Ids words;             // n of each sentence, one sentence after another
  Ids plural;            // 1 if the subject is
  Ids subjects, others;  // which words of the sentence the two nouns are
  Index count() const { return std::ssize(plural); }

  void add(const Sentence& sentence) {
    const Ids added = sentence.words();
    words.insert(words.end(), added.begin(), added.end());
    plural.push_back(sentence.plural);
    subjects.push_back(sentence.order == 0 ? 1 : 4);
    others.push_back(sentence.order == 0 ? 4 : 2);
  }
};

Sentences training_sentences(Index count, Generator& generator) {
  Sentences sentences;
  while (sentences.count() < count) {
    std::int64_t number = 0;
    generator.randint(std::span(&number, 1), 0, all_sentences);
    if (const Sentence sentence(number); !sentence.for_testing()) sentences.add(sentence);
  }
  return sentences;
}

// The test sentences with a singular and a plural noun: the wrong noun gives the wrong answer.
Sentences test_sentences() {
  Sentences sentences;
  for (Index number = 0; number < all_sentences; ++number)
    if (const Sentence sentence(number);
        sentence.for_testing() && sentence.plural != sentence.other_plural)
      sentences.add(sentence);
  return sentences;
}

// --- the model -------------------------------------------------------------------------------

constexpr Index layers = 2, H = 2, heads = layers * H;

struct Block {
  nn::LayerNorm ln_1, ln_2;
  nn::Linear c_attn, c_proj;
  nn::FeedForward mlp;
  explicit Block(Index C)
      : ln_1(C), ln_2(C), c_attn(C, 3 * C), c_proj(C, C), mlp(C, true, nn::Activation::gelu, 0) {}

  struct Result {
    Tensor x, weights;  // (B, n, C), (B, H, n, n)
  };
  // kept (H, 1, 1): 1, or 0 for a head that is removed.
  Result operator()(const Tensor& x, const Tensor& kept) const {
    const Index B = x.shape()[0], C = x.shape().cols();
    const Tensor qkv = c_attn(ln_1(x));
    const auto split = [&](Index part) {  // (B, n, C) -> (B, H, n, C / H)
      return transpose(slice(qkv, -1, part * C, (part + 1) * C).reshape({B, n, H, C / H}), 1, 2);
    };
    const nn::AttentionResult found = nn::attention(split(0), split(1), split(2), {.causal = true});
    const Tensor y = x + c_proj(transpose(found.context * kept, 1, 2).reshape({B, n, C}));
    return {y + mlp(ln_2(y)), found.weights};
  }
  void reflect(nn::Reflector& r) {
    r("ln_1", ln_1), r("ln_2", ln_2), r("c_attn", c_attn), r("c_proj", c_proj), r("mlp", mlp);
  }
};

struct Agreement {
  nn::Embedding word, position;
  std::vector<Block> blocks;
  nn::LayerNorm ln;
  nn::Linear head;  // singular, plural
  explicit Agreement(Index C) : word(std::ssize(vocabulary), C), position(n, C), ln(C), head(C, 2) {
    for (Index i = 0; i < layers; ++i) blocks.emplace_back(C);
  }
  void reflect(nn::Reflector& r) {
    r("word", word), r("position", position), r("blocks", blocks), r("ln", ln), r("head", head);
  }

  struct Result {
    Tensor logits;   // (B, 2), at the verb
    Tensor weights;  // (layers, B, H, n), with which the verb reads the words
  };
  // kept (layers, H, 1, 1)
  Result operator()(const Sentences& sentences, const Tensor& kept) const {
    Tensor x = word(sentences.words, {sentences.count(), n}) + position.weight;
    std::vector<Tensor> weights;
    for (Index i = 0; i < layers; ++i) {
      const Block::Result result = blocks[static_cast<std::size_t>(i)](x, kept[i]);
      x = result.x;
      weights.push_back(select(result.weights, 2, n - 1));
    }
    return {head(ln(select(x, 1, n - 1))), stack(weights)};
  }
};

// --- the experiment --------------------------------------------------------------------------

Agreement trained(Index C, std::uint64_t seed) {
  Generator generator(seed);
  Agreement model(C);
  nn::initialize(model, generator);
  nn::AdamW adamw(nn::decay_matrices(nn::tensors(model)), {});
  const Tensor all = Tensor::ones({layers, H, 1, 1});
  for (int step = 0; step < 500; ++step) {
    const Sentences sentences = training_sentences(32, generator);
    Tape tape;
    tape.backward(cross_entropy(model(sentences, all).logits, sentences.plural));
    adamw.step(5e-3);
  }
  return model;
}

// The part of sentences for which the model finds the subject's number.
double accuracy(const Agreement& model, const Sentences& sentences, const Tensor& kept) {
  const Ids answers = argmax(model(sentences, kept).logits);
  double right = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i] == sentences.plural[i];
  return right / static_cast<double>(sentences.count());
}

// The mean weight of one word of each sentence: weights (B, n).
double mean_weight(const Tensor& weights, const Ids& words) {
  return mean(gather(weights, -1, words, {std::ssize(words), 1})).item();
}

struct Outcome {
  double all, none;                                // accuracy with all heads, and with none
  std::array<double, heads> without;               // with one head removed
  std::array<double, heads> on_subject, on_other;  // a head's weights at the verb
};

Outcome remove_heads(Index C, std::uint64_t seed, bool shown) {
  const Agreement model = trained(C, seed);
  const Sentences sentences = test_sentences();
  const Tensor all = Tensor::ones({layers, H, 1, 1}), none = Tensor::zeros({layers, H, 1, 1});
  const Tensor weights = model(sentences, all).weights;
  Outcome outcome{};
  outcome.all = accuracy(model, sentences, all);
  outcome.none = accuracy(model, sentences, none);
  for (Index i = 0; i < heads; ++i) {
    const Index layer = i / H, h = i % H;
    const Tensor kept = all.clone();
    kept.set({layer, h, 0, 0}, 0);
    const Tensor of_head = select(weights[layer], 1, h);
    const auto at = static_cast<std::size_t>(i);
    outcome.without[at] = accuracy(model, sentences, kept);
    outcome.on_subject[at] = mean_weight(of_head, sentences.subjects);
    outcome.on_other[at] = mean_weight(of_head, sentences.others);
  }
  if (!shown) return outcome;

  say_row("", {"right", "on subject", "on other noun"});
  say_row("all heads", {model::fixed_text(outcome.all, 3)});
  for (std::size_t i = 0; i < heads; ++i)
    say_row(joined("without head ", i / H + 1, ".", i % H + 1),
            {model::fixed_text(outcome.without[i], 3), model::fixed_text(outcome.on_subject[i], 2),
             model::fixed_text(outcome.on_other[i], 2)});
  say_row("without any", {model::fixed_text(outcome.none, 3)});
  // The first sentence has the subject far from the verb.
  std::vector<std::string> words;
  for (Index i = 0; i < n; ++i) {
    const auto id = static_cast<std::size_t>(sentences.words[static_cast<std::size_t>(i)]);
    words.push_back(vocabulary[id]);
  }
  say('\n', labeled(select(weights, 1, 0).reshape({heads, n}), words_of("1.1 1.2 2.1 2.2"), words));
  return outcome;
}

// Means over three models, since chance decides which head learns what.
struct Means {
  double all = 0, without = 0;          // accuracy; with one head removed, also over heads
  double on_subject = 0, on_other = 0;  // over heads of the last layer
};
Means three_models(Index C) {
  section(joined(C, " channels"));
  Means means;
  for (std::uint64_t model = 0; model < 3; ++model) {
    const Outcome outcome = remove_heads(C, experiment_seed() + 1000 * model, model == 0);
    // Without heads an answer depends on the verb alone; half of its subjects are plural.
    CHECK(outcome.none == 0.5);
    means.all += outcome.all / 3;
    for (std::size_t i = 0; i < heads; ++i) {
      means.without += outcome.without[i] / (3 * heads);
      if (i < heads - H) continue;
      means.on_subject += outcome.on_subject[i] / (3 * H);
      means.on_other += outcome.on_other[i] / (3 * H);
    }
  }
  say("\nMean of three models: ", model::fixed_text(means.all, 3), " right, with one head removed ",
      model::fixed_text(means.without, 3), "; heads of layer 2 on the subject ",
      model::fixed_text(means.on_subject, 2), ", on the other noun ",
      model::fixed_text(means.on_other, 2));
  return means;
}

TEST_CASE("heads: removed one by one", "[articles][heads]") {
  title("What single heads do: the number of a verb");
  say("Sentences with a singular and a plural noun: the part with the right verb when one head is\n"
      "removed, and the weights with which this head, kept, reads the two nouns at the verb.");
  const Means wide = three_models(32), narrow = three_models(4);
  CHECK(wide.all > 0.97);
  CHECK(narrow.all > 0.9);
  CHECK(wide.on_subject > 3 * wide.on_other);
  CHECK(wide.without > 0.92);
  CHECK(narrow.without < 0.92);
}

}  // namespace
}  // namespace articles
