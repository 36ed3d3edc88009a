// What a page asks of a model: a text that goes on, the next token, attention, the file. page.h
// says what each function answers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/storage.h"
#include "engine/ops.h"
#include "model/base/files.h"
#include "model/base/text.h"
#include "model/base/utf8.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"
#include "model/gpt/attention_weights.h"
#include "model/model_file.h"
#include "train/page/page.h"

using engine::Index;
using model::json_array, model::JsonObject, model::JsonText;
using page::answer_of, page::as_utf8, page::text_at;

namespace {

std::optional<model::LoadedModel> opened;  // asked in place of the run's

page::Model asked() {
  if (opened) return {*opened->tokenizer, opened->gpt};
  const std::optional<page::Model> of_run = page::model_of_run();
  engine::check(of_run.has_value(), "There is no model yet: press Train first, or open one.");
  return *of_run;
}
const model::Tokenizer& tokenizer() { return asked().tokenizer; }
model::GPT& gpt() { return asked().gpt; }

std::vector<std::int32_t> ids_of(std::string_view prompt) {
  model::UnknownSymbols unknown;  // left_out has them
  const model::TokenIds ids = tokenizer().encode(prompt, &unknown);
  std::vector<std::int32_t> text(engine::unsigned_size(ids.size()));
  if (!text.empty()) ids.copy(0, text);
  if (text.empty()) text.push_back(model::first_token(tokenizer()));
  return text;
}

// Each character that the model does not know, once.
std::string left_out(std::string_view prompt) {
  std::string characters;
  while (!prompt.empty()) {
    const std::size_t size = std::max<std::size_t>(model::first_code_point(prompt).size(), 1);
    const std::string character = as_utf8(prompt.substr(0, size));
    model::UnknownSymbols unknown;
    tokenizer().encode(prompt.substr(0, size), &unknown);
    if (unknown.count > 0 && characters.find(character) == characters.npos) characters += character;
    prompt.remove_prefix(size);
  }
  return characters;
}

}  // namespace

void page::close_opened() { opened.reset(); }

std::string page::as_utf8(std::string_view bytes) {
  std::string text;
  for (;;) {
    const std::size_t whole = model::valid_utf8_prefix(bytes);
    text += bytes.substr(0, whole);
    if (whole == bytes.size()) return text;
    text += "\xef\xbf\xbd";
    bytes.remove_prefix(whole + 1);
  }
}

const char* page::answer_of(const std::function<JsonObject()>& f) {
  static std::string answer;
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

const char* continue_text(const char* prompt, int size, int count, double temperature,
                          double seed) {
  return answer_of([&] {
    std::vector<std::int32_t> text = ids_of(text_at(prompt, size));
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
    return JsonObject().add("text", as_utf8(written + stream.flush()), "left_out",
                            left_out(text_at(prompt, size)));
  });
}

const char* next_token(const char* prompt, int size, double temperature, int top_k, double top_p) {
  return answer_of([&] {
    const std::vector<std::int32_t> ids = ids_of(text_at(prompt, size));
    const Index T = std::min<Index>(std::ssize(ids), gpt().config.block_size),
                V = tokenizer().vocabulary_size();
    model::Cache cache(gpt().config);
    const auto logits =
        gpt().next_logits(std::span(ids).last(engine::unsigned_size(T)), cache).reshape({-1});
    const engine::Tensor x = engine::slice(logits, 0, 0, V);
    model::Sampler sampler({.temperature = temperature, .top_k = top_k, .top_p = top_p}, 1);
    sampler.choose(x.values(), ids);
    const std::span<const engine::real> weights = sampler.weights();
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const engine::Sorted p = engine::sort(engine::softmax(x / temperature), true);
    return JsonObject().add(
        "tokens",
        json_array(std::min<Index>(V, 30),
                   [&](Index i) {
                     const std::int32_t id = engine::at(p.ids, i);
                     const double weight = double(weights[engine::unsigned_size(id)]);
                     return JsonObject().add("token", as_utf8(tokenizer().token_bytes(id)), "p",
                                             double(p.values.at({i})), "kept", weight > 0, "drawn",
                                             weight / sum);
                   }),
        "kept", std::ranges::count_if(weights, [](auto w) { return w > 0; }), "of", V, "left_out",
        left_out(text_at(prompt, size)));
  });
}

const char* attention(const char* prompt, int size) {
  return answer_of([&] {
    std::vector<std::int32_t> ids = ids_of(text_at(prompt, size));
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
    return JsonObject().add("tokens", json_array(T, token), "layer", gpt().config.n_layer, "heads",
                            json_array(weights.shape()[0], head), "left_out",
                            left_out(text_at(prompt, size)));
  });
}

const char* save() {
  return answer_of([&] {
    static std::string file;
    file.clear();
    model::SafetensorsWriter writer;
    model::add_model(writer, gpt(), tokenizer());
    for (const std::string_view piece : writer.pieces()) file += piece;
    return JsonObject().add("at", reinterpret_cast<std::uintptr_t>(file.data()), "size",
                            file.size());
  });
}

const char* open_model(const char* bytes, int size) {
  return answer_of([&] {
    model::within(
        [&] {
          const model::SafetensorsFile file(text_at(bytes, size));
          opened.emplace(model::load_model(file));
        },
        "The file");
    return JsonObject().add("parameters", opened->gpt.config.parameter_count(), "kind",
                            engine::name_of(opened->tokenizer->kind()));
  });
}
