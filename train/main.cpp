// main. This file is compiled for the base instruction set, the rest of the program for the machine
// it was built on. On a CPU that lacks one of those instructions it says so in one sentence.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "train/system/console.h"

namespace train {
int run(const std::vector<std::string>& words);  // train/program/program.cpp
}

int main(int argc, char** argv) try {
  std::signal(SIGILL, [](int) {
    std::fputs(
        "gradus: built for a CPU with instructions that this one lacks; run make clean && make "
        "here, or make ARCH=x86-64\n",
        stderr);
    std::_Exit(1);
  });
  return train::run(train::system::arguments(argc, argv));
} catch (const std::bad_alloc&) {  // before there is a command that could say more
  std::fputs("gradus: out of memory while starting\n", stderr);
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "gradus: %s\n", error.what());
  return 1;
}
