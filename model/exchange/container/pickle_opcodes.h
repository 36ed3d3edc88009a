// What the reader and the writer of pickles have in common: the opcodes, by Python's names for them.
#pragma once

#include <cstddef>
#include <string_view>

namespace model::pickle {

// A checkpoint of GPT-2 XL has 0.2 MB, a meta.pkl of 65,000 tokens 1.6 MB.
inline constexpr std::size_t max_bytes = std::size_t{8} << 20;
inline constexpr std::string_view ordered_dict = "collections.OrderedDict";

enum class Opcode : unsigned char {
  mark = '(',
  empty_tuple = ')',
  stop = '.',
  binfloat = 'G',
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  none = 'N',
  binpersid = 'Q',
  reduce = 'R',
  binunicode = 'X',
  empty_list = ']',
  append = 'a',
  build = 'b',
  global = 'c',
  appends = 'e',
  binget = 'h',
  long_binget = 'j',
  binput = 'q',
  long_binput = 'r',
  setitem = 's',
  tuple = 't',
  setitems = 'u',
  empty_dict = '}',
  proto = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  newtrue = 0x88,
  newfalse = 0x89,
  long1 = 0x8A,
  short_binunicode = 0x8C,
  binunicode8 = 0x8D,
  stack_global = 0x93,
  memoize = 0x94,
  frame = 0x95,
};

}  // namespace model::pickle
