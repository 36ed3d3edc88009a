#include "train/program/announce.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/thread_pool.h"
#include "model/base/utf8.h"
#include "train/cli/next_run.h"
#include "train/record/terminal_chart.h"
#include "train/run/verdict.h"
#include "train/system/console.h"
#include "train/system/limits.h"
#include "train/system/process.h"
#include "train/system/words.h"

namespace train {

namespace {

// `tale.txt: 10,000 tokens (char, 65 distinct), validated on 1,000 tokens of other.txt`
std::string describe_text(const Prepared& prepared) {
  const Sources& sources = prepared.sources;
  const Run& run = prepared.run;
  const Index validation = prepared.corpus.size(Split::validation),
              tokens = sources.are_apart() ? prepared.corpus.size(Split::train)
                                           : prepared.corpus.ids().size();
  const std::string validated =
      sources.are_apart() ? joined(counted(validation, "token"), " of ", sources.val_texts.name)
                          : run.info.validation;
  return joined(sources.texts.name, ": ", count_text(tokens), " tokens (",
                engine::name_of(run.tokenizer->kind()), ", ", run.plan.vocab_size, " distinct)",
                validated.empty() ? "" : ", validated on ", validated);
}

std::string describe_model(const Plan& plan) {
  return joined("a GPT of ", counted(plan.n_layer, "layer"), ", ", counted(plan.n_head, "head"),
                ", ", counted(plan.n_embd, "channel"), ", ",
                counted(plan.parameter_count(), "parameter"));
}

std::string describe_work(const Prepared& prepared, const Processes& processes) {
  const Run& run = prepared.run;
  const Plan& plan = run.plan;
  const std::string machine =
      joined(processes.text(), counted(engine::thread_count(), "thread"), cpu_limit(), " of ",
             fixed_text(prepared.peak_flops / 1e9, 0), " GFLOP/s",
             engine::thread_count() * processes.count == 1 ? "" : " together");
  return joined("steps ", run.step, " to ", plan.max_iters, " of ", plan.sequences_per_update(),
                " x ", plan.block_size, " tokens, about ",
                duration_text(seconds_left(plan, run.step, prepared.speed)), " on ", machine,
                ", in ", engine::name_of(plan.dtype));
}

void announce_ngrams(const Ngrams& ngrams, const TextUnits& units) {
  if (!ngrams.counted()) return;
  std::string line = joined("for comparison, n-grams of 1, 2, ... ", ngrams.symbol, "s:");
  for (const double loss : ngrams.losses) line += ' ' + fixed_text(units.bits(loss), 4);
  write_line(joined(line, " bits per ", units.unit()));
}

// all: validation tokens with a token before them, so that they are predicted.
void announce_evaluations(const Plan& plan, Index all) {
  if (plan.eval_iters == 0 && plan.eval_tokens > 0 && plan.eval_tokens < all)
    write_line(joined("evaluations read ", count_text(plan.eval_tokens), " of the ",
                      count_text(all),
                      " validation tokens, the same each time (--eval_tokens 0: all)"));
}

}  // namespace

void announce(const Prepared& prepared, const Processes& processes) {
  write_line(joined(describe_text(prepared), "; ", describe_model(prepared.run.plan), "; ",
                    describe_work(prepared, processes), "; in ", prepared.files.directory));
}

void announce_measures(const Prepared& prepared) {
  announce_ngrams(prepared.run.info.ngrams, prepared.corpus.units());
  announce_evaluations(prepared.run.plan, prepared.corpus.size(Split::validation) - 1);
}

void note_on(const Plan& plan, const TrainSettings& settings, Notes& notes) {
  if (plan.learning_rate == 0) notes.add("learning_rate 0: no update changes the weights");
  if (plan.decay_lr && plan.warmup_iters > 0 &&
      plan.warmup_iters >= std::max(plan.max_iters, plan.lr_decay_iters))
    notes.add("warmup_iters ", plan.warmup_iters, ": the learning rate does not reach ",
              short_text(plan.learning_rate), " in ", counted(plan.max_iters, "update"));
  if (!settings.is_nanogpt() && settings.arch != model::Family::gpt2 &&
      settings.init_from.empty() && !settings.was_given<&Plan::position>() &&
      plan.head_size() % 2 != 0)
    notes.add(
        "heads of ", plan.head_size(),
        " channels, an odd number, cannot have rotary positions, which rotate pairs; positions "
        "are learned");
}

void announce_end(const Session& session, const Prepared& prepared, const std::string& program) {
  const Run& run = prepared.run;
  const RunFiles& files = session.files();
  const std::string directory = shell_quoted(files.directory);
  const KeptLoss kept = session.kept_loss();
  write_line(
      joined("done: ", run.plan.max_iters, run.plan.max_iters == 1 ? " step" : " steps",
             ", best validation loss ", fixed_text(kept.loss, 4), " at step ", run.best_step,
             kept.measured_on == 0 ? ""
                                   : joined(" (measured on ", count_text(kept.measured_on),
                                            " validation tokens; the evaluation estimated ",
                                            fixed_text(run.best_val_loss, 4), ")"),
             ", peak memory ", fixed_text(static_cast<double>(system::peak_memory()) / 1e6, 0),
             " MB; to read what it writes: ", unbroken(joined(program, " sample ", directory)),
             "; to look at the run: ", unbroken(joined(program, " report ", directory))));
  const SessionRow began = first_session(files.sessions);
  const std::vector<LogRow> log = evaluations(session.log());
  if (log.empty()) return;  // log.csv was cut, and the run had finished
  const Ngrams& ngrams = run.info.ngrams;
  const Verdict outcome = verdict(run.plan, ngrams, kept.loss, best_row(run, log), log,
                                  prepared.corpus.units(), began.minutes);
  const std::string next = next_run(began, outcome.change, files.directory);
  write_line(outcome.text());
  if (!next.empty()) write_line(joined("to try it: ", unbroken(next)));
  if (is_terminal(2))
    write_message(
        terminal_chart(log, ngrams.counted() ? std::optional(ngrams.best_loss()) : std::nullopt,
                       terminal_width()));
}

}  // namespace train
