// gradus in a browser: the functions that the page's script calls, compiled to WebAssembly (`make
// page`). Each function returns its answer as JSON, with `error` if it failed; the text stays valid
// until the next call. One run at a time; `advance` trains in slices, so that the script can listen
// between them. The losses equal those of ./gradus with the flags that `begin` returns.
#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#else
#define EMSCRIPTEN_KEEPALIVE  // tests call the functions without a browser
#endif

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/storage.h"
#include "engine/base/text.h"
#include "engine/ops.h"
#include "model/base/files.h"
#include "model/base/text.h"
#include "model/base/utf8.h"
#include "model/format/json_writer.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"
#include "model/gpt/attention_weights.h"
#include "model/model_file.h"
#include "train/loop/trainer.h"
#include "train/run/make_plan.h"
#include "train/run/verdict.h"
#include "train/text/ngrams.h"
#include "train/text/sources.h"
#include "train/text/text_kind.h"

namespace {

using engine::Index;
using engine::joined;
using model::json_array;
using model::JsonObject;
using model::JsonText;

// A token may be part of a character: what is not UTF-8 becomes U+FFFD.
std::string as_utf8(std::string_view bytes) {
  std::string text;
  for (;;) {
    const std::size_t whole = model::valid_utf8_prefix(bytes);
    text += bytes.substr(0, whole);
    if (whole == bytes.size()) return text;
    text += "\xef\xbf\xbd";
    bytes.remove_prefix(whole + 1);
  }
}

train::Sources sources_of(std::string_view text) {
  train::Texts texts;
  texts.name = "The text";
  texts.joined = train::without_mark(std::string(text));
  train::take_line_ends(texts.joined);
  engine::check(!texts.joined.empty(), "The text is empty.");
  texts.paths = {"text"};
  texts.ends = {texts.joined.size()};
  return train::split_texts(std::move(texts), {}, train::Plan().val_fraction);
}

// A text, and its tokens by the rules of `train`.
struct Text {
  explicit Text(std::string_view text)
      : sources(sources_of(text)),
        characters(model::count_characters(sources.texts.joined)),
        tokenizer(train::make_tokenizer({}, sources, notes)),
        corpus(train::encode(sources, *tokenizer)) {
    train::check_context(sources, corpus, 1);
  }

  train::Notes notes;
  train::Sources sources;
  Index characters;
  model::TokenizerHandle tokenizer;
  train::Corpus corpus;
};

// The plan of `train` for a text and a budget of floating-point operations; settle_schedule completes
// it.
train::Plan plan_for(const Text& text, double flops = train::default_flops) {
  return train::make_plan({.flops = flops, .longest_context = text.corpus.longest_context()},
                          text.characters, text.tokenizer->vocabulary_size());
}

// Completes the plan, with evaluations short enough for the page.
train::Plan settled(train::Plan plan, const train::Corpus& corpus) {
  train::PlanWish wish;
  wish.given = train::Given::of<&train::Plan::eval_interval, &train::Plan::eval_tokens>();
  plan.eval_interval = std::max<Index>(1, plan.max_iters / 12);
  plan.eval_tokens = 10'000;
  train::settle_schedule(plan, wish, corpus);
  return plan;
}

// The flags with which ./gradus makes the same run in a terminal: settings in which `plan`, before
// settling, differs from the usual plan, and settings that the page settles differently.
std::string flags_of(const train::Plan& plan, const train::Plan& usual,
                     const train::Plan& settled) {
  std::string flags = "--dtype float32";
  const auto add = [&](const auto& setting) {
    if (setting.get(plan) != setting.get(usual) || setting.name == "eval_interval" ||
        setting.name == "eval_tokens")
      flags += joined(" --", setting.name, " ", setting.get(settled));
  };
  for (const auto& setting : model::config_settings) add(setting);
  for (const train::PlanSetting& setting : train::plan_settings) add(setting);
  return flags;
}

struct Run final : train::Trainer::Listener {
  Run(std::string_view bytes, double flops) : text(bytes) {
    const train::Plan chosen = plan_for(text, flops);
    const train::Corpus& corpus = text.corpus;
    plan = settled(chosen, corpus);
    flags = flags_of(chosen, plan_for(text), plan);
    ngrams = train::count_ngrams(corpus.ids(), corpus.size(train::Split::train), *text.tokenizer,
                                 plan.vocab_size);
    training.emplace(plan, corpus);
    trainer.emplace(*training, corpus);
    kept.emplace(plan);
  }

