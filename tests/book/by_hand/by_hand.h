// What the book runs through by hand, computed by the engine. Each file here has a function that prints, and registers
// it; what it prints stands beside the file, NN_topic.txt, and the chapter shows it. by_hand_test.cpp compares the two.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "engine/tensor.h"

namespace by_hand {

struct Page {
  std::string name;  // of the file, without .cpp
  void (*print)(std::ostream&);
};
std::vector<Page>& pages();

// A line of each file: const by_hand::Registered registered(print);
struct Registered {
  explicit Registered(void (*print)(std::ostream&), const char* file = __builtin_FILE());
};

// printf to a stream.
__attribute__((format(printf, 2, 3))) void print(std::ostream& to, const char* format, ...);

// The rows of x, a matrix or a vector, after its name, with `digits` digits after the point.
void print_rows(std::ostream& to, const char* name, const engine::Tensor& x, int digits);

}  // namespace by_hand
