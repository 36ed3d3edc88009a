#include "train/report/report.h"

#include <algorithm>
#include <limits>

#include "train/loop/text_units.h"
#include "train/report/page.h"
#include "train/report/sections.h"
#include "train/run/verdict.h"
#include "train/system/words.h"

namespace train {

std::optional<LogRow> ReportedRun::best() const {
  const std::vector<LogRow> rows = evaluations(log);
  const auto row = std::ranges::find(rows, model_step, &LogRow::step);
  return row == rows.end() ? std::optional<LogRow>() : *row;
}

namespace {

// A section with a heading, and its entry in the navigation.
class Body {
 public:
  void add(const std::string& id, const std::string& title, const std::string& html) {
    if (html.empty()) return;
    const std::string anchor = id + "-section";
    links_ += element("li", {}, element("a", {{"href", "#" + anchor}}, escaped(title)));
    const std::string heading = element("h2", {{"id", anchor}}, escaped(title));
    sections_ += element("section", {{"aria-labelledby", anchor}}, heading + html) + "\n";
  }
  std::string html(const std::string& title, const std::string& intro_html) const {
    const std::string links =
        element("nav", {{"aria-label", "Sections"}}, element("ul", {}, links_));
    const std::string heading = element("h1", {}, escaped(title));
    return element("header", {}, heading + intro_html + links) + element("main", {}, sections_);
  }

 private:
  std::string links_, sections_;
};

std::string charts(const std::string& html) {
  return html.empty() ? html : element("div", {{"class", "charts"}}, html);
}

std::string names_of(const std::vector<TextIdentity>& texts) {
  constexpr std::size_t most = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) {
    const std::string& path = texts[i].path;
    const std::string name = path.substr(last_separator(path) + 1);
    names += (i > 0 ? ", " : "") + (name.empty() ? std::string("a text") : name);
  }
  return texts.size() > most ? joined(names, " and ", texts.size() - most, " more") : names;
}

// The last step that is known of: an evaluation may be ahead of the checkpoint, or behind it.
Index last_step(const ReportedRun& run) {
  return run.log.empty() ? run.step : std::max(run.step, run.log.back().step);
}

// How long the run has trained; empty if that is not recorded.
std::string time_of(const ReportedRun& run) {
  if (run.times.empty()) return {};
  const bool from_the_start = run.times.front().step == 0;
  return (from_the_start ? "" : "at least ") + duration_text(run.times.back().seconds);
}

// The text that the run is judged by.
std::string validation_name(const ReportedRun& run) {
  if (!run.info.val_texts.empty()) return names_of(run.info.val_texts);
  if (!run.info.validation.empty()) return run.info.validation;
  return joined("the last ", short_text(100 * run.plan.val_fraction), " % of ",
                names_of(run.info.texts));
}

// What was trained on what, for how long, to what loss.
std::string summary(const ReportedRun& run) {
  std::string text =
      joined("A GPT of ", counted(run.plan.n_layer, "layer"), ", ",
             counted(run.plan.n_head, "head"), " and ", counted(run.plan.n_embd, "channel"), ", ",
             counted(run.plan.parameter_count(), "parameter"), ", which reads ",
             counted(run.plan.block_size, "token"), " at a time (",
             engine::name_of(run.tokenizer().kind()), ", ", run.plan.vocab_size,
             " distinct). Trained on ", names_of(run.info.texts));
  if (run.corpus) text += joined(", ", counted(run.corpus->size(Split::train), "token"));
  text += ", validated on " + validation_name(run);
  if (run.corpus) text += joined(", ", counted(run.corpus->size(Split::validation), "token"));
  text += joined(", to step ", count_text(last_step(run)), " of ", count_text(run.plan.max_iters),
                 time_of(run).empty() ? "" : ", in ", time_of(run));
  text += ".";
  if (run.log.empty()) text += " Nothing is recorded: log.csv is empty or missing.";
  return element("p", {}, escaped(text));
}

// The name under which --arch has these settings; empty: they are a mixture.
std::string architecture_of(const model::Config& config) {
  for (const model::Family family :
       {model::Family::gpt2, model::Family::llama, model::Family::qwen3})
    if (model::Config same = config; set_architecture(same, family), same == config)
      return std::string(engine::name_of(family));
  return "";
}

// Calls visit(name, value) for everything that decides the run, with the sizes that 0 stands for.
template <class Visit>
void for_each_setting(const ReportedRun& run, Visit visit) {
  Plan plan = run.plan;
  plan.n_kv_head = plan.heads().keys;
  plan.head_dim = plan.head_size();
  plan.n_inner = plan.hidden_size();
  visit("text", names_of(run.info.texts));
  visit("validation text", validation_name(run));
  visit("init_from", run.info.init_from.empty() ? "none" : last_name(run.info.init_from));
  visit("tokenizer", std::string(engine::name_of(run.tokenizer().kind())));
  visit("arch", architecture_of(run.plan));
  for (const model::Setting<model::Config>& setting : model::config_settings)
    visit(std::string(setting.name), setting.get(plan));
  for (const PlanSetting& setting : plan_settings)
    visit(std::string(setting.name), setting.get(plan));
}

std::string settings_table(const ReportedRun& run) {
  std::string rows;
  for_each_setting(run, [&](const std::string& name, const std::string& value) {
    rows += table_row(name, element("td", {}, escaped(value)));
  });
  std::string sessions;
  for (const SessionRow& session : run.sessions) sessions += description(session);
  return (sessions.empty() ? "" : details("When and where it was trained", quote(sessions))) +
         details("Every setting of the run", element("table", {}, element("tbody", {}, rows)));
}

std::string no_text(const ReportedRun& run) {
  return run.corpus ? "" : note("Left out here is what needs the text: " + run.no_corpus);
}

// Of the best evaluation; infinite if there is none or the text is not there.
double bits_per_byte(const ReportedRun& run) {
  const std::optional<LogRow> best = run.best();
  if (!best || !run.corpus) return std::numeric_limits<double>::infinity();
  return run.corpus->units().bits_per_byte(run.kept.loss);
}

std::string results_row(const ReportedRun& run, std::string_view kind) {
  const std::optional<LogRow> best = run.best();
  const std::string parameters = count_text(run.plan.parameter_count()), time = time_of(run);
  if (!best)
    return table_row(
        run.name, number_cell(parameters) + element("td", {{"colspan", 6}}, "no evaluation yet"));
  const Index tokens = run.log.back().step * run.plan.sequences_per_update() * run.plan.block_size;
  const std::string cells[] = {parameters,
                               fixed_text(run.kept.loss, 4),
                               count_text(best->step),
                               run.corpus ? fixed_text(bits_per_byte(run), 4) : "–",
                               fixed_text(*best->train_loss, 4),
                               count_text(tokens),
                               time.empty() ? "–" : time};
  return row_of_numbers(run.name, cells, kind);
}

// comparable: then the best is the first and stands out.
std::string results_table(std::span<const ReportedRun> runs, bool comparable) {
  const std::string columns[] = {"run",           "parameters",    "validation loss", "at step",
                                 "bits per byte", "training loss", "tokens read",     "time"};
  // By bits per byte, which different tokens can be compared by; those without last.
  std::vector<std::pair<double, const ReportedRun*>> sorted;
  for (const ReportedRun& run : runs)
    sorted.emplace_back(comparable ? bits_per_byte(run) : 0, &run);
  std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.first; });
  std::string rows;
  for (const auto& [bits, run] : sorted)
    rows += results_row(*run, comparable && rows.empty() ? "us" : "");
  return scrolling_table("Results of the runs", columns, rows);
}

