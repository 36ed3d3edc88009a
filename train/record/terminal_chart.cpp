#include "train/record/terminal_chart.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "train/system/words.h"

namespace train {
namespace {

using engine::at;

constexpr Index height = 12;
constexpr std::string_view margin = "         ";  // of the labels "  4.1676 "
constexpr std::string_view unit = " steps";

// The loss at a step between two evaluations, by linear interpolation.
double interpolated(std::span<const LogRow> log, std::optional<double> LogRow::*loss, double step) {
  auto after = log.begin() + 1;
  while (after + 1 != log.end() && static_cast<double>(after->step) < step) ++after;
  const LogRow &a = after[-1], &b = *after;
  const double share = (step - static_cast<double>(a.step)) / static_cast<double>(b.step - a.step);
  return (1 - share) * *(a.*loss) + share * *(b.*loss);
}

}  // namespace

std::string terminal_chart(std::span<const LogRow> log, std::optional<double> best_ngram,
                           int columns) {
  const Index width = std::min(columns, 80) - std::ssize(margin) - 2;
  if (log.size() < 2 || width < 10) return {};
  double low = best_ngram.value_or(*log[0].val_loss), high = low;
  for (const LogRow& row : log) {
    low = std::min({low, *row.train_loss, *row.val_loss});
    high = std::max({high, *row.train_loss, *row.val_loss});
  }
  if (!(high > low)) return {};
  std::vector<std::string> lines(engine::unsigned_size(height),
                                 std::string(engine::unsigned_size(width), ' '));
  const auto line_of = [&](double loss) -> std::string& {
    const double share = (high - loss) / (high - low);
    return at(lines, static_cast<Index>(std::lround(share * static_cast<double>(height - 1))));
  };
  if (best_ngram) line_of(*best_ngram).assign(engine::unsigned_size(width), '-');
  const auto first = static_cast<double>(log.front().step),
             steps = static_cast<double>(log.back().step) - first;
  for (const auto& [loss, mark] :
       {std::pair(&LogRow::train_loss, '.'), std::pair(&LogRow::val_loss, '*')})
    for (Index column = 0; column < width; ++column) {
      const double step =
          first + steps * static_cast<double>(column) / static_cast<double>(width - 1);
      at(line_of(interpolated(log, loss, step)), column) = mark;
    }

  std::string chart =
      "  loss: * validation, . training" +
      (best_ngram ? ", - best n-gram (" + fixed_text(*best_ngram, 4) + ")" : std::string()) + '\n';
  for (Index i = 0; i < height; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(height - 1);
    std::string label =
        i % 4 == 0 || i == height - 1 ? fixed_text(high - share * (high - low), 4) : std::string();
    label.insert(0, margin.size() - 1 - std::min(margin.size() - 1, label.size()), ' ');
    chart += label + " |" + at(lines, i) + '\n';
  }
  const std::string begin = joined(log.front().step), end = joined(log.back().step);
  chart += std::string(margin) + '+' + std::string(engine::unsigned_size(width), '-') + '\n';
  const Index gap = width - std::ssize(begin) - std::ssize(end) - std::ssize(unit);
  chart += std::string(margin) + ' ' + begin +
           std::string(engine::unsigned_size(std::max<Index>(gap, 1)), ' ') + end;
  return chart.append(unit) + '\n';
}

}  // namespace train
