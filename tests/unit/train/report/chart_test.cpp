// Charts as SVG: every point where its value puts it, and every number in the page.
#include "train/report/chart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tests/catch.h"
#include "tests/unit/train/report/markup.h"

using namespace train;
using engine::joined;
using markup::all_between;
using markup::attribute;
using markup::count;
using markup::Mark;
using markup::marks_of;
using markup::number;

namespace {

// The axes in the picture; y grows downward in SVG.
constexpr double left = 0, right = 1000, top = 0, bottom = 1000;
constexpr double rounding = 0.05;  // places have one digit after the point

struct Tick {
  double place, value;
};

// 2.5K and 10M are 2,500 and 10,000,000.
double value_of(std::string label) {
  double unit = 1;
  if (label.ends_with('K')) unit = 1e3;
  if (label.ends_with('M')) unit = 1e6;
  if (unit > 1) label.pop_back();
  return unit * number(label);
}

// Of the lines of the grid, M0 yH1000 and Mx 0V1000, and the labels, at places in per cent.
std::vector<Tick> ticks_of(const std::string& html, bool of_x) {
  std::vector<Tick> ticks;
  std::vector<std::string> labels;
  for (const std::string& text : all_between(html, "<text", "</text>"))
    if (attribute(text, "class") == (of_x ? "x" : "y")) labels.push_back(text);
  for (const std::string& part : all_between(html, "<path class=\"grid\"", "/>")) {
    const std::string d = attribute(part, "d");
    if ((d.find('V') != std::string::npos) != of_x) continue;
    const std::string place = of_x ? markup::between(d, "M", " ") : markup::between(d, " ", "H");
    CHECK(d == (of_x ? joined("M", place, " 0V1000") : joined("M0 ", place, "H1000")));
    REQUIRE(ticks.size() < labels.size());
    const std::string& label = labels[ticks.size()];
    ticks.push_back({number(place), value_of(label.substr(label.rfind('>') + 1))});
    CHECK(attribute(label, of_x ? "x" : "y") == joined(number(place) / 10, '%'));
  }
  CHECK(ticks.size() == labels.size());
  return ticks;
}

// A scale as two places and their values tell it.
struct Scale {
  Scale(bool logarithmic_, Tick a_, Tick b_) : logarithmic(logarithmic_), a(a_), b(b_) {}
  double unit(double value) const { return logarithmic ? std::log(value) : value; }
  double share(double value) const {
    return (unit(value) - unit(a.value)) / (unit(b.value) - unit(a.value));
  }
  // A place, and by how much it may be off: both places are rounded, and so is this one.
  void check(double value, double place) const {
    const double t = share(value), expected = a.place + t * (b.place - a.place),
                 error = rounding * (1 + std::abs(1 - t) + std::abs(t)) + 1e-6;
    INFO("value " << value << " at " << place << ", expected " << expected);
    CHECK(std::abs(place - expected) <= error);
  }
  bool logarithmic;
  Tick a, b;
};

std::vector<Point> points_of(const Chart& chart) {
  std::vector<Point> all;
  for (const Series& series : chart.series)
    all.insert(all.end(), series.points.begin(), series.points.end());
  return all;
}

// The marks and the ticks of an axis.
void check_axis(const Chart& chart, const std::string& html, bool of_x) {
  INFO((of_x ? "x axis" : "y axis"));
  const bool logarithmic = of_x && chart.log_x;
  const double from = of_x ? left : bottom, to = of_x ? right : top;
  std::vector<Tick> places;
  const std::vector<Point> points = points_of(chart);  // with all their digits
  const std::vector<Mark> marks = marks_of(html);
  for (std::size_t i = 0; i < marks.size(); ++i)
    places.push_back(of_x ? Tick{marks[i].cx, points.at(i).x} : Tick{marks[i].cy, points.at(i).y});
  const auto [low, high] = std::ranges::minmax(places, {}, &Tick::value);
  const auto check_within = [&](const char* what, const Tick& at) {
    INFO(what << " " << at.value << " at " << at.place);
    CHECK(at.place >= std::min(from, to) - rounding);
    CHECK(at.place <= std::max(from, to) + rounding);
  };
  for (const Tick& at : places) check_within("mark", at);
  std::vector<Tick> ticks = ticks_of(html, of_x);
  CHECK(ticks.size() >= 2);
  CHECK(ticks.size() <= 8);
  for (const Tick& tick : ticks) check_within("tick", tick);
  if (high.value > low.value) {
    const Scale scale(logarithmic, low, high);
    CHECK((high.place - low.place) * (to - from) > 0);
    for (const Tick& at : places) scale.check(at.value, at.place);
    for (const Tick& tick : ticks) scale.check(tick.value, tick.place);
  } else if (ticks.size() >= 2) {  // the ticks tell the scale
    const Scale scale(logarithmic, ticks.front(), ticks.back());
    CHECK((ticks.back().place - ticks.front().place) * (to - from) > 0);
    for (const Tick& tick : ticks) scale.check(tick.value, tick.place);
    for (const Tick& at : places) scale.check(at.value, at.place);
  }
}

// Everything that holds of every chart.
void check_chart(const Chart& chart) {
  const std::string html = train::html(chart);
  INFO(chart.title);
  std::vector<std::string> names;
  for (const Series& series : chart.series)
    names.insert(names.end(), series.points.size(), series.name);
  const std::vector<Point> expected = points_of(chart);
  const std::vector<Mark> marks = marks_of(html);
  REQUIRE(marks.size() == expected.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    INFO("mark " << i);
    CHECK(marks[i].series == names[i]);
    CHECK(marks[i].x == Approx(expected[i].x).epsilon(1e-5));  // as the table rounds them
    CHECK(marks[i].y == Approx(expected[i].y).epsilon(1e-4));
    CHECK(marks[i].drawn);
  }
  check_axis(chart, html, true);
  check_axis(chart, html, false);
  CHECK(count(html, "\n<svg ") == 2);  // the picture, and in it its lines, which are stretched
  CHECK(count(html, "<svg") == 2);
}

Chart of(const std::string& title, std::vector<Point> points, bool log_x = false) {
  Chart chart{.id = "c",
              .title = title,
              .x_name = "step",
              .y_name = "loss",
              .series = {{"line", std::move(points), 212}},
              .levels = {},
              .note = {}};
  chart.log_x = log_x;
  return chart;
}

// The value that a table shows: rounded to four digits after the point or to six in all.
void check_shown(const std::string& text, double value) {
  std::string plain = text;
  std::erase(plain, ',');
  INFO("\"" << text << "\" for " << value);
  const bool whole = value == std::floor(value) && std::abs(value) < 1e9;
  const double error = whole                                            ? 0
                       : std::abs(value) >= 1 && std::abs(value) < 1000 ? 0.5e-4
                                                                        : 0.5e-5 * std::abs(value);
  CHECK(std::abs(number(plain) - value) <= error * (1 + 1e-9));
}

}  // namespace

