// Where gpt2_chunk_end cuts standard input: the chunks' sizes in bytes, one per line. For
// gpt2_split.py.
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "model/tokenizer/bpe/split.h"

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = model::gpt2_chunk_end(text, begin);
    std::printf("%zu\n", end - begin);
    begin = end;
  }
}
