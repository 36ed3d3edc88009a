// The numbers that the book runs through by hand are what the engine computes now. UPDATE=1 in the environment (make
// transcripts-update) writes them instead.
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/book/by_hand/by_hand.h"
#include "tests/catch.h"

namespace fs = std::filesystem;

namespace by_hand {

std::vector<Page>& pages() {
  static std::vector<Page> all;
  return all;
}

Registered::Registered(void (*print)(std::ostream&), const char* file) {
  pages().push_back({fs::path(file).stem().string(), print});
}

void print(std::ostream& to, const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  to << line;
}

void print_rows(std::ostream& to, const char* name, const engine::Tensor& x, int digits) {
  const double unit = std::pow(10.0, -digits);
  const engine::Index rows = x.shape().rows(), cols = x.shape().cols();
  for (engine::Index i = 0; i < rows; ++i) {
    print(to, "  %-8s", i == 0 ? name : "");
    for (engine::Index j = 0; j < cols; ++j) {
      const double value = static_cast<double>(x.data()[i * cols + j]);
      print(to, " %*.*f", 5 + digits, digits, std::fabs(value) < unit / 2 ? 0.0 : value);
    }
    to << "\n";
  }
}

}  // namespace by_hand

TEST_CASE("the book: what is run through by hand is what the engine computes", "[transcript]") {
  const fs::path folder = "tests/book/by_hand";
  for (const by_hand::Page& page : by_hand::pages()) {
    std::ostringstream now;
    page.print(now);
    const fs::path path = folder / (page.name + ".txt");
    if (std::getenv("UPDATE") != nullptr) {
      std::ofstream(path, std::ios::binary) << now.str();
      continue;
    }
    std::ifstream file(path, std::ios::binary);
    const std::string there(std::istreambuf_iterator<char>(file), {});
    INFO("make transcripts-update writes " << path);
    CHECK(there == now.str());
  }
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".txt") {
      INFO(entry.path() << " is printed by no file here");
      CHECK(fs::exists(fs::path(entry.path()).replace_extension(".cpp")));
    }
}
