// gradus in a browser: what the page's script calls, compiled to WebAssembly (`make page`). Each
// function returns its answer as JSON, with `error` if it failed; the text stays valid until the
// next call. One run at a time; `advance` trains in slices, so that the script can listen between
// them. The losses are those of ./gradus with the flags that `begin` returns.
#include <emscripten/emscripten.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/storage.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"
#include "model/format/json.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"
#include "model/gpt/attention_weights.h"
#include "model/model_file.h"
#include "model/tokenizer/factory.h"
#include "train/loop/trainer.h"
#include "train/run/defaults.h"
#include "train/text/ngrams.h"
#include "train/text/text_units.h"

namespace {

using engine::Index;
using engine::joined;
using model::json_array;
using model::json_string;

std::string number(double x) {
  return std::isfinite(x) ? model::value_text(x) : std::string("null");
}

// The tokenizer for a text by the rule of `train`, and the text's tokens, of which the first nine
// tenths are trained on: at least all those that the tokenizer was learned from.
struct Text {
  explicit Text(std::string_view text)
      : tokenizer(tokenizer_for(text)), corpus(tokenizer->encode(text), 0), bytes(text.size()) {}

  void cut(const train::Plan& plan) {
    const std::size_t unseen = bytes - learned_bytes(bytes);
    const Index at_least =
        tokenizer->kind() == "bpe" ? train::tokens_before_last(unseen, corpus, *tokenizer) : 0;
    corpus.cut(plan.val_fraction, plan.block_size, at_least);
  }

  model::TokenizerHandle tokenizer;
  train::Corpus corpus;
  std::size_t bytes;

 private:
  static std::size_t learned_bytes(std::size_t all) {
    return static_cast<std::size_t>((1 - train::Plan().val_fraction) * static_cast<double>(all));
  }
  static model::TokenizerHandle tokenizer_for(std::string_view text) {
    const auto choice = model::choose_tokenizer(std::span(&text, 1));
    const std::string_view learned =
        choice.kind == "bpe" ? text.substr(0, learned_bytes(text.size())) : text;
    return model::train_tokenizer(choice.kind == "byte" ? "char" : choice.kind, learned);
  }
};

// The default plan of `train` for a text, at a cost of so many floating-point operations.
train::Plan plan_for(const Text& text, Index characters, double flops) {
  train::Plan plan = train::default_plan(characters, text.tokenizer->vocabulary_size(),
                                         train::Recipe::best, flops);
  plan.vocab_size = text.tokenizer->vocabulary_size();
  plan.min_lr = 0;
  plan.lr_decay_iters = plan.max_iters;
  plan.warmup_iters = std::min<Index>(100, plan.max_iters / 2);
  plan.eval_interval = std::max<Index>(1, plan.max_iters / 12);
  plan.eval_tokens = 10'000;
  return plan;
}

// The flags by which ./gradus makes the same run in a terminal.
std::string flags_of(const train::Plan& plan) {
  std::string flags = "--threads 1";
  const auto add = [&](const auto& setting) {
    if (setting.name != "vocab_size") flags += joined(" --", setting.name, " ", setting.get(plan));
  };
  for (const model::Setting<train::Plan> setting : model::config_settings) add(setting);
  for (const train::PlanSetting& setting : train::plan_settings) add(setting);
  return flags;
}

struct Run final : train::Trainer::Listener {
  Run(std::string_view bytes, double flops)
      : text(bytes), plan(plan_for(text, engine::count_characters(bytes), flops)) {
    text.cut(plan);
    const Index tokens = text.corpus.size(train::Split::train);
    plan.dropout = train::dropout_for(train::overfitting(plan, plan.max_iters, tokens));
    plan.weight_decay = train::weight_decay_for(plan, tokens);
    units = train::units_of(text.corpus, *text.tokenizer);
    training.emplace(plan, text.corpus);
    trainer.emplace(*training, text.corpus);
  }

