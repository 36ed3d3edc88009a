// A chart of lines as SVG: axes, units, a legend, and every value by pointer, by keyboard and as a
// table.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace train {

struct Point {
  double x, y;
};

// A line through points, x ascending.
struct Series {
  std::string name = {};
  std::vector<Point> points = {};
  int hue = 0;  // of its colour, in degrees
  bool dashed = false;
  bool faint = false;  // points without a line, behind the others
};

// A horizontal line to compare with.
struct Level {
  std::string name;
  double y;
};

struct Chart {
  std::string id = {};                   // of the element
  std::string title = {};                // one line
  std::string x_name = {}, y_name = {};  // with their units
  std::vector<Series> series = {};
  std::vector<Level> levels = {};
  bool log_x = false;                  // a logarithmic scale; values must be above 0
  bool whole_x = false;                // the marks of the x axis are whole numbers
  bool from_zero = false;              // the y axis begins at 0
  bool wide = false;                   // as the page
  std::optional<double> highest = {};  // the y axis ends there; what is above cannot be seen
  std::string note = {};               // below the chart
};

// A <figure>; empty if there is no point. Of long lines some points are left out, and a note says so.
// The numbers are in its table: each column has an element data-series, with a corner for each of them.
std::string html(Chart chart);

}  // namespace train