// The settings whose values differ, a column for each run.
std::string differences_table(std::span<const ReportedRun> runs) {
  std::vector<std::vector<std::string>> values;
  std::vector<std::string> names;
  for (const ReportedRun& run : runs) {
    names.clear();
    std::vector<std::string>& column = values.emplace_back();
    for_each_setting(run, [&](const std::string& name, const std::string& value) {
      names.push_back(name);
      column.push_back(value);
    });
  }
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::all_of(values, [&](const auto& column) { return column[i] == values[0][i]; }))
      continue;
    std::string cells;
    for (const auto& column : values) cells += element("td", {}, escaped(column[i]));
    rows += table_row(names[i], cells);
  }
  if (rows.empty()) return element("p", {}, "All settings are the same.");
  std::vector<std::string> columns{"setting"};
  for (const ReportedRun& run : runs) columns.push_back(run.name);
  return scrolling_table("Settings of the runs", columns, rows);
}

std::string last_samples(std::span<const ReportedRun> runs) {
  std::string html;
  for (const ReportedRun& run : runs)
    if (!run.samples.empty())
      html += sample(joined(run.name, ", step ", count_text(run.samples.back().step)),
                     run.samples.back().text);
  return html.empty() ? html : element("div", {{"class", "samples"}}, html);
}