  void evaluated(const train::Evaluation& e) override {
    log.push_back({e.step, {}, {}, {}, e.train_loss, e.val_loss});
    if (e.best) model::copy_weights(training->gpt, *kept);
    evaluations.push_back(JsonObject().add("step", e.step, "train", bits(e.train_loss), "val",
                                           bits(e.val_loss), "nats", e.val_loss));
  }
  // The number that the page follows: the first weight of the first block's attention.
  engine::Tensor watched() const { return training->gpt.h.front().attn.c_attn.weight; }
  void differentiated() override {
    before = double(watched().data()[0]);
    gradient = double(watched().gradient().value().data()[0]);
  }
  void updated(const train::Update& u) override {
    losses.push_back(json_array(std::array{double(u.step + 1), bits(u.loss)}));
    last = u;
  }
  bool between_steps(bool) override { return training->step < until && Clock::now() < deadline; }

  double bits(double nats) const { return text.corpus.units().bits(nats); }
  bool is_over() const { return training->step >= plan.max_iters; }
  // The model that writes: at the end, as in a terminal, the best of those that were evaluated.
  model::GPT& gpt() { return is_over() ? *kept : training->gpt; }
  // The verdict that a terminal shows at the end.
  std::string verdict() const {
    return train::verdict(plan, ngrams, training->best_val_loss, train::best_row(*training, log),
                          log, text.corpus.units())
        .text;
  }

  using Clock = std::chrono::steady_clock;
  Text text;
  train::Plan plan;
  std::string flags;
  train::Ngrams ngrams;
  std::optional<train::Training> training;
  std::optional<train::Trainer> trainer;
  std::optional<model::GPT> kept;
  std::vector<train::LogRow> log;  // of evaluations
  Index until = 0;
  Clock::time_point deadline;
  std::vector<JsonObject> evaluations;
  std::vector<JsonText> losses;
  double before = 0, gradient = 0;
  std::optional<train::Update> last;
};

std::unique_ptr<Run> run;
// The model that writes: the run's, or one that was opened.
std::optional<model::LoadedModel> opened;
std::string answer;

const char* answer_of(auto f) {
  try {
    answer = f().text();
  } catch (const std::exception& error) {
    const char* const text = engine::pool::out_of_memory(error, "")
                                 ? "There is not enough memory for this; a smaller model or a "
                                   "shorter text may fit."
                                 : error.what();
    answer = JsonObject().add("error", as_utf8(text)).text();
  }
  return answer.c_str();
}

const model::Tokenizer& tokenizer() { return opened ? *opened->tokenizer : *run->text.tokenizer; }
model::GPT& gpt() { return opened ? opened->gpt : run->gpt(); }

std::vector<std::int32_t> ids_of(std::string_view prompt) {
  engine::check(opened || run, "There is no model yet: press Train first, or open one.");
  model::UnknownSymbols unknown;  // left out
  const model::TokenIds ids = tokenizer().encode(prompt, &unknown);
  std::vector<std::int32_t> text(engine::unsigned_size(ids.size()));
  if (!text.empty()) ids.copy(0, text);
  if (text.empty()) text.push_back(model::first_token(tokenizer()));
  return text;
}

}  // namespace

