// Maps of attention weights: their numbers, their cells, their size.
#include "train/report/attention.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "model/base/text.h"
#include "tests/catch.h"
#include "tests/unit/train/report/markup.h"
#include "train/report/page.h"

using namespace train;
using engine::at;
using engine::joined;
using engine::real;
using markup::all_between;
using markup::attribute;
using markup::between;
using markup::count;
using markup::number;

namespace {

// Rows that sum to 1: some even, some nearly all on one token.
std::vector<real> weights(Index n, bool causal) {
  std::vector<real> all(engine::unsigned_size(n * n));
  for (Index i = 0; i < n; ++i) {
    const Index end = causal ? i + 1 : n;
    std::vector<double> row;
    double sum = 0;
    for (Index j = 0; j < end; ++j) {
      row.push_back(
          std::exp(static_cast<double>(i % 5) * std::sin(static_cast<double>(7 * i + 3 * j))));
      sum += row.back();
    }
    for (Index j = 0; j < end; ++j) at(all, i * n + j) = static_cast<real>(at(row, j) / sum);
  }
  return all;
}

// Every cell is drawn, and has five digits: no map takes more bytes.
std::vector<real> longest_weights(Index n) {
  return std::vector<real>(engine::unsigned_size(n * n), real(0.03456));
}

std::string map_of(Index n, bool causal, const std::vector<real>& values,
                   const std::string& token = "t") {
  std::vector<std::string> tokens;
  for (Index i = 0; i < n; ++i) tokens.push_back(joined(token, i));
  return html({"layer 2, head 3", "2", "3", values, tokens, causal});
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// The opacity of each cell that is drawn, by row and column.
std::map<std::pair<Index, Index>, double> cells_of(const std::string& html) {
  std::map<std::pair<Index, Index>, double> cells;
  for (const std::string& path :
       all_between(between(html, "<g class=\"cells\">", "</g>"), "<path", "/>"))
    for (const std::string& cell : all_between(attribute(path, "d"), "M", "h1v1h-1z")) {
      const std::vector<std::string> place = split(cell, ' ');
      REQUIRE(place.size() == 2);
      const auto column = static_cast<Index>(number(place[0])),
                 row = static_cast<Index>(number(place[1]));
      INFO("cell " << row << ", " << column << " once");
      CHECK(cells.emplace(std::pair(row, column), number(attribute(path, "fill-opacity"))).second);
    }
  return cells;
}

}  // namespace

TEST_CASE("attention map: its numbers are the weights, its cells the darker the larger they are") {
  for (const bool causal : {true, false})
    for (const Index n : {1, 2, 5, 8, 9, 24, 40}) {
      INFO("n " << n << ", causal " << causal);
      const std::vector<real> expected = weights(n, causal);
      const std::string html = map_of(n, causal, expected);
      CHECK(attribute(html, "data-layer") == "2");
      CHECK(attribute(html, "data-head") == "3");
      const std::vector<std::string> rows = split(attribute(html, "data-weights"), ';');
      REQUIRE(std::ssize(rows) == n);
      const auto cells = cells_of(html);
      std::vector<std::pair<double, double>> shades;  // weight and opacity
      for (Index i = 0; i < n; ++i) {
        const std::vector<std::string> row = split(at(rows, i), ' ');
        REQUIRE(std::ssize(row) == (causal ? i + 1 : n));
        double sum = 0;
        for (Index j = 0; j < n; ++j) {
          INFO("row " << i << ", column " << j);
          const auto cell = cells.find({i, j});
          if (j >= std::ssize(row)) {
            CHECK(cell == cells.end());
            continue;
          }
          const auto weight = static_cast<double>(at(expected, i * n + j));
          CHECK(std::abs(number(at(row, j)) - weight) <= 0.5e-5 * (1 + 1e-9));
          sum += number(at(row, j));
          CHECK((cell != cells.end()) == (weight * 4 * static_cast<double>(n) >= 1));
          if (cell != cells.end()) shades.emplace_back(weight, cell->second);
        }
        // Each number is rounded by half of 1e-5 at most; the weights themselves are reals.
        CHECK(std::abs(sum - 1) <= static_cast<double>(std::ssize(row)) * 0.5e-5 + 1e-6);
      }
      std::ranges::sort(shades);
      for (std::size_t i = 1; i < shades.size(); ++i) {
        INFO("weights " << shades[i - 1].first << " and " << shades[i].first);
        CHECK(shades[i - 1].second <= shades[i].second);
        CHECK(shades[i].second <= 1);
      }
      if (n >= 8) CHECK(shades.front().second < shades.back().second);
      const bool above = std::ranges::any_of(
          cells, [](const auto& cell) { return cell.first.second > cell.first.first; });
      CHECK(above == (!causal && n > 1));
      CHECK(html.find("\n<svg ") != std::string::npos);
    }
}

TEST_CASE("attention map: weights have five digits, without zeros at either end") {
  CHECK(attribute(map_of(2, true, {1, 0, real(1 / 3.0), real(2 / 3.0)}), "data-weights") ==
        "1;.33333 .66667");
  CHECK(attribute(map_of(2, false, {0.25, 0.75, 1, 0}), "data-weights") == ".25 .75;1 0");
}

TEST_CASE("attention map: its tokens beside it, its weights in it if there are eight at most") {
  for (const bool causal : {true, false})
    for (const Index n : {1, 2, 8, 9}) {
      INFO("n " << n << ", causal " << causal);
      const std::vector<real> expected = weights(n, causal);
      const std::string html = map_of(n, causal, expected, "<");
      const Index on = static_cast<Index>(count(html, "<text class=\"on\"")),
                  off = static_cast<Index>(count(html, "<text class=\"off\""));
      CHECK(on + off == (n > 8 ? 0 : causal ? n * (n + 1) / 2 : n * n));
      for (Index i = 0; i < n; ++i) {
        INFO("token " << i);
        CHECK(count(html, joined(" y=\"", i, ".5\" dy=\".35em\" text-anchor=\"end\">&lt;", i,
                                 "</text>")) == 1);
        CHECK(count(html, joined("translate(", i, ".5 -.3)rotate(-90)\" dy=\".35em\">&lt;", i,
                                 "</text>")) == 1);
        for (Index j = 0; n <= 8 && j < (causal ? i + 1 : n); ++j) {
          INFO("column " << j);
          const auto weight = static_cast<double>(at(expected, i * n + j));
          CHECK(count(html, joined("<text class=\"", weight > 0.4 ? "on" : "off", "\" x=\"", j,
                                   ".5\" y=\"", i, ".5\" dy=\".35em\" text-anchor=\"middle\">",
                                   model::fixed_text(weight, 2), "</text>")) == 1);
        }
      }
    }
}

TEST_CASE(
    "attention map: letters stand upright above the columns, close to them; words are turned") {
  const std::vector<real> values{1, 0, 0.5, 0.5};
  const auto map_with = [&](const std::string& first) {
    const std::vector<std::string> tokens{first, "b"};
    return html({"layer 2, head 3", "2", "3", values, tokens, true});
  };
  for (const std::string letter : {"a", "<", "\xe7\x8c\xab"}) {
    INFO(letter);
    const std::string map = map_with(letter);
    CHECK(count(map, "rotate") == 0);
    CHECK(count(map, "<text x=\"0.5\" y=\"-.3\" text-anchor=\"middle\">" + escaped(letter) +
                         "</text>") == 1);
    CHECK(count(map, "viewBox=\"-1.25 -1.25 3.35 3.35\"") == 1);
  }
  for (const std::string word : {"ab", "<b", "<>"}) {
    INFO(word);
    CHECK(count(map_with(word), "rotate(-90)") == 1);
    CHECK(count(map_with(word), "viewBox=\"-1.9 -1.9 4 4\"") == 1);  // 0.6 and 0.65 for each byte
  }
  for (const int bytes : {12, 13})  // at most
    CHECK(count(map_with(std::string(engine::unsigned_size(bytes), 'a')),
                "viewBox=\"-8.4 -8.4 10.5 10.5\"") == 1);
}

TEST_CASE("attention map: its text names the largest weight of a token on another") {
  const auto label = [](Index n, bool causal, const std::vector<real>& values) {
    return attribute(map_of(n, causal, values).substr(map_of(n, causal, values).find("<svg")),
                     "aria-label");
  };
  CHECK(label(3, true, {1, 0, 0, 0.25, 0.75, 0, 0.125, 0.5, 0.375}) ==
        "attention of layer 2, head 3, most from t2 to t1: 0.50");
  CHECK(label(3, true, {1, 0, 0, 0.25, 0.75, 0, 0.125, 0, 0.875}) ==
        "attention of layer 2, head 3, most from t1 to t0: 0.25");
  CHECK(label(2, false, {0.25, 0.75, 0.375, 0.625}) ==
        "attention of layer 2, head 3, most from t0 to t1: 0.75");
}

TEST_CASE("attention map: a page of maps has about a megabyte at most") {
  for (const bool causal : {true, false}) {
    Index before = 40;
    for (Index heads = 1; heads <= 3000; heads += 1 + heads / 4) {
      INFO(heads << " heads, causal " << causal);
      const Index n = tokens_on_maps(heads, causal);
      CHECK(n >= 2);
      CHECK(n <= before);  // more heads, fewer tokens
      CHECK(n <= tokens_on_maps(heads, true));
      before = n;
      const std::size_t size = map_of(n, causal, longest_weights(n), " the").size();
      INFO(n << " tokens, " << size << " bytes for each map");
      CHECK((n == 2 || size * engine::unsigned_size(heads) < 950'000));
      // Nor is room left that one token more could use.
      const std::size_t more = map_of(n + 1, causal, longest_weights(n + 1), " the").size();
      CHECK((n == 40 || n <= 8 || more * engine::unsigned_size(heads) > 780'000));
    }
    CHECK(tokens_on_maps(1, causal) == 40);
    CHECK(tokens_on_maps(12 * 13, causal) >= 12);
    CHECK(tokens_on_maps(1'000'000, causal) == 2);
  }
}