TEST_CASE("chart: each point is a mark where its value puts it, on every scale") {
  const std::vector<Point> points = {{1, 3.25}, {2, 2.5}, {10, 1.75}, {250, 0.125}, {1000, 0.5}};
  for (const bool log_x : {false, true}) check_chart(of(joined("log x ", log_x), points, log_x));
  check_chart(of("negative", {{-20, -123}, {0, -0.5}, {30, 45678}}));
  check_chart(of("losses", {{0, 4.1744}, {250, 2.46}, {2000, 1.4697}}));
}

TEST_CASE("chart: values from 1e-9 to 1e12, one value, and values near each other") {
  for (const double unit : {1e-9, 3.7e-6, 0.02, 1.0, 777.0, 4e5, 1e9, 2.5e12})
    for (const bool logarithmic : {false, true}) {
      const auto name = [&](const char* what) {
        return joined(what, ", unit ", unit, logarithmic ? ", logarithmic" : "");
      };
      const auto check = [&](const char* what, std::vector<Point> points) {
        check_chart(of(name(what), std::move(points), logarithmic));
      };
      check("one point", {{unit, unit}});
      check("constant", {{unit, 3 * unit}, {2 * unit, 3 * unit}, {9 * unit, 3 * unit}});
      for (const double ratio : {1.2, 1.9, 2.6, 4.9, 6.0, 30.0, 99.0, 101.0, 5e4})
        check("two points", {{unit, ratio * unit}, {ratio * unit, unit}});
    }
  check_chart(of("21 decades", {{1e-9, 1}, {1, 2}, {1e12, 3}}, true));
  check_chart(of("all of it", {{1e-9, 1e-9}, {1e12, 1e12}}));
  check_chart(of("at 0", {{0, 0}}));
  check_chart(of("below 0", {{-2, -3}}));
}