extern "C" {

// What training on a text of `size` bytes at `text` costs with each size of model. `small`, `medium`
// and `large` are budgets in floating-point operations.
EMSCRIPTEN_KEEPALIVE const char* estimate(const char* text, int size, double small, double medium,
                                          double large) {
  return answer_of([&] {
    Text read({text, static_cast<std::size_t>(size)});
    const double flops[] = {small, medium, large};
    const auto cost = [&](Index i) {
      const train::Plan plan = plan_for(read, flops[i]);
      return plan.update_flops() * static_cast<double>(plan.max_iters);
    };
    return JsonObject().add("costs", json_array(3, cost));
  });
}

// Starts a run on the text with a budget of `flops` floating-point operations. After an error the
// previous run stays.
EMSCRIPTEN_KEEPALIVE const char* begin(const char* text, int size, double flops) {
  return answer_of([&] {
    run = std::make_unique<Run>(std::string_view(text, static_cast<std::size_t>(size)), flops);
    opened.reset();
    engine::pool::trim();
    const train::Plan& plan = run->plan;
    return JsonObject().add("tokens", run->text.corpus.ids().size(), "kind",
                            engine::name_of(run->text.tokenizer->kind()), "vocabulary",
                            plan.vocab_size, "parameters", plan.parameter_count(), "layers",
                            plan.n_layer, "channels", plan.n_embd, "heads", plan.n_head, "steps",
                            plan.max_iters, "flops", plan.update_flops(), "unit",
                            run->text.corpus.units().unit(), "ngram",
                            run->bits(run->ngrams.best_loss()), "flags", run->flags);
  });
}

// Trains for up to `steps` updates or `seconds`.
EMSCRIPTEN_KEEPALIVE const char* advance(int steps, double seconds) {
  return answer_of([&] {
    engine::check(run != nullptr, "There is no run yet.");
    opened.reset();
    run->evaluations.clear();
    run->losses.clear();
    run->until = run->training->step + steps;
    run->deadline = Run::Clock::now() + std::chrono::duration_cast<Run::Clock::duration>(
                                            std::chrono::duration<double>(seconds));
    run->trainer->run(*run);
    JsonObject json;
    json.add("step", run->training->step, "steps", run->plan.max_iters, "losses",
             json_array(run->losses), "evaluations", json_array(run->evaluations), "best",
             run->training->best_step);
    if (run->is_over()) json.add("verdict", run->verdict());
    if (run->last)
      json.add("number",
               JsonObject().add("before", run->before, "gradient", run->gradient, "norm",
                                run->last->gradient_norm, "rate", run->last->learning_rate, "after",
                                double(run->watched().data()[0])));
    return json;
  });
}

// Continues a prompt by `count` tokens.
EMSCRIPTEN_KEEPALIVE const char* continue_text(const char* prompt, int size, int count,
                                               double temperature, double seed) {
  return answer_of([&] {
    std::vector<std::int32_t> text = ids_of({prompt, static_cast<std::size_t>(size)});
    model::GPT packed = gpt();
    packed.pack();
    model::Sampler sampler({.temperature = temperature}, static_cast<std::uint64_t>(seed));
    model::TextStream stream({});
    std::string written;
    model::generate(packed, sampler, tokenizer().vocabulary_size(), text, count,
                    [&](std::int32_t id) {
                      written += stream.add(tokenizer().token_bytes(id));
                      return true;
                    });
    return JsonObject().add("text", as_utf8(written + stream.flush()));
  });
}

// The token after a prompt: the probabilities at a temperature of the 30 likeliest, and whether the filters leave them.
EMSCRIPTEN_KEEPALIVE const char* next_token(const char* prompt, int size, double temperature,
                                            int top_k, double top_p) {
  return answer_of([&] {
    const std::vector<std::int32_t> ids = ids_of({prompt, static_cast<std::size_t>(size)});
    const Index T = std::min<Index>(std::ssize(ids), gpt().config.block_size),
                V = tokenizer().vocabulary_size();
    model::Cache cache(gpt().config);
    const auto logits =
        gpt().next_logits(std::span(ids).last(engine::unsigned_size(T)), cache).reshape({-1});
    const engine::Tensor x = engine::slice(logits, 0, 0, V);
    model::Sampler sampler({.temperature = temperature, .top_k = top_k, .top_p = top_p}, 1);
    sampler.choose(x.values(), ids);
    const auto [p, order] = engine::sort(engine::softmax(x / temperature), true);
    return JsonObject().add(
        "tokens", json_array(std::min<Index>(V, 30), [&, p = p, order = order](Index i) {
          const std::int32_t id = engine::at(order, i);
          return JsonObject().add("token", as_utf8(tokenizer().token_bytes(id)), "p",
                                  double(p.at({i})), "kept",
                                  sampler.weights()[engine::unsigned_size(id)] > 0);
        }));
  });
}

// The attention weights of the last layer for the prompt's first 24 tokens: rows for each head.
EMSCRIPTEN_KEEPALIVE const char* attention(const char* prompt, int size) {
  return answer_of([&] {
    std::vector<std::int32_t> ids = ids_of({prompt, static_cast<std::size_t>(size)});
    const Index T = std::min<Index>({std::ssize(ids), 24, gpt().config.block_size});
    ids.resize(engine::unsigned_size(T));
    const engine::Tensor weights = model::attention_weights(gpt(), ids).back();
    const auto token = [&](Index i) {
      return as_utf8(tokenizer().token_bytes(engine::at(ids, i)));
    };
    const auto head = [&](Index h) {
      return json_array(T, [&, h](Index i) {
        const engine::real* row = weights.data() + (h * T + i) * T;
        return json_array(T,
                          [=](Index j) { return JsonText{model::fixed_text(double(row[j]), 3)}; });
      });
    };
    return JsonObject().add("tokens", json_array(T, token), "heads",
                            json_array(weights.shape()[0], head));
  });
}

// The model as a .safetensors file: its address and size. The script copies it.
EMSCRIPTEN_KEEPALIVE const char* save() {
  return answer_of([&] {
    engine::check(opened || run, "There is no model yet.");
    static std::string file;
    file.clear();
    model::SafetensorsWriter writer;
    model::add_model(writer, gpt(), tokenizer());
    for (const std::string_view piece : writer.pieces()) file += piece;
    return JsonObject().add("at", reinterpret_cast<std::uintptr_t>(file.data()), "size",
                            file.size());
  });
}

// Opens a model.safetensors of gradus; it writes until the run continues or another one begins.
EMSCRIPTEN_KEEPALIVE const char* open_model(const char* bytes, int size) {
  return answer_of([&] {
    model::within(
        [&] {
          const model::SafetensorsFile file({bytes, static_cast<std::size_t>(size)});
          opened.emplace(model::load_model(file));
        },
        "The file");
    return JsonObject().add("parameters", opened->gpt.config.parameter_count(), "kind",
                            engine::name_of(opened->tokenizer->kind()));
  });
}
}
