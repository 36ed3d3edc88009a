// `accidents KIND`: exercise 4, answered in a way that ends in something else than a wrong result.
// tests/program/exercises_test.cpp reads what the grader says.
#include <csignal>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/exercises/grader/grader.h"

using namespace exercises;

namespace {

void right(Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) {
      da(i, j) = dy(i, j) * b[j];
      db[j] += dy(i, j) * a(i, j);
    }
}

void throw_number() { throw 1; }

int without_end(volatile int* depth) {
  volatile int here[1000] = {*depth};
  return *depth < 0 ? 0 : without_end(here) + *depth;
}

const std::map<std::string, MulBackward*> accidents = {
    {"nothing", [](Matrix, Vector, Matrix, MutableMatrix, MutableVector) {}},
    {"left in",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       right(a, b, dy, da, db);
       not_done(a, b, dy, da, db);
     }},
    {"no db",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) da(i, j) = dy(i, j) * b[j];
     }},
    {"one row",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       right(a, b, dy, da, db);
       for (Index i = 1; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) da(i, j) = 0;
     }},
    {"float",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       right(a, b, dy, da, db);
       for (Index j = 0; j < a.cols; ++j) db[j] = static_cast<real>(static_cast<float>(db[j]));
     }},
    {"row", [](Matrix a, Vector, Matrix dy, MutableMatrix da,
               MutableVector) { da(0, 0) = dy(a.rows, 0); }},
    {"column", [](Matrix a, Vector, Matrix dy, MutableMatrix da,
                  MutableVector) { da(0, 0) = dy(0, a.cols); }},
    {"element",
     [](Matrix, Vector b, Matrix, MutableMatrix da, MutableVector) { da(0, 0) = b[b.size]; }},
    {"negative",
     [](Matrix, Vector, Matrix dy, MutableMatrix da, MutableVector) { da(0, 0) = dy(-1, 0); }},
    {"exception", [](Matrix, Vector, Matrix, MutableMatrix,
                     MutableVector) { throw std::out_of_range("vector::at"); }},
    {"int", [](Matrix, Vector, Matrix, MutableMatrix, MutableVector) { throw_number(); }},
    {"uncaught", [](Matrix, Vector, Matrix, MutableMatrix,
                    MutableVector) { []() noexcept { throw_number(); }(); }},
    {"memory",
     [](Matrix, Vector, Matrix, MutableMatrix, MutableVector db) { db.data[Index(1) << 40] = 1; }},
    {"recursion",
     [](Matrix, Vector, Matrix, MutableMatrix, MutableVector db) {
       volatile int depth = 0;
       db[0] = static_cast<real>(without_end(&depth));
     }},
    {"division", [](Matrix, Vector, Matrix, MutableMatrix, MutableVector) { std::raise(SIGFPE); }},
    // (ThreadSanitizer delivers a signal in a library call only.)
    {"loop",
     [](Matrix, Vector, Matrix, MutableMatrix, MutableVector) {
       std::puts("once");
       for (volatile bool forever = true; forever;) std::fflush(stdout);
     }},
};

}  // namespace

int main(int, char** arguments) { return report(mul(accidents.at(arguments[1])), 1); }