TEST_CASE("chart: values that no axis can tell apart, and all that a record may hold") {
  for (const bool logarithmic : {false, true})
    for (const auto& [low, high] :
         {std::pair(1e17, 1e17 + 16), {1e-100, 1e100}, {9007199254740990.0, 9007199254740991.0}}) {
      const std::string html = train::html(of("extremes", {{low, low}, {high, high}}, logarithmic));
      INFO(low << " to " << high);
      CHECK(marks_of(html).size() == 2);
      CHECK(html.find("nan") == std::string::npos);
      CHECK(html.find("inf") == std::string::npos);
      CHECK(html.size() < 20'000);
    }
}

TEST_CASE("chart: an axis shows every value, levels and zero among them") {
  Chart chart = of("levels", {{0, 2.5}, {100, 2.25}});
  chart.levels = {{"low", 1}, {"high", 4}};
  const std::string html = train::html(chart);
  check_chart(chart);
  const std::vector<std::string> lines = all_between(html, "<path class=\"level\"", ">");
  REQUIRE(lines.size() == 2);
  const std::vector<Mark> marks = marks_of(html);
  const Scale scale(false, {marks[0].cy, marks[0].y}, {marks[1].cy, marks[1].y});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double place = number(markup::between(attribute(lines[i], "d"), "M0 ", "H1000"));
    scale.check(chart.levels[i].y, place);
    CHECK(place >= top - rounding);
    CHECK(place <= bottom + rounding);
  }
  // The name of the lowest is above its line.
  const std::vector<std::string> names = all_between(html, "<text class=\"level", "/text>");
  REQUIRE(names.size() == 2);
  CHECK_THAT(names[0], Catch::StartsWith(" above") && Catch::EndsWith(">low 1<"));
  CHECK_THAT(names[1], Catch::StartsWith("\"") && Catch::EndsWith(">high 4<"));

  chart = of("from zero", {{5, 2.5}, {100, 2.25}});
  CHECK(std::ranges::none_of(ticks_of(train::html(chart), false),
                             [](const Tick& tick) { return tick.value == 0; }));
  chart.from_zero = true;
  const std::vector<Tick> ticks = ticks_of(train::html(chart), false);
  CHECK(ticks.front().value == 0);
  CHECK(ticks.front().place == bottom);
  check_chart(chart);
}

TEST_CASE("chart: no point, no chart") {
  CHECK(train::html(of("none", {})) == "");
  CHECK(train::html(Chart{}) == "");
  Chart chart = of("none, but a level", {});
  chart.levels = {{"level", 1}};
  CHECK(train::html(chart) == "");
  chart.series.push_back({"other", {{1, 2}}, 0});
  CHECK(marks_of(train::html(chart)).size() == 1);
}

TEST_CASE("chart: texts are escaped wherever they stand") {
  const std::string nasty = "~<&\"'>~", plain = "~&lt;&amp;&quot;&#39;&gt;~";
  Chart chart = of(nasty, {{1, 2}, {2, 3}});
  chart.x_name = chart.y_name = chart.series[0].name = nasty;
  chart.series.push_back({nasty, {{1, 2.5}}, 28, true});
  chart.levels = {{nasty, 2}};
  chart.note = nasty;
  const std::string html = train::html(chart);
  for (const char* raw : {"~<&", "<&", "&\"", "\"'", "'>"}) {
    INFO(raw);
    CHECK(count(html, raw) == 0);
  }
  CHECK(count(html, "'") == 0);
  // Title: caption, group, picture, table. Each series: legend, line, table's column. Axes: two, and
  // the table's first column. One level, one note.
  CHECK(count(html, plain) == 4 + 2 * 3 + 3 + 1 + 1);
  CHECK(count(html, "class=\"dashed\"") == 2);  // legend and line
}

