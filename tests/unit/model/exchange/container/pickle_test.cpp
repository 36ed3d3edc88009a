// The pickle reader and writer: what comes back, and that nothing but plain data and names on the
// list is read.
#include "model/exchange/container/pickle.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "tests/catch.h"

using model::Pickle;
using model::PickleWriter;
using namespace std::string_literals;
using Type = Pickle::Type;

namespace {

constexpr std::array<std::string_view, 2> allowed = {"shop.order", "shop.Goods"};

// The pickle with those opcodes between PROTO and STOP.
std::string program(const std::string& opcodes) { return "\x80\2" + opcodes + "."; }

std::string error_of(std::string_view pickle) {
  try {
    Pickle parsed(pickle, allowed);
  } catch (const engine::Error& error) {
    return error.what();
  }
  return "accepted";
}

// Of the root, if it is an integer.
std::int64_t integer_of(const std::string& opcodes) {
  const std::string pickle = program(opcodes);
  return Pickle(pickle).root().integer();
}

double number_of(const std::string& opcodes) {
  const std::string pickle = program(opcodes);
  return Pickle(pickle).root().number();
}

std::string text_of(const std::string& opcodes) {
  const std::string pickle = program(opcodes);
  return std::string(Pickle(pickle).root().text());
}

std::string file(const std::string& path) {
  std::ifstream in("tests/data/" + path, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string text(const std::string& value) {  // BINUNICODE
  return "X"s + static_cast<char>(value.size()) + "\0\0\0"s + value;
}

}  // namespace

TEST_CASE("pickle: nanoGPT's meta.pkl in each of Python's binary protocols") {
  for (int protocol = 2; protocol <= 5; ++protocol) {
    INFO("protocol " << protocol);
    const std::string bytes = file("meta_" + std::to_string(protocol) + ".pkl");
    const Pickle meta(bytes);
    CHECK(meta.root().size() == 3);
    CHECK(meta.root().at("vocab_size").integer() == 5);
    const std::array<std::string_view, 5> letters = {"\n", " ", "a", "é", "😀"};
    std::size_t next = 0;
    for (const auto [key, value] : meta.root().at("itos").members()) {
      REQUIRE(next < letters.size());
      CHECK(key.integer() == static_cast<std::int64_t>(next));
      CHECK(value.text() == letters[next]);
      CHECK(meta.root().at("stoi").at(letters[next]).integer() == key.integer());
      CHECK(meta.root().at("itos").find(key.integer())->text() == letters[next]);
      ++next;
    }
    CHECK(next == letters.size());
    CHECK_FALSE(meta.root().at("itos").find(5).has_value());
    CHECK_FALSE(meta.root().at("itos").find("a").has_value());
    CHECK_FALSE(meta.root().at("stoi").find(1).has_value());

    for (std::size_t size = 0; size < bytes.size(); ++size) {
      INFO("cut to " << size << " of " << bytes.size() << " bytes");
      CHECK(error_of(std::string_view(bytes).substr(0, size)) != "accepted");
    }
    CHECK(error_of(bytes + "x") == engine::joined("byte ", bytes.size() - 1,
                                                  ": STOP, the pickle should end at ", bytes.size(),
                                                  ", it ends at ", bytes.size() + 1));
  }
}

TEST_CASE("pickle: scalars of every opcode") {
  CHECK(integer_of("K\xff"s) == 255);
  CHECK(integer_of("M\xff\xfe"s) == 65279);
  CHECK(integer_of("J\xfe\xff\xff\xff"s) == -2);
  CHECK(integer_of("J\0\0\0\x7f"s) == 0x7F000000);
  CHECK(integer_of("\x8a\0"s) == 0);
  CHECK(integer_of("\x8a\1\x80"s) == -128);
  CHECK(integer_of("\x8a\2\x80\0"s) == 128);
  CHECK(integer_of("\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f"s) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(integer_of("\x8a\x8\0\0\0\0\0\0\0\x80"s) == std::numeric_limits<std::int64_t>::min());
  CHECK(number_of("G\x3f\xf8\0\0\0\0\0\0"s) == 1.5);
  CHECK(number_of("G\xff\xf0\0\0\0\0\0\0"s) == -std::numeric_limits<double>::infinity());
  CHECK(number_of("K\7"s) == 7);
  CHECK(text_of("X\3\0\0\0a\xc3\xa9"s) == "aé");
  CHECK(text_of("\x8c\3a\xc3\xa9"s) == "aé");
  CHECK(text_of("\x8d\3\0\0\0\0\0\0\0a\xc3\xa9"s) == "aé");
  CHECK(text_of("X\0\0\0\0"s).empty());
  const std::string values = program("(\x88\x89Nt");
  const Pickle pickle(values);
  std::vector<Pickle::Value> elements;
  for (const Pickle::Value value : pickle.root().elements()) elements.push_back(value);
  REQUIRE(elements.size() == 3);
  CHECK(elements[0].boolean());
  CHECK_FALSE(elements[1].boolean());
  CHECK(elements[2].type() == Type::none);
  CHECK(elements[2].offset() == 5);
}

TEST_CASE("pickle: lists, tuples and dicts, in one part and in many") {
  const auto numbers = [](const std::string& opcodes) {
    const std::string bytes = program(opcodes);
    const Pickle pickle(bytes);
    std::string all = pickle.root().type() == Type::tuple ? "t" : "l";
    for (const Pickle::Value value : pickle.root().elements())
      all += std::to_string(value.integer());
    CHECK(pickle.root().size() == static_cast<std::int64_t>(all.size() - 1));
    return all;
  };
  CHECK(numbers(")") == "t");
  CHECK(numbers("K\1\x85") == "t1");
  CHECK(numbers("K\1K\2\x86") == "t12");
  CHECK(numbers("K\1K\2K\3\x87") == "t123");
  CHECK(numbers("(t") == "t");
  CHECK(numbers("(K\1K\2K\3K\4t") == "t1234");
  CHECK(numbers("]") == "l");
  CHECK(numbers("](e") == "l");
  CHECK(numbers("]K\1a(K\2K\3eK\4a") == "l1234");
}

TEST_CASE("pickle: dicts and OrderedDicts") {
  for (const std::string& empty : {"}"s, "ccollections\nOrderedDict\n)R"s,
                                   "\x8c\x0b"
                                   "collections\x8c\x0bOrderedDict\x93)R"s}) {
    const std::string bytes =
        program(empty + text("a") + "K\1s(" + text("b") + "K\2K\5K\3u" + text("c") + "Ns");
    const Pickle pickle(bytes);
    const Pickle::Value root = pickle.root();
    CHECK(root.type() == Type::dict);
    CHECK(root.size() == 4);
    CHECK(root.at("a").integer() == 1);
    CHECK(root.at("b").integer() == 2);
    CHECK(root.find(5)->integer() == 3);
    CHECK(root.at("c").type() == Type::none);
    std::string types;
    for (const auto [key, value] : root.members()) types += key.type() == Type::text ? 't' : 'i';
    CHECK(types == "ttit");
  }
  // The last of equal keys, as in Python.
  const std::string twice = program("}" + text("a") + "K\1s" + text("a") + "K\2sK\5K\3sK\5K\4s");
  const Pickle pickle(twice);
  CHECK(pickle.root().at("a").integer() == 2);
  CHECK(pickle.root().find(5)->integer() == 4);
  // BUILD gives attributes, which are dropped.
  const std::string built = program("ccollections\nOrderedDict\n)R}" + text("_metadata") + "Nsb");
  CHECK(Pickle(built).root().size() == 0);
}

TEST_CASE("pickle: calls of names on the list and persistent ids are data") {
  const std::string bytes = program("(cshop\norder\n(K\7" + text("x") + "tRcshop\nGoods\nK\3Qt");
  const Pickle pickle(bytes, allowed);
  std::vector<Pickle::Value> parts;
  for (const Pickle::Value value : pickle.root().elements()) parts.push_back(value);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].type() == Type::call);
  CHECK(parts[0].callee().global() == "shop.order");
  CHECK(parts[0].arguments().size() == 2);
  CHECK((*parts[0].arguments().elements().begin()).integer() == 7);
  CHECK(parts[1].type() == Type::global);
  CHECK(parts[1].global() == "shop.Goods");
  CHECK(parts[2].type() == Type::persistent_id);
  CHECK(parts[2].persistent_id().integer() == 3);
  const std::string name = program("ccollections\nOrderedDict\n");
  CHECK(Pickle(name).root().global() == "collections.OrderedDict");
}

TEST_CASE("pickle: the memo gives a value a second place, also inside itself") {
  CHECK(error_of(program("]q\0(h\0K\1t\x86"s)) == "accepted");
  const std::string bytes = program("]\x94(h\0j\0\0\0\0e"s);
  const Pickle pickle(bytes);
  CHECK(pickle.root().size() == 2);
  for (const Pickle::Value value : pickle.root().elements()) {
    CHECK(value.offset() == pickle.root().offset());
    CHECK(value.size() == 2);
  }
  std::string many = "(";
  for (int i = 0; i < 300; ++i)
    many += i < 256 ? "Nq"s + static_cast<char>(i) : "Nr"s + static_cast<char>(i - 256) + "\1\0\0"s;
  CHECK(error_of(program(many + "t")) == "accepted");
  CHECK(error_of(program(many + "\x94j\x2c\1\0\0t"s)) == "accepted");
  CHECK(error_of(program(many + "j\x2c\1\0\0t"s)) == "byte 1035: memo entry 300, there are 300");
}

TEST_CASE("pickle: depth is not limited by recursion") {
  std::string deep = ")";
  deep.append(1'000'000, '\x85');
  CHECK(error_of(program(deep)) == "accepted");
  std::string lists;
  for (int i = 0; i < 100'000; ++i) lists += "](";
  for (int i = 0; i < 100'000; ++i) lists += "e";
  CHECK(error_of(program(lists)) == "accepted");
}

TEST_CASE("pickle: names that are not on the list are refused") {
  const auto refused = [](const std::string& name) {
    return "the pickle asks for " + name + ", which is not on the list of what may be in this file";
  };
  CHECK(error_of(program("cos\nsystem\n" + text("ls") + "\x85R")) ==
        "byte 2: " + refused("os.system"));
  CHECK(error_of(program("cposix\nsystem\n)R")) == "byte 2: " + refused("posix.system"));
  CHECK(error_of(program("Nc__builtin__\neval\n)R")) == "byte 3: " + refused("__builtin__.eval"));
  CHECK(error_of(program("\x8c\x8"
                         "builtins\x8c\4eval\x93")) == "byte 18: " + refused("builtins.eval"));
  CHECK(error_of(program("cshop\norder\n(cos\nsystem\n)RtR")) ==
        "byte 15: " + refused("os.system"));
  CHECK(error_of(program("cshop\norder2\n)R")) == "byte 2: " + refused("shop.order2"));
  CHECK(error_of(program("cshop\norde\n)R")) == "byte 2: " + refused("shop.orde"));
  CHECK(error_of(program("c\n\n)R")) == "byte 2: " + refused("."));
  CHECK(error_of(program("ca\x1b[2J\nb\n")) == "byte 2: " + refused("a\\x1b[2J.b"));
  const std::string listed = program("cshop\norder\n)R");
  CHECK_THROWS_WITH(Pickle(listed, {}, "data.pkl: "), "data.pkl: byte 2: " + refused("shop.order"));
}

TEST_CASE("pickle: malformed programs are refused, naming byte and reason") {
  struct Case {
    std::string pickle;
    const char* error;
  };
  const std::string no_protocol =
      "is no pickle of protocol 2 to 5, which would begin with 0x80 and 2 to 5";
  for (const std::string& start : {""s, "\x80"s, "\x80\1N."s, "\x80\6N."s, "\x81\2N."s, "(dp0\n."s})
    CHECK(error_of(start) == no_protocol);
  for (int code = 0; code < 256; ++code) {
    static const std::string known =
        "().GJKMNQRX]abcehjqrstu}\x85\x86\x87\x88\x89\x8a\x8c\x8d\x93\x94\x95";
    if (known.find(static_cast<char>(code)) != std::string::npos) continue;
    CHECK(error_of(program(std::string(1, static_cast<char>(code)))) ==
          "byte 2: opcode 0x" + engine::hex(static_cast<std::uint64_t>(code), 2) +
              " is not one of those that PyTorch's and nanoGPT's files have");
  }
  const Case cases[] = {
      {"\x80\2", "byte 2: the pickle ends without STOP"},
      {program(""),
       "byte 2: STOP with 0 values and 0 marks on the stack, expected one value and no mark"},
      {program("NN"),
       "byte 4: STOP with 2 values and 0 marks on the stack, expected one value and no mark"},
      {program("(N"),
       "byte 4: STOP with 1 values and 1 marks on the stack, expected one value and no mark"},
      {"\x80\2N.N", "byte 3: STOP, the pickle should end at 4, it ends at 5"},
      {program("\x95\2\0\0\0\0\0\0\0"s), "byte 2: a frame of 2 bytes, but only 1 are left"},
      {program("\x95\xff\xff\xff\xff\xff\xff\xff\xff"s),
       "byte 2: a frame of 18446744073709551615 bytes, but only 1 are left"},
      {"\x80\2J\0\0\0"s, "byte 2: an argument of 4 bytes from byte 3, the pickle ends at 6"},
      {"\x80\2G1234567"s, "byte 2: an argument of 8 bytes from byte 3, the pickle ends at 10"},
      {program("\x8a\x9\0\0\0\0\0\0\0\0\0"s), "byte 2: an integer of 9 bytes, expected at most 8"},
      {"\x80\2X\2\0\0\0aN"s, "byte 9: the pickle ends without STOP"},
      {program("X\3\0\0\0a"s), "byte 2: an argument of 3 bytes from byte 7, the pickle ends at 9"},
      {program("X\xff\xff\xff\xff"s),
       "byte 2: an argument of 4294967295 bytes from byte 7, the pickle ends at 8"},
      {program("\x8c\5"s), "byte 2: an argument of 5 bytes from byte 4, the pickle ends at 5"},
      {program("\x8d\0\0\0\0\0\0\0\x80"s),
       "byte 2: an argument of 9223372036854775808 bytes from byte 11, the pickle ends at 12"},
      {program("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s),
       "byte 2: an argument of 18446744073709551615 bytes from byte 11, the pickle ends at 12"},
      {program("X\2\0\0\0a\xff"s), "byte 2: byte 1 of the text is not UTF-8"},
      {program("\x85"), "byte 2: expected 1 or more values on the stack, found 0"},
      {program("N\x86"), "byte 3: expected 2 or more values on the stack, found 1"},
      {program("NN\x87"), "byte 4: expected 3 or more values on the stack, found 2"},
      {program("N(\x85"), "byte 4: expected 1 or more values on the stack, found 0"},
      {program("t"), "byte 2: needs a mark on the stack, there is none"},
      {program("](N(te"), "accepted"},
      {program("Na"), "byte 3: needs a list on the stack, which is empty"},
      {program("](Na"), "byte 5: needs a list on the stack, which is empty"},
      {program("(Ne"), "byte 4: needs a list on the stack, which is empty"},
      {program("(]((Ne"), "byte 7: needs a list on the stack, which is empty"},
      {program("}Na"), "byte 4: expected a list, found a dict from byte 2"},
      {program(")Na"), "byte 4: expected a list, found a tuple from byte 2"},
      {program("]NNs"), "byte 5: expected a dict, found a list from byte 2"},
      {program("}Ns"), "byte 4: needs a dict on the stack, which is empty"},
      {program("}(Nu"), "byte 5: a key without a value"},
      {program("Nq\1"), "byte 3: memo entry 1, expected 0"},
      {program("Nr\xff\xff\xff\xff"), "byte 3: memo entry 4294967295, expected 0"},
      {program("Nq\0q\0"s), "byte 5: memo entry 0, expected 1"},
      {program("q\0"s), "byte 2: expected 1 or more values on the stack, found 0"},
      {program("(\x94t"), "byte 3: expected 1 or more values on the stack, found 0"},
      {program("h\0"s), "byte 2: memo entry 0, there are 0"},
      {program("Nq\0h\1"s), "byte 5: memo entry 1, there are 1"},
      {program("cshop"), "byte 2: the name of a global has no end"},
      {program("cshop\norder"), "byte 2: the name of a global has no end"},
      {program("N\x8c\1a\x93"), "byte 6: expected a text, found None from byte 2"},
      {program("\x8c\1aN\x93"), "byte 6: expected a text, found None from byte 5"},
      {program("\x8c\1a\x93"), "byte 5: expected 1 or more values on the stack, found 0"},
      {program("N)R"), "byte 4: expected a global, found None from byte 2"},
      {program("cshop\norder\nNR"), "byte 15: expected a tuple, found None from byte 14"},
      {program(")R"), "byte 3: expected 1 or more values on the stack, found 0"},
      {program("ccollections\nOrderedDict\nN\x85R"),
       "byte 29: collections.OrderedDict of a tuple of 1, expected ()"},
      {program("]}b"), "byte 4: expected a dict, found a list from byte 2"},
      {program("}Nb"), "byte 4: expected a dict, found None from byte 3"},
      {program("}b"), "byte 3: expected 1 or more values on the stack, found 0"},
      {program("Q"), "byte 2: expected 1 or more values on the stack, found 0"},
      {program("}NNs"), "byte 3: expected a text or an integer as key, found None"},
      {program("}\x88Ns"), "byte 3: expected a text or an integer as key, found True or False"},
      {program("})Ns"), "byte 3: expected a text or an integer as key, found a tuple"},
      {program("}K\1Ns" + text("1") + "Ns"), "accepted"},
      {program("}" + text("a") + "Ns}" + text("a") + "Ns\x86"), "accepted"},
  };
  for (const Case& c : cases) {
    INFO("pickle: " << engine::in_quotes(c.pickle));
    CHECK(error_of(c.pickle) == c.error);
  }
  std::string large = program("X\xf8\xff\x7f\0"s + std::string((1 << 23) - 8, 'a'));
  CHECK(error_of(large) == "accepted");
  large.insert(7, "a");
  CHECK(error_of(large) == "a pickle of 8388609 bytes, expected at most 8388608");
}

TEST_CASE("pickle: two long keys in many dicts are not compared for each dict") {
  const std::string half(1 << 21, 'k');
  const auto long_text = [&](char last) { return "X\1\0\x20\0"s + half + last; };
  std::string many = "(" + long_text('a') + "q\0"s + long_text('b') + "q\1";
  for (int i = 0; i < 250'000; ++i) many += "}(h\0Nh\1Nu"s;
  CHECK(error_of(program(many + "t")) == "accepted");
}

TEST_CASE("pickle: asking for another type names the byte and both types") {
  const std::string bytes = program("(N]}K\1" + text("x") + "cshop\nGoods\nt");
  const Pickle pickle(bytes, allowed, "data.pkl: ");
  std::vector<Pickle::Value> values;
  for (const Pickle::Value value : pickle.root().elements()) values.push_back(value);
  const Pickle::Value none = values[0], list = values[1], dict = values[2], one = values[3];
  CHECK_THROWS_WITH(none.boolean(), "data.pkl: byte 3: expected True or False, found None");
  CHECK_THROWS_WITH(none.integer(), "data.pkl: byte 3: expected an integer, found None");
  CHECK_THROWS_WITH(none.number(), "data.pkl: byte 3: expected a number, found None");
  CHECK_THROWS_WITH(one.text(), "data.pkl: byte 6: expected a text, found an integer");
  CHECK_THROWS_WITH(one.elements(),
                    "data.pkl: byte 6: expected a list or a tuple, found an integer");
  CHECK_THROWS_WITH(one.size(), "data.pkl: byte 6: expected a list or a tuple, found an integer");
  CHECK_THROWS_WITH(list.members(), "data.pkl: byte 4: expected a dict, found a list");
  CHECK_THROWS_WITH(list.find("a"), "data.pkl: byte 4: expected a dict, found a list");
  CHECK_THROWS_WITH(list.find(1), "data.pkl: byte 4: expected a dict, found a list");
  CHECK_THROWS_WITH(dict.at("a"), "data.pkl: byte 5: this dict has no \"a\"");
  CHECK_THROWS_WITH(dict.global(), "data.pkl: byte 5: expected a global, found a dict");
  CHECK_THROWS_WITH(dict.callee(), "data.pkl: byte 5: expected a call, found a dict");
  CHECK_THROWS_WITH(dict.arguments(), "data.pkl: byte 5: expected a call, found a dict");
  CHECK_THROWS_WITH(dict.persistent_id(),
                    "data.pkl: byte 5: expected a persistent id, found a dict");
  CHECK_THROWS_WITH(values[5].number(), "data.pkl: byte 14: expected a number, found a global");
}

TEST_CASE("pickle: what is written is read back") {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const std::int64_t integers[] = {0,       1,           255,         256,         65535,
                                   65536,   2147483647,  2147483648,  -1,          -32768,
                                   largest, -2147483648, -2147483649, -largest - 1};
  const double numbers[] = {0.1, -1e300, std::numeric_limits<double>::infinity()};
  PickleWriter out;
  out.begin_dict();
  out.text("integers");
  out.begin_list();
  for (const std::int64_t integer : integers) out.integer(integer);
  out.end_list();
  out.text("numbers");
  out.begin_tuple();
  for (const double number : numbers) out.number(number);
  out.end_tuple();
  out.integer(7);
  out.begin_ordered_dict();
  out.text("é\n");
  out.none();
  out.integer(1);
  out.boolean(true);
  out.integer(0);
  out.boolean(false);
  out.end_dict();
  out.text("call");
  out.global("shop", "order");
  out.begin_tuple();
  out.integer(3);
  out.persistent_id();
  out.end_tuple();
  out.call();
  out.end_dict();
  const std::string bytes = out.finish();
  const Pickle pickle(bytes, allowed);
  const Pickle::Value root = pickle.root();
  CHECK(root.size() == 4);
  std::size_t next = 0;
  for (const Pickle::Value value : root.at("integers").elements())
    CHECK(value.integer() == integers[next++]);
  CHECK(next == std::size(integers));
  next = 0;
  CHECK(root.at("numbers").type() == Type::tuple);
  for (const Pickle::Value value : root.at("numbers").elements())
    CHECK(value.number() == numbers[next++]);
  CHECK(next == std::size(numbers));
  const Pickle::Value dict = *root.find(7);
  CHECK(dict.at("é\n").type() == Type::none);
  CHECK(dict.find(1)->boolean());
  CHECK_FALSE(dict.find(0)->boolean());
  const Pickle::Value call = root.at("call");
  CHECK(call.callee().global() == "shop.order");
  CHECK((*call.arguments().elements().begin()).persistent_id().integer() == 3);

  CHECK_THROWS_WITH(out.text("ab\xff"), "pickle: byte 2 of the text is not UTF-8");
  CHECK_THROWS_WITH(out.text(std::string((1 << 23) + 1, 'a')),
                    "pickle: a text of 8388609 bytes, expected at most 8388608");
  out.none();  // the writer is empty after finish
  CHECK(error_of(out.finish()) == "accepted");
}
