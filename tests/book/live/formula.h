// A formula that a reader types, computed by the engine's ops while it is read: v = x * w + b; v * v. Known are + - * / ^ **,
// brackets, numbers, pow(x, y), and functions of one argument. As a tape's observer it keeps a node of each leaf and op.
#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/number.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "model/base/text.h"

namespace live {

class Formula : public engine::Tape::Observer {
 public:
  using Tensor = engine::Tensor;
  struct Node {
    std::string op, name;  // name: what it is assigned to, or the part of the formula
    engine::Gradient slot;
    double value = 0;
    std::vector<engine::Index> inputs = {};
  };
  // leaf: of a name that nothing was assigned to.
  Formula(std::string_view text, std::function<Tensor(std::string_view)> leaf)
      : text_(text), leaf_(std::move(leaf)) {}

  Tensor value() {  // of the last statement
    engine::check(next() != '\0', "formula: type a formula, such as 2 * x + 1");
    Tensor y;
    do {
      const std::size_t begin = at_;
      const std::string_view name = word();
      const bool assigns = !name.empty() && take('=');
      if (!assigns) at_ = begin;
      y = expression(1);
      if (assigns) names_[name] = named(name, y);
    } while (take(';') && next() != '\0');
    engine::check(next() != ')', "formula: a ) has no (");
    if (next() != '\0') missing("an operation, such as *,");
    return y;
  }
  engine::Index number_of(const engine::Gradient& slot) const {
    return std::ranges::find(nodes, slot, &Node::slot) - nodes.begin();
  }
  std::vector<Node> nodes;

 private:
  void recorded(const char* op, const engine::Gradient& y,
                std::span<const engine::Gradient> inputs) override {
    engine::check(nodes.size() < 40, "formula: more than 40 values are too many for a picture");
    nodes.push_back({op, "", y});
    for (const engine::Gradient& x : inputs)
      if (x) nodes.back().inputs.push_back(number_of(x));
  }
  void ran_backward(const char*, const engine::Gradient&, const Tensor&) override {}
  const Tensor& named(std::string_view name, const Tensor& y) {
    const auto node = std::ranges::find(nodes, y.gradient(), &Node::slot);
    if (node != nodes.end() && node->op != "leaf") {
      node->name = name;
      node->value = double(y.item());
    }
    return y;
  }
  // Operators of this level and above.
  Tensor expression(int level) {
    const std::size_t begin = (next(), at_);
    const auto noted = [&](const Tensor& y) {
      return named(text_.substr(begin, text_.find_last_not_of(' ', at_ - 1) + 1 - begin), y);
    };
    Tensor y = take('-') ? noted(-expression(3)) : operand();
    for (;;) {
      const bool stars = next() == '*' && text_.substr(at_, 2) == "**";  // as in Python
      const char op = stars ? '^' : next();
      const int own = op == '^' ? 4 : op == '*' || op == '/' ? 2 : op == '+' || op == '-' ? 1 : 0;
      if (own < level) return y;
      at_ += stars ? 2 : 1;
      const Tensor z = expression(own + (op != '^'));
      y = noted(op == '+'   ? y + z
                : op == '-' ? y - z
                : op == '*' ? y * z
                : op == '/' ? y / z
                            : pow(y, z));
    }
  }
  // A number, a bracket, a function of one or two brackets' values, a name.
  Tensor operand() {
    if (take('(')) return closed(expression(1));
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (double number = 0; engine::parse_number(name, number) == engine::Parsed::ok) return number;
    const std::size_t letters = name.find_first_not_of("0123456789.");
    if (letters == name.npos || engine::is_digit(name.front())) {
      at_ = letters == name.npos ? begin : begin + letters;  // 2x
      missing(letters == name.npos ? "a number, a name or a bracket" : "an operation, such as *,");
    }
    if (!take('(')) {
      Tensor& known = names_[name];
      if (!known) {
        known = leaf_(name);
        nodes.push_back({"leaf", std::string(name), known.gradient(), double(known.item())});
      }
      return known;
    }
    engine::check(name == "pow" || functions.contains(name), "formula: there is no function ",
                  model::in_quotes(name), "; there are ", all);
    const Tensor x = expression(1);
    if (name == "pow" && !take(',')) missing("the second number of pow, after a comma,");
    const Tensor y = closed(name == "pow" ? pow(x, expression(1)) : functions.at(name)(x));
    return named(text_.substr(begin, at_ - begin), y);
  }
  Tensor closed(const Tensor& y) {
    if (!take(')')) missing("a )");
    return y;
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) { return next() == c && ++at_ > 0; }
  std::string_view word() {
    const auto in_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    next();
    const std::size_t begin = at_;
    // 1e-3 is one number; x-3 is none.
    const auto signs = [&] {
      return at_ > begin && (engine::is_digit(text_[begin]) || text_[begin] == '.') &&
             (text_[at_] == '-' || text_[at_] == '+') &&
             (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    };
    while (at_ < text_.size() && (in_name(text_[at_]) || signs())) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  [[noreturn]] void missing(const char* what) {
    const bool end = next() == '\0';
    engine::fail("formula: ", what, " is missing ", end ? "at the end" : "before ",
                 end ? "" : engine::joined(model::in_quotes(text_.substr(at_))));
  }

  static inline const std::map<std::string_view, Tensor (*)(const Tensor&)> functions = {
      {"abs", engine::abs},   {"exp", engine::exp},         {"log", engine::log},
      {"sqrt", engine::sqrt}, {"sin", engine::sin},         {"cos", engine::cos},
      {"tanh", engine::tanh}, {"sigmoid", engine::sigmoid}, {"relu", engine::relu}};
  static inline const std::string all = [] {
    std::string names = "pow(x, y)";
    for (const auto& [name, f] : functions) names += engine::joined(", ", name);
    return names;
  }();
  std::string_view text_;
  std::function<Tensor(std::string_view)> leaf_;
  std::size_t at_ = 0;
  std::map<std::string_view, Tensor> names_;
};

}  // namespace live
