#include "train/report/chart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/number.h"
#include "train/report/html.h"

namespace train {
namespace {

using engine::fixed_text;
using engine::joined;
using engine::number_text;

// The picture, in units of the SVG; a unit is about a pixel.
constexpr double width = 480, height = 270, left = 66, right = 20, top = 10, bottom = 40;

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
    return engine::count_text(static_cast<std::int64_t>(value));
  return std::abs(value) >= 1 && std::abs(value) < 1000 ? fixed_text(value, 4)
                                                        : engine::short_text(value);
}

// A place on the x axis: a step, or half a position.
std::string place_text(double value) {
  return value == std::floor(value) ? value_text(value) : engine::short_text(value);
}

// 2.5K, 10M: short enough for an axis.
std::string tick_text(double value) {
  if (value >= 1e6) return engine::short_text(value / 1e6) + "M";
  if (value >= 1e4) return engine::short_text(value / 1e3) + "K";
  return engine::short_text(value);
}

std::string colour(const Series& series) { return joined("--hue:", series.hue); }
std::string_view kind(const Series& series) { return series.dashed ? "dashed" : ""; }

struct Picture {
  Axis x, y;
};

Picture scales(const Chart& chart) {
  std::optional<Point> low, high;
  const auto see = [&](double x, double y) {
    if (!low) low = high = Point{x, y};
    *low = {std::min(low->x, x), std::min(low->y, y)};
    *high = {std::max(high->x, x), std::max(high->y, y)};
  };
  for (const Series& series : chart.series)
    for (const Point& point : series.points) see(point.x, point.y);
  for (const Level& level : chart.levels) see(low->x, level.y);
  if (chart.from_zero) low->y = std::min(low->y, 0.0);
  return {{low->x, high->x, chart.log_x, chart.whole_x, left, width - right, 6},
          {low->y, high->y, chart.log_y, false, height - bottom, top, 5}};
}

std::string axes(const Chart& chart, const Picture& picture) {
  std::string svg;
  for (const double value : picture.y.ticks()) {
    const double y = tenth(picture.y.place(value));
    svg +=
        element("path", {{"class", "grid"}, {"d", joined("M", left, " ", y, "H", width - right)}});
    svg += element("text", {{"x", left - 6}, {"y", y}, {"dy", ".35em"}, {"text-anchor", "end"}},
                   tick_text(value)) +
           "\n";
  }
  for (const double value : picture.x.ticks()) {
    const double x = tenth(picture.x.place(value));
    svg +=
        element("path", {{"class", "grid"}, {"d", joined("M", x, " ", top, "V", height - bottom)}});
    svg += element("text", {{"x", x}, {"y", height - bottom + 15}, {"text-anchor", "middle"}},
                   tick_text(value)) +
           "\n";
  }
  const std::string turned = joined("translate(12 ", (top + height - bottom) / 2, ") rotate(-90)");
  return joined(
      svg,
      element("text",
              {{"x", (left + width - right) / 2}, {"y", height - 4}, {"text-anchor", "middle"}},
              escaped(chart.x_name)),
      "\n",
      element("text", {{"transform", turned}, {"text-anchor", "middle"}}, escaped(chart.y_name)),
      "\n");
}

std::string lines(const Chart& chart, const Picture& picture) {
  std::string svg;
  for (const Level& level : chart.levels) {
    const std::string path =
        joined("M", left, " ", tenth(picture.y.place(level.y)), "H", width - right);
    svg += element("path", {{"class", "level"}, {"d", path}}) + "\n";
  }
  for (const Series& series : chart.series) {
    if (series.points.empty()) continue;
    std::string path, marks;
    const double radius = series.points.size() > 60 ? 1 : 2.2;
    for (const Point& point : series.points) {
      const double x = tenth(picture.x.place(point.x)), y = tenth(picture.y.place(point.y));
      path += joined(path.empty() ? "M" : "L", x, " ", y);
      const std::string title = joined(chart.x_name, " ", place_text(point.x), ": ", series.name,
                                       " ", value_text(point.y));
      marks += element("circle",
                       {{"cx", x},
                        {"cy", y},
                        {"r", radius},
                        {"data-series", series.name},
                        {"data-x", number_text(point.x)},
                        {"data-y", number_text(point.y)}},
                       element("title", {}, escaped(title))) +
               "\n";
    }
    svg += element("g", {{"style", colour(series)}, {"class", kind(series)}},
                   joined(element("path", {{"d", path}}), "\n", marks)) +
           "\n";
  }
  return svg;
}

// The levels' names at the right end, on plates above the lines, where there is room for them.
std::string level_names(const Chart& chart, const Picture& picture) {
  constexpr double line = 13, letter = 6.6;  // the height of a line, the mean width of a letter
  std::vector<double> named;
  std::string svg;
  for (const Level& level : chart.levels) {
    const double y = picture.y.place(level.y);
    if (std::ranges::any_of(named, [&](double other) { return std::abs(other - y) < line; }))
      continue;
    named.push_back(y);
    const std::string name = joined(level.name, " ", value_text(level.y));
    const double base = y < top + line ? y + line - 1 : y - 4,
                 room = letter * static_cast<double>(name.size());
    svg += element("rect", {{"class", "plate"},
                            {"x", tenth(width - right - 6 - room)},
                            {"y", tenth(base - line + 3)},
                            {"width", tenth(room + 4)},
                            {"height", line}});
    svg += element("text",
                   {{"class", "level"},
                    {"x", width - right - 4},
                    {"y", tenth(base)},
                    {"text-anchor", "end"}},
                   escaped(name)) +
           "\n";
  }
  return svg;
}

std::string legend(const Chart& chart) {
  if (chart.series.size() < 2) return {};
  std::string list;
  for (const Series& series : chart.series)
    if (!series.points.empty())
      list +=
          element("li", {{"style", colour(series)}, {"class", kind(series)}}, escaped(series.name));
  return element("ul", {{"class", "legend"}}, list) + "\n";
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
  for (const auto& [x, values] : rows) {
    std::string cells;
    for (const std::string& value : values) cells += number_cell(value);
    html += table_row(place_text(x), cells);
  }
  return details("The numbers of this chart",
                 scrolling_table(chart.title + ": numbers", columns, html));
}

}  // namespace

std::string html(const Chart& chart) {
  const bool empty =
      std::ranges::all_of(chart.series, [](const Series& series) { return series.points.empty(); });
  if (empty) return {};
  const Picture picture = scales(chart);
  const std::string cursor = joined("M0 ", top, "V", height - bottom);
  const std::string svg =
      element("svg",
              {{"viewBox", joined("0 0 ", width, " ", height)},
               {"role", "img"},
               {"aria-label", chart.title}},
              joined("\n", axes(chart, picture), lines(chart, picture), level_names(chart, picture),
                     element("path", {{"class", "cursor"}, {"d", cursor}}), "\n"));
  return element("figure", {{"id", chart.id}, {"class", "chart"}},
                 joined("\n", element("figcaption", {}, escaped(chart.title)), "\n", legend(chart),
                        explorable("plot", chart.title + ": the arrow keys read its values",
                                   "\n" + svg + "\n"),
                        chart.note.empty() ? "" : note(chart.note), table(chart))) +
         "\n";
}

}  // namespace train