// What to try next, the command of the last line that gradus train wrote, and how long that would take
// at the speed of this run.
std::string next_run(const ReportedRun& run, const Verdict& said) {
  const std::string &name = said.change.name, &value = said.change.value;
  const std::string next = name.empty() ? "" : run.next_run(said.change);
  if (next.empty()) return "";
  Plan plan = run.plan;
  const auto take = [&](const auto& setting) {
    if (setting.name == name) setting.set(plan, value, name);
  };
  for (const auto& setting : model::config_settings) take(setting);
  for (const PlanSetting& setting : plan_settings) take(setting);
  std::string time;
  if (name != "minutes" && run.times.size() > 1) {
    const TimeRow &first = run.times.front(), &last = run.times.back();
    const double updates =
        static_cast<double>(plan.max_iters) * plan.update_flops() / run.plan.update_flops();
    time = ", in about " + duration_text(updates * (last.seconds - first.seconds) /
                                         static_cast<double>(last.step - first.step));
  }
  return element("p", {}, escaped(joined("To try it", time, ":"))) + quote(next);
}

// What the run came to and what to try, as gradus train says it at its end.
std::string verdict_section(const ReportedRun& run) {
  const std::vector<LogRow> rows = evaluations(run.log);
  const std::optional<LogRow> best = run.best();
  if (!best) return {};
  const std::string where =
      joined("Validation loss ", fixed_text(run.kept.loss, 4), " nats per token at step ",
             count_text(best->step), last_step(run) > best->step ? ", its lowest" : "", ". ");
  if (last_step(run) < run.plan.max_iters)
    return element("p", {},
                   escaped(joined(where, "The run is at step ", count_text(last_step(run)), " of ",
                                  count_text(run.plan.max_iters), "; ", "gradus train --resume ",
                                  shell_quoted(run.name), " goes on with it.")));
  const TextUnits units = run.corpus ? run.corpus->units() : TextUnits();
  const Verdict said =
      verdict(run.plan, run.corpus ? run.info.ngrams : Ngrams(), run.kept.loss, *best, rows, units,
              run.sessions.empty() ? 0 : run.sessions[0].minutes);
  return element("p", {}, escaped(where + said.text)) + next_run(run, said);
}

}  // namespace

std::string run_report(const ReportedRun& run, std::span<const std::int32_t> shown,
                       std::span<const std::int32_t> prompt, bool reloads) {
  const std::span<const ReportedRun> one(&run, 1);
  Body body;
  body.add("verdict", "What came of it", verdict_section(run));
  body.add(
      "curves", "How it learned",
      charts(loss_chart(run) + learning_rate_chart(one) + gradient_chart(one) + speed_chart(run)));
  body.add("samples", "What it writes", samples_section(run, prompt));
  body.add("card", "What the loss means", evaluation_card(run));
  body.add("surprise", "Where it is surprised", surprise_section(run));
  body.add("context", "What context is worth", charts(position_chart(run)));
  body.add("attention", "Which token looks at which", attention_section(run, shown));
  return page("gradus: " + run.name,
              body.html(run.name, summary(run) + no_text(run) + settings_table(run)), reloads);
}

std::string comparison_report(std::span<const ReportedRun> runs) {
  Body body;
  std::string title, warning;
  for (const ReportedRun& run : runs) title += (title.empty() ? "" : ", ") + run.name;
  const auto all_have_first = [&](auto property) {
    return std::ranges::all_of(
        runs, [&](const ReportedRun& run) { return property(run) == property(runs[0]); });
  };
  const bool same_text = all_have_first([](const ReportedRun& run) {
    return std::pair(run.info.val_texts.empty() ? run.info.texts : run.info.val_texts,
                     run.info.val_texts.empty() ? run.plan.val_fraction : 0);
  });
  const bool same_cut =
      all_have_first([](const ReportedRun& run) { return run.tokenizer().save(); });
  const bool same_aim = all_have_first([](const ReportedRun& run) { return run.plan.causal; });
  if (!same_text)
    warning = "The runs are validated on different texts: their losses cannot be compared.";
  else if (!same_cut)
    warning =
        "The runs cut their text into different tokens: losses per token cannot be compared, bits "
        "per byte can.";
  if (!same_aim) warning += " Where causal is false, the model sees what it is to predict.";
  const bool comparable = same_text && same_aim;
  body.add("results", "Results",
           (warning.empty() ? "" : note(warning)) + results_table(runs, comparable));
  body.add("differences", "What differs", differences_table(runs));
  body.add("curves", "How they learned",
           charts((comparable ? losses_charts(runs, !same_cut) : "") + learning_rate_chart(runs) +
                  gradient_chart(runs)));
  body.add("samples", "What they write", last_samples(runs));
  return page("gradus: " + title,
              body.html(joined("Comparison of ", counted(std::ssize(runs), "run")), ""));
}

}  // namespace train
