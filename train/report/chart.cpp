#include "train/report/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "train/report/page.h"
#include "train/system/words.h"

namespace train {
namespace {

// The lines' part of the picture is so wide and high, and is stretched to the room that there is: words
// have places in per cent of it and keep their size.
constexpr double extent = 1000;

// A scale from values to places, with about `wanted` round values on it.
class Axis {
 public:
  // whole: values are whole numbers, and so are the marks.
  Axis(double low, double high, bool logarithmic, bool whole, double from, double to, int wanted)
      : logarithmic_(logarithmic), least_step_(whole ? 1 : 0), from_(from), to_(to) {
    const bool one_value = high - low <= 1e-9 * std::max(std::abs(low), std::abs(high));
    if (one_value && logarithmic) {
      low /= 2;
      high *= 2;
    } else if (one_value) {  // from 0 up to twice as much
      low = std::min(0.0, 2 * low);
      high = high == 0 ? 1 : std::max(0.0, 2 * high);
    }
    if (logarithmic)
      mark_powers(low, high, wanted);
    else
      mark_multiples(low, high, wanted);
  }

  double place(double value) const {
    return from_ + (to_ - from_) * (unit(value) - unit(low_)) / (unit(high_) - unit(low_));
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  double unit(double value) const { return logarithmic_ ? std::log(value) : value; }

  // The least of 1, 2 and 5 times the powers of 10 that is not below `rough`.
  static double round_step(double rough) {
    const double power = std::pow(10, std::floor(std::log10(rough))), times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  }
  // Multiples of 1, 2 or 5 times a power of 10; the axis ends at the first and the last.
  void mark_multiples(double low, double high, int wanted) {
    const double step = std::max(round_step((high - low) / wanted), least_step_);
    const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
    for (double i = first; i <= last; ++i) ticks_.push_back(i * step);
    low_ = first * step;
    high_ = last * step;
  }
  // 1, 2 and 5 times the powers of 10, or of a wide range only some of the powers, or in a narrow
  // one, which has fewer than two of them, multiples as above; the axis ends at the values.
  void mark_powers(double low, double high, int wanted) {
    low_ = low;
    high_ = high;
    const double decades = std::log10(high / low);
    const auto every = static_cast<int>(std::ceil(decades / wanted));
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high;
         ++power)
      for (const double times : {1.0, 2.0, 5.0}) {
        const bool marked = decades < 2 || (times == 1 && power % every == 0);
        const double tick = times * std::pow(10, power);
        if (marked && tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks_.push_back(tick);
      }
    if (ticks_.size() >= 2) return;
    ticks_.clear();
    const double step = round_step((high - low) / wanted);
    for (double i = std::ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i)
      ticks_.push_back(i * step);
  }

  bool logarithmic_;
  double least_step_, from_, to_, low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

// A place in the picture, to a tenth of a unit.
double tenth(double place) { return std::round(10 * place) / 10; }

// A value as a person reads it: four digits after the point for losses, six in all otherwise.
std::string value_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e9)
    return count_text(static_cast<std::int64_t>(value));
  return std::abs(value) >= 1 && std::abs(value) < 1000 ? fixed_text(value, 4) : short_text(value);
}

// A place on the x axis: a step, or half a position.
std::string place_text(double value) {
  return value == std::floor(value) ? value_text(value) : short_text(value);
}

// 2.5K, 10M: short enough for an axis.
std::string tick_text(double value) {
  if (value >= 1e6) return short_text(value / 1e6) + "M";
  if (value >= 1e4) return short_text(value / 1e3) + "K";
  return short_text(value);
}

std::string colour(const Series& series) { return joined("--hue:", series.hue); }
std::string_view kind(const Series& series) {
  return series.faint ? "faint" : series.dashed ? "dashed" : "";
}

double highest(const Chart& chart) {
  return chart.highest.value_or(std::numeric_limits<double>::infinity());
}

struct Scales {
  Axis x, y;
};

Scales scales_of(const Chart& chart) {
  std::optional<Point> low, high;
  const auto see = [&](double x, double y) {
    if (!low) low = high = Point{x, y};
    *low = {std::min(low->x, x), std::min(low->y, y)};
    *high = {std::max(high->x, x), std::max(high->y, y)};
  };
  for (const Series& series : chart.series)
    for (const Point& point : series.points) see(point.x, std::min(point.y, highest(chart)));
  for (const Level& level : chart.levels) see(low->x, level.y);
  if (chart.from_zero) low->y = std::min(low->y, 0.0);
  return {{low->x, high->x, chart.log_x, chart.whole_x, 0, extent, 6},
          {low->y, high->y, false, false, extent, 0, 5}};
}

// Words at a place in per cent of the lines' part; their kind says on which side of it.
std::string words(std::string_view kind, std::string_view x, std::string_view y,
                  std::string_view text) {
  return element("text", {{"class", kind}, {"x", x}, {"y", y}}, escaped(text)) + "\n";
}

// A corner for each number of the table's column; to one above the picture nothing is drawn.
std::string line_of(const Series& series, double highest, const Scales& scales) {
  std::string line, dots;
  bool begins = true;
  for (const Point& point : series.points) {
    const bool above = point.y > highest;
    const std::string place =
        joined(tenth(scales.x.place(point.x)), ' ', tenth(scales.y.place(point.y)));
    line += (begins || above ? "M" : "L") + place;
    dots += joined('M', place, above ? "" : "h0");
    begins = above;
  }
  const bool has_dots = series.faint || series.points.size() <= 60;
  return element("g",
                 {{"data-series", series.name}, {"style", colour(series)}, {"class", kind(series)}},
                 (series.faint ? "" : path({}, line)) + (has_dots ? path("dots", dots) : ""));
}

// The lines' part, and the words around it.
std::string svg_of(const Chart& chart) {
  const Scales scales = scales_of(chart);
  std::string lines,
      text = words("x name", "50%", "100%", chart.x_name) + words("y name", "0", "0", chart.y_name);
  for (const double value : scales.y.ticks()) {
    const double y = tenth(scales.y.place(value));
    lines += path("grid", joined("M0 ", y, "H", extent));
    text += words("y", "0", joined(y / 10, '%'), tick_text(value));
  }
  for (const double value : scales.x.ticks()) {
    const double x = tenth(scales.x.place(value));
    lines += path("grid", joined("M", x, " 0V", extent));
    text += words("x", joined(x / 10, '%'), "100%", tick_text(value));
  }
  for (const Level& level : chart.levels) {
    const double y = tenth(scales.y.place(level.y));
    lines += path("level", joined("M0 ", y, "H", extent));
    // At the left, where losses are high yet: below the line, if there is room.
    text += words(y < 0.9 * extent ? "level" : "level above", "0", joined(y / 10, '%'),
                  joined(level.name, ' ', value_text(level.y)));
  }
  for (const Series& series : chart.series) lines += line_of(series, highest(chart), scales);
  lines += path("cursor", joined("M0 0V", extent));
  const std::string box = joined("0 0 ", extent, ' ', extent);
  return "\n" + element("svg", {{"viewBox", box}, {"preserveAspectRatio", "none"}}, lines) + text;
}

std::string legend(const Chart& chart) {
  if (chart.series.size() < 2) return {};
  std::string items;
  for (const Series& line : chart.series)
    items += element("li", {{"style", colour(line)}, {"class", kind(line)}}, escaped(line.name));
  return element("ul", {{"class", "legend"}}, items);
}

// A row for each x, a column for each series.
std::string table(const Chart& chart) {
  std::map<double, std::vector<std::string>> rows;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    for (const Point& point : chart.series[i].points) {
      std::vector<std::string>& row = rows[point.x];
      row.resize(chart.series.size());
      row[i] = value_text(point.y);
    }
  std::vector<std::string> columns{chart.x_name};
  for (const Series& series : chart.series) columns.push_back(series.name);
  std::string html;
  for (const auto& [x, values] : rows) html += row_of_numbers(place_text(x), values);
  return details("The numbers of this chart",
                 scrolling_table(chart.title + ": numbers", columns, html));
}

// With its number in the table, each takes some 70 bytes.
constexpr Index max_points = 1000;

// Of a long line the first and the last point and, of each stretch of the others, the lowest and the
// highest: so the best one stays, and so do the jumps.
std::vector<Index> thinned(const std::vector<Point>& points, Index most) {
  const Index n = std::ssize(points), stretches = most / 2 - 1;
  std::vector<Index> kept{0};
  for (Index i = 0; i < stretches; ++i) {
    const auto [lowest, highest] =
        std::minmax_element(points.begin() + 1 + i * (n - 2) / stretches,
                            points.begin() + 1 + (i + 1) * (n - 2) / stretches,
                            [](const Point& a, const Point& b) { return a.y < b.y; });
    kept.push_back(std::min(lowest, highest) - points.begin());
    if (lowest != highest) kept.push_back(std::max(lowest, highest) - points.begin());
  }
  kept.push_back(n - 1);
  return kept;
}

// Lines with the same places, as training and validation, keep the same of them.
void thin(Chart& chart) {
  const Index most = std::clamp<Index>(max_points / std::ssize(chart.series), 10, max_points / 2);
  std::map<std::vector<double>, std::vector<Index>> kept;
  Index longest = most;
  for (Series& series : chart.series) {
    if (std::ssize(series.points) <= most) continue;
    longest = std::max(longest, std::ssize(series.points));
    std::vector<double> places;
    for (const Point& point : series.points) places.push_back(point.x);
    if (!kept.contains(places)) kept[places] = thinned(series.points, most);
    std::vector<Point> points;
    for (const Index i : kept[places]) points.push_back(engine::at(series.points, i));
    series.points = points;
  }
  if (longest > most)
    chart.note += joined(" Of ", count_text(longest), " points ", most,
                         " are shown, the lowest and the highest among them.");
}

}  // namespace

std::string html(Chart chart) {
  std::erase_if(chart.series, [](const Series& series) { return series.points.empty(); });
  if (chart.series.empty()) return {};
  thin(chart);
  const std::string plot = explorable("plot", chart.title + ": the arrow keys read its values",
                                      picture({}, chart.title, svg_of(chart)));
  return element("figure", {{"id", chart.id}, {"class", chart.wide ? "chart broad" : "chart"}},
                 joined(element("figcaption", {}, escaped(chart.title)), legend(chart), plot,
                        chart.note.empty() ? "" : note(chart.note), table(chart))) +
         "\n";
}

}  // namespace train
