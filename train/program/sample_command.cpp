// gradus sample: writes the prompt and the model's continuation of it.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/thread_pool.h"
#include "model/base/files.h"
#include "model/base/utf8.h"
#include "model/generate/generate.h"
#include "model/generate/text_stream.h"
#include "train/exchange/open_model.h"
#include "train/program/commands.h"
#include "train/program/prompt.h"
#include "train/run/progress.h"
#include "train/system/activity.h"
#include "train/system/console.h"
#include "train/system/files.h"
#include "train/system/precision.h"
#include "train/system/process.h"
#include "train/system/words.h"
#include "train/text/text_kind.h"

namespace train {

using system::end_of_input;

namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::string_view between_samples = "---------------\n";  // nanoGPT's

// Notes for the reader of the text on architectures made for experiments.
void write_notes(const model::Config& config) {
  if (!config.causal)
    write_line(
        "in training, this model saw the tokens that it predicted (causal false): what it learned "
        "does not help it write");
  if (!config.scales_by_sqrt())
    write_line(joined("attention scores are multiplied by ", *config.attention_scale,
                      " instead of 1 / sqrt(", config.head_size(), ") (attention_scale ",
                      attention_scale_text(config), ")"));
}

class Writer {
 public:
  Writer(const Settings& settings, model::LoadedModel model)
      : settings_(settings.sample),
        output_(settings.output),
        model_path_(settings.model_path),
        tokenizer_(std::move(model.tokenizer)),
        gpt_(std::move(model.gpt)),
        seed_(settings_.seed ? *settings_.seed : std::random_device()()),
        sampler_(settings_, seed_) {
    gpt_.pack();
  }

  // Writes the samples for one prompt.
  void write(const Ids& prompt) {
    for (Index i = 0; i < settings_.num_samples && listened_ && (i == 0 || caught_signal() == 0);
         ++i) {
      if (std::exchange(begun_, true) && !settings_.interactive) show(between_samples);
      write_sample(prompt);
    }
  }

  bool listened() const { return listened_; }  // false: the pipe is closed

  // Writes the file of --output, and says how fast the model wrote and how to repeat it.
  void finish() const {
    if (!output_.empty()) {
      const std::string_view text = file_text_;
      write_file(output_, std::span(&text, 1));
    }
    const double seconds = std::chrono::duration<double>(spent_).count();
    const double speed = static_cast<double>(tokens_) / std::max(seconds, 1e-9);
    write_line(joined(counted(tokens_, "token"), " in ", fixed_text(seconds, 2), " s, ",
                      count_text(static_cast<Index>(speed)), " tokens/s",
                      output_.empty() ? "" : ", written to " + output_,
                      settings_.seed || settings_.temperature == 0
                          ? ""
                          : joined("; to repeat it: --seed ", seed_)));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::string_view text) {
    if (!output_.empty())
      file_text_ += text;
    else if (!text.empty() && listened_)
      listened_ = write_output(safe_for_output(text));
  }

  void write_sample(Ids text) {
    const auto start = Clock::now();
    model::TextStream stream(settings_.stop);
    const std::optional<std::int32_t> end = tokenizer_->end_of_text();
    const bool is_new = text.size() == 1 && text[0] == end;  // without a prompt
    // A prompt may end inside a UTF-8 character; the first new tokens then complete it.
    const std::string prompt = is_new ? "" : tokenizer_->decode(text);
    const std::size_t whole = model::complete_utf8_prefix(prompt);
    show(std::string_view(prompt).substr(0, whole));
    show(stream.add(std::string_view(prompt).substr(whole)));
    const auto add = [&](std::int32_t id) {
      ++tokens_;
      if (id == end) return false;
      show(stream.add(tokenizer_->token_bytes(id)));
      return listened_ && !stream.stopped() && caught_signal() == 0;
    };
    model::within(
        [&] {
          model::generate(gpt_, sampler_, tokenizer_->vocabulary_size(), text,
                          settings_.max_new_tokens, add);
        },
        printable(model_path_));
    show(stream.flush() + '\n');
    spent_ += Clock::now() - start;
  }

  const SampleSettings& settings_;
  const std::string &output_, &model_path_;
  model::TokenizerHandle tokenizer_;
  model::GPT gpt_;  // packed
  std::uint64_t seed_;
  model::Sampler sampler_;
  std::string file_text_;  // with --output
  bool begun_ = false, listened_ = true;
  Index tokens_ = 0;  // written so far
  // Time spent on them.
  Clock::duration spent_{};
};

// Reads prompts from standard input, one per line, and answers each. A prompt with an unknown
// symbol is refused in one line, and the next prompt is read. Returns the exit status.
int converse(Writer& writer, const model::Tokenizer& tokenizer, bool skip_unknown) {
  const bool terminal = is_terminal(0) && is_terminal(2);
  InputLines lines(max_prompt_bytes);
  int status = 0;
  bool crlf_is_said = false;
  while (writer.listened()) {
    if (terminal) write_message("> ");
    std::optional<std::string> line = lines.next();
    if (!line) break;
    *line = without_mark(std::move(*line));
    if (line->ends_with('\r')) {
      line->pop_back();
      if (!std::exchange(crlf_is_said, true))
        write_line(joined("standard input: ", line_ends_text(LineEnds::crlf)));
    }
    if (terminal) {
      const bool typed = !line->empty();
      *line = without_keys(*line);
      if (*line == "exit") break;
      if (typed && line->empty()) continue;
    }
    try {
      writer.write(line->empty() ? Ids{model::first_token(tokenizer)}
                                 : encode(tokenizer, {"prompt", *line}, skip_unknown));
    } catch (const UnknownSymbol& error) {
      write_line(joined("gradus chat: ", error.what()));
      status = 1;
    }
  }
  return status;
}

}  // namespace

int sample_command(const Settings& settings, Notes& notes) {
  use_dtype(settings.dtype);
  std::optional<Prompt> prompt;
  if (!settings.prompt.empty()) prompt = read_prompt(settings.prompt, notes);
  auto [path, size, model] = open_model(settings.model_path);
  const model::TokenizerHandle tokenizer = model.tokenizer;
  // In a conversation one unknown symbol should not be an error.
  const bool skip_unknown =
      settings.unknown.value_or(settings.sample.interactive ? Unknown::skip : Unknown::error) ==
      Unknown::skip;
  const Ids begin =
      prompt ? encode(*tokenizer, *prompt, skip_unknown) : Ids{model::first_token(*tokenizer)};

  if (!settings.output.empty()) {
    probe_output(settings.output);
    check(settings.force || !file_exists(settings.output), printable(settings.output),
          ": exists already; --force replaces it");
    const std::string read[] = {path, file_of_prompt(settings.prompt).value_or("")};
    check_apart(read, {&settings.output, 1});
    catch_signals({}, {});  // what was written until then goes to the file
  }
  notes.write();
  write_notes(model.gpt.config);
  if (settings.sample.interactive)
    write_line(joined("A GPT of ", count_text(model.gpt.config.parameter_count()),
                      " parameters continues what you enter. ", end_of_input, " ends."));
  Writer writer(settings, std::move(model));
  int status = 0;
  if (!settings.sample.interactive || prompt) {
    std::optional<Activity> working;
    if (!settings.output.empty()) working.emplace("writing text");
    writer.write(begin);
  }
  if (settings.sample.interactive) status = converse(writer, *tokenizer, skip_unknown);
  if (writer.listened()) writer.finish();
  return caught_signal() == 0 ? status : 128 + caught_signal();
}

}  // namespace train