  void evaluated(const train::Evaluation& e) override {
    evaluations.push_back(joined("{\"step\":", e.step, ",\"train\":", number(bits(e.train_loss)),
                                 ",\"val\":", number(bits(e.val_loss)),
                                 ",\"nats\":", number(e.val_loss), "}"));
  }
  // The number that the page follows: the first weight of the first block's attention.
  engine::Tensor watched() const { return training->gpt.h.front().attn.c_attn.weight; }
  void differentiated(bool) override {
    before = double(watched().data()[0]);
    gradient = double(watched().gradient().value().data()[0]);
  }
  void updated(const train::Update& u) override {
    losses.push_back(joined("[", u.step + 1, ",", number(bits(u.loss)), "]"));
    last = u;
  }
  bool between_steps(bool) override { return training->step < until && Clock::now() < deadline; }

  double bits(double nats) const { return units.bits(nats); }

  using Clock = std::chrono::steady_clock;
  Text text;
  train::Plan plan;
  train::TextUnits units;
  std::optional<train::Training> training;
  std::optional<train::Trainer> trainer;
  Index until = 0;
  Clock::time_point deadline;
  std::vector<std::string> evaluations, losses;
  double before = 0, gradient = 0;
  std::optional<train::Update> last;
};

std::optional<Run> run;
// What writes: the run's model, or one that was opened.
std::optional<model::LoadedModel> opened;
std::string answer;

const char* answer_of(auto f) {
  try {
    answer = f();
  } catch (const engine::Error& error) {
    answer = joined("{\"error\":", json_string(error.what()), "}");
  } catch (const std::bad_alloc&) {
    answer =
        "{\"error\":\"There is not enough memory for this; a smaller model or a shorter text "
        "may fit.\"}";
  }
  return answer.c_str();
}

std::string list(const std::vector<std::string>& values) {
  return json_array(std::ssize(values), [&](Index i) { return engine::at(values, i); });
}

const model::Tokenizer& tokenizer() { return opened ? *opened->tokenizer : *run->text.tokenizer; }
model::GPT& gpt() { return opened ? opened->gpt : run->training->gpt; }

std::vector<std::int32_t> ids_of(std::string_view prompt) {
  engine::check(opened || run, "There is no model yet: press Train first, or open one.");
  Index skipped = 0;  // characters that the vocabulary does not have
  const model::TokenIds ids = tokenizer().encode(prompt, &skipped);
  std::vector<std::int32_t> text(engine::unsigned_size(ids.size()));
  if (!text.empty()) ids.copy(0, text);
  if (text.empty()) text.push_back(model::first_token(tokenizer()));
  return text;
}

}  // namespace

