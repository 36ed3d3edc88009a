// The limits of every number that a command takes: met exactly, and one step beyond. They are repeated
// here in the words of the messages, so a change of a limit needs a change here.
#include <cmath>
#include <map>
#include <sstream>

#include "engine/base/check.h"
#include "tests/catch.h"
#include "train/cli/settings.h"

using namespace train;

namespace {

// A round bracket excludes its limit.
std::map<std::string, std::string> limits() {
  std::map<std::string, std::string> by_flag;
  for (const auto& [range, names] : std::initializer_list<std::pair<const char*, const char*>>{
           {"0..1000000000",
            "max_iters warmup_iters lr_decay_iters eval_iters eval_tokens save_interval "
            "sample_interval max_new_tokens top_k"},
           {"1..1000000000", "gradient_accumulation_steps eval_interval log_interval num_samples"},
           {"1..1048576", "batch_size block_size"},
           {"0..1048576", "n_inner"},
           {"1..65536", "n_head n_embd"},
           {"0..65536", "n_kv_head head_dim"},
           {"1..1000", "n_layer"},
           {"1..256", "threads"},
           {"256..1000000", "vocab_size"},
           {"[0, 1)", "val_fraction momentum beta1 beta2 dropout"},
           {"[0, 1000]", "init_std weight_decay learning_rate min_lr temperature"},
           {"[0, 1000000000]", "grad_clip"},
           {"[0, 1]", "min_p"},
           {"(0, 1]", "top_p norm_eps"},
           {"(0, 1000]", "repetition_penalty attention_scale"},
           {"(0, 100000]", "minutes"},
           {"[1, 1000000000000]", "rope_theta"}}) {
    std::istringstream in(names);
    for (std::string name; in >> name;) by_flag[name] = range;
  }
  return by_flag;
}

std::string refusal(const Flag& flag, const std::string& value) {
  Settings settings;
  try {
    flag.give(settings, value, flag.name);
  } catch (const UsageError& error) {
    return error.what();
  }
  // What was taken is what was given.
  CHECK(std::stod(flag.get(settings) == "none" ? "1" : flag.get(settings)) == std::stod(value));
  return "";
}

struct Limit {
  double value;
  bool is_open;
};

void check_limit(const Flag& flag, const std::string& range, Limit limit, double beyond) {
  const auto text = [&](double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, range[0] == '[' || range[0] == '(' ? "%.17g" : "%.0f",
                  value);
    return std::string(digits);
  };
  const auto refused = [&](double value) {
    const bool has_words = flag.name == "attention_scale";
    return joined(flag.name, ": \"", text(value), "\" is not ",
                  has_words ? "sqrt, none or a number " : "in ", range);
  };
  CHECK(refusal(flag, text(limit.value)) == (limit.is_open ? refused(limit.value) : ""));
  CHECK(refusal(flag, text(beyond)) == refused(beyond));
}

}  // namespace

TEST_CASE("flags: every limit of a number is met exactly, and one step beyond is refused with it") {
  std::map<std::string, std::string> expected = limits();
  std::map<std::string, int> seen;
  for (const Flag& flag : flags()) {
    const auto found = expected.find(std::string(flag.name));
    INFO(flag.name);
    CHECK((found != expected.end()) == (flag.range.max > flag.range.min));
    if (found == expected.end()) continue;
    ++seen[found->first];
    const std::string& range = found->second;
    if (range[0] != '[' && range[0] != '(') {
      const double min = std::stod(range), max = std::stod(range.substr(range.find("..") + 2));
      check_limit(flag, range, {min, false}, min - 1);
      check_limit(flag, range, {max, false}, max + 1);
    } else {
      const double min = std::stod(range.substr(1)), max = std::stod(range.substr(range.find(' ')));
      check_limit(flag, range, {min, range.front() == '('}, std::nextafter(min, -1e300));
      check_limit(flag, range, {max, range.back() == ')'}, std::nextafter(max, 1e300));
    }
  }
  CHECK(seen.size() == expected.size());
}

TEST_CASE("flags: every value of an enumeration is read back, and a word that is none is refused") {
  for (const Flag& flag : flags()) {
    if (flag.value.find('|') == flag.value.npos || flag.name == "attention_scale" ||
        flag.name == "tokenizer")
      continue;
    INFO(flag.name);
    std::istringstream in{std::string(flag.value)};
    std::string all;
    Settings settings;
    for (std::string word; std::getline(in, word, '|');) {
      flag.set(settings, word, flag.name);
      CHECK(flag.get(settings) == word);
      all += (all.empty() ? "" : ", ") + word;
      CHECK_THROWS_AS(flag.set(settings, word + "x", flag.name), Error);
    }
    const bool is_truth = flag.value == "true|false";
    CHECK(refusal(flag, "1e9") ==
          joined(flag.name, ": \"1e9\" is not ", is_truth ? "true or false" : "one of " + all));
  }
}
