// The hash table against that of the standard library.
#include "model/base/hash_map.h"

#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>

#include "tests/catch.h"

using namespace model;

TEST_CASE("hash map: counts like std::unordered_map, through all its sizes") {
  std::mt19937_64 random(8);
  for (const int bits : {4, 10, 40}) {  // of the two halves of a key, as (token, token) has them
    KeyMap<std::int32_t> map;
    std::unordered_map<std::uint64_t, std::int32_t> expected;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t key = (random() & 0xFFFFFFFF0000000F) >> (40 - bits);
      ++map[key];
      ++expected[key];
    }
    REQUIRE(map.size() == std::ssize(expected));
    int wrong = 0;
    for (const auto& [key, count] : expected) {
      const std::int32_t* found = map.find(key);
      wrong += !found || *found != count;
    }
    CHECK(wrong == 0);
    CHECK(map.find(~std::uint64_t{0} - 1) == nullptr);
  }
}

TEST_CASE("hash map: strings have numbers in the order in which they come") {
  std::mt19937 random(9);
  std::vector<std::string> strings;
  for (int i = 0; i < 20000; ++i) {
    std::string string(random() % 20, 'a');
    for (char& c : string) c = static_cast<char>(random() % 3);
    strings.push_back(string);
  }
  TextMap<Index> numbers;
  std::unordered_map<std::string, Index> expected;
  for (const std::string& string : strings) {
    const auto [at, is_new] = expected.emplace(string, std::ssize(expected));
    const auto [number, is_first] = numbers.insert(string, numbers.size());
    REQUIRE(number == at->second);
    REQUIRE(is_first == is_new);
  }
  REQUIRE(numbers.size() == std::ssize(expected));
  for (const auto& [string, number] : expected) REQUIRE(*numbers.find(string) == number);
  CHECK(numbers.find("b") == nullptr);
}

TEST_CASE("hash map: strings chosen to have one hash take no quadratic time") {
  // Of 16 bytes each: the second half undoes what mix makes of the size and the first. 8,000 of
  // them in one chain are 32 million comparisons, without chains 8,000.
  std::mt19937_64 random(10);
  std::vector<std::string> chosen, any;
  for (int i = 0; i < 8000; ++i) {
    const std::uint64_t first = random(), second = mix(mix(16) ^ first), other = random();
    std::string& string = chosen.emplace_back(16, '\0');
    std::memcpy(string.data(), &first, 8);
    std::memcpy(string.data() + 8, &second, 8);
    any.push_back(string);
    std::memcpy(any.back().data() + 8, &other, 8);
  }
  const auto seconds = [](const std::vector<std::string>& strings) {
    double least = 1e9;
    for (int round = 0; round < 3; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      TextMap<Index> numbers;
      for (const std::string& string : strings) numbers.insert(string, numbers.size());
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      least = std::min(least, passed.count());
      REQUIRE(numbers.size() == std::ssize(strings));
    }
    return least;
  };
  CHECK(seconds(chosen) < 20 * seconds(any));
}