extern "C" {

// A new run on a text of `size` bytes at `text`, which costs `flops` floating-point operations.
EMSCRIPTEN_KEEPALIVE const char* begin(const char* text, int size, double flops) {
  return answer_of([&] {
    run.reset();
    opened.reset();
    engine::pool::trim();
    const std::string_view bytes(text, static_cast<std::size_t>(size));
    engine::check(engine::valid_utf8_prefix(bytes) == bytes.size(), "The text is not UTF-8.");
    engine::within([&] { run.emplace(bytes, flops); }, "The text");
    const train::Corpus& corpus = run->text.corpus;
    const train::Ngrams ngrams = train::count_ngrams(corpus.ids(), corpus.size(train::Split::train),
                                                     *run->text.tokenizer, run->plan.vocab_size);
    return joined(
        "{\"tokens\":", corpus.ids().size(), ",\"kind\":", json_string(run->text.tokenizer->kind()),
        ",\"vocabulary\":", run->plan.vocab_size, ",\"parameters\":", run->plan.parameter_count(),
        ",\"layers\":", run->plan.n_layer, ",\"channels\":", run->plan.n_embd,
        ",\"heads\":", run->plan.n_head, ",\"steps\":", run->plan.max_iters,
        ",\"flops\":", number(run->plan.update_flops()),
        ",\"unit\":", json_string(run->units.unit()),
        ",\"ngram\":", number(run->bits(ngrams.best_loss())),
        ",\"flags\":", json_string(flags_of(run->plan)), "}");
  });
}

// Trains for up to `steps` updates or `seconds`.
EMSCRIPTEN_KEEPALIVE const char* advance(int steps, double seconds) {
  return answer_of([&] {
    engine::check(run.has_value(), "There is no run yet.");
    run->evaluations.clear();
    run->losses.clear();
    run->until = run->training->step + steps;
    run->deadline = Run::Clock::now() + std::chrono::duration_cast<Run::Clock::duration>(
                                            std::chrono::duration<double>(seconds));
    run->trainer->run(*run);
    std::string json =
        joined("{\"step\":", run->training->step, ",\"steps\":", run->plan.max_iters,
               ",\"losses\":", list(run->losses), ",\"evaluations\":", list(run->evaluations));
    if (run->last)
      json += joined(",\"number\":{\"before\":", number(run->before),
                     ",\"gradient\":", number(run->gradient),
                     ",\"norm\":", number(run->last->gradient_norm),
                     ",\"rate\":", number(run->last->learning_rate),
                     ",\"after\":", number(double(run->watched().data()[0])), "}");
    return json + "}";
  });
}

// Goes on from a prompt for `count` tokens.
EMSCRIPTEN_KEEPALIVE const char* continue_text(const char* prompt, int size, int count,
                                               double temperature, double seed) {
  return answer_of([&] {
    std::vector<std::int32_t> text = ids_of({prompt, static_cast<std::size_t>(size)});
    model::GPT copy(gpt().config);  // CachedGPT takes a model over
    model::copy_weights(gpt(), copy);
    model::CachedGPT cached(std::move(copy));
    model::Sampler sampler({.temperature = temperature}, static_cast<std::uint64_t>(seed));
    model::TextStream stream({});
    std::string written;
    model::generate(cached, sampler, tokenizer().vocabulary_size(), text, count,
                    [&](std::int32_t id) {
                      written += stream.add(tokenizer().token_bytes(id));
                      return true;
                    });
    return joined("{\"text\":", json_string(written + stream.flush()), "}");
  });
}

// The attention weights of the last layer for the prompt's first 48 tokens: heads of rows.
EMSCRIPTEN_KEEPALIVE const char* attention(const char* prompt, int size) {
  return answer_of([&] {
    std::vector<std::int32_t> ids = ids_of({prompt, static_cast<std::size_t>(size)});
    const Index T = std::min<Index>({std::ssize(ids), 48, gpt().config.block_size});
    ids.resize(engine::unsigned_size(T));
    const engine::Tensor weights = model::attention_weights(gpt(), ids).back();
    const auto token = [&](Index i) {
      const std::string_view bytes = tokenizer().token_bytes(engine::at(ids, i));
      return json_string(engine::valid_utf8_prefix(bytes) == bytes.size() ? bytes : "?");
    };
    const auto weight = [&](Index head, Index i, Index j) {
      return engine::fixed_text(double(weights.data()[(head * T + i) * T + j]), 3);
    };
    return joined("{\"tokens\":", json_array(T, token), ",\"heads\":",
                  json_array(weights.shape()[0],
                             [&](Index h) {
                               return json_array(T, [&](Index i) {
                                 return json_array(T, [&](Index j) { return weight(h, i, j); });
                               });
                             }),
                  "}");
  });
}

// The model as a .safetensors file: its place and its size. The script copies it.
EMSCRIPTEN_KEEPALIVE const char* save() {
  return answer_of([&] {
    engine::check(opened || run, "There is no model yet.");
    static std::string file;
    file.clear();
    model::SafetensorsWriter writer;
    model::add_model(writer, gpt(), tokenizer());
    for (const std::string_view piece : writer.pieces()) file += piece;
    return joined("{\"at\":", reinterpret_cast<std::uintptr_t>(file.data()),
                  ",\"size\":", file.size(), "}");
  });
}

// Opens a model.safetensors of gradus, to write with.
EMSCRIPTEN_KEEPALIVE const char* open_model(const char* bytes, int size) {
  return answer_of([&] {
    engine::within(
        [&] {
          const model::SafetensorsFile file({bytes, static_cast<std::size_t>(size)});
          opened.emplace(model::load_model(file));
        },
        "The file");
    run.reset();
    return joined("{\"parameters\":", opened->gpt.config.parameter_count(),
                  ",\"kind\":", json_string(opened->tokenizer->kind()), "}");
  });
}
}