TEST_CASE("chart: its table has every number, of series with places of their own") {
  const std::vector<Point> first = {{0, 4.17441}, {250, -1234567}, {1500.5, 0.000123456789}},
                           second = {{250, 999.99996}, {3000, 1e-9}, {1e12, 123456.789}};
  Chart chart = of("two", first);
  chart.series.push_back({"other", second, 28});
  const std::string html = train::html(chart),
                    table = markup::between(html, "<tbody>\n", "</tbody>");
  CHECK(all_between(html, "<th scope=\"col\">", "</th>") ==
        std::vector<std::string>{"step", "line", "other"});
  std::map<double, std::pair<const double*, const double*>> rows;
  for (const Point& point : first) rows[point.x].first = &point.y;
  for (const Point& point : second) rows[point.x].second = &point.y;
  const std::vector<std::string> lines = all_between(table, "<tr>", "</tr>");
  REQUIRE(lines.size() == rows.size());
  std::size_t i = 0;
  for (const auto& [x, values] : rows) {
    const std::string& line = lines[i++];
    INFO(line);
    check_shown(markup::between(line, "<th scope=\"row\">", "</th>"), x);
    const std::vector<std::string> cells = all_between(line, "<td class=\"n\">", "</td>");
    REQUIRE(cells.size() == 2);
    const auto check_cell = [](const std::string& cell, const double* value) {
      if (value == nullptr)
        CHECK(cell == "");
      else
        check_shown(cell, *value);
    };
    check_cell(cells[0], values.first);
    check_cell(cells[1], values.second);
  }
  const std::string negative = train::html(of("negative", {{1, -123}, {2, -123456}, {3, 123}}));
  CHECK(all_between(negative, "<td class=\"n\">", "</td>") ==
        std::vector<std::string>{"-123", "-123,456", "123"});
  const std::string digits = train::html(of(
      "digits",
      {{1, 0.25}, {2, 1.5}, {3, -999.5}, {4, 1000.5}, {5, -1000.5}, {6, 999'999'999}, {7, 1e9}}));
  CHECK(all_between(digits, "<td class=\"n\">", "</td>") ==
        std::vector<std::string>{"0.25", "1.5000", "-999.5000", "1000.5", "-1000.5", "999,999,999",
                                 "1e+9"});
  CHECK(count(train::html(of("one", first)), "class=\"legend\"") == 0);
  CHECK(count(html, "class=\"legend\"") == 1);
}

TEST_CASE("chart: of a number above the picture there is a corner, and nothing is drawn") {
  Chart chart = of("line", {{0, 9}, {1, 3}, {4, 2}, {5, 8}, {6, 1}});
  chart.highest = 3;
  const std::string html = train::html(chart);
  CHECK(attribute(markup::between(html, "--hue:212\"><path", "/>"), "d") ==
        "M0 -3000M166.7 0L666.7 500M833.3 -2500M1000 1000");
  std::vector<bool> drawn;
  for (const Mark& mark : marks_of(html)) drawn.push_back(mark.drawn);
  CHECK(drawn == std::vector<bool>{false, true, true, false, true});
}

TEST_CASE("chart: marks from 10,000 and from a million on are short") {
  const auto labels = [](double high) { return train::html(of("c", {{0, 1}, {high, 2}})); };
  for (const auto& [high, before, last] :
       {std::tuple(1e4, "8000", "10K"), {1e6, "800K", "1M"}, {2.5e6, "2M", "2.5M"}}) {
    CHECK(count(labels(high), joined('>', before, "</text>")) == 1);
    CHECK(count(labels(high), joined('>', last, "</text>")) == 1);
  }
}
