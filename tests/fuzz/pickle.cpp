// The pickle reader; what it accepts is walked through, written and read again.
#include "model/exchange/container/pickle.h"

#include <bit>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz.h"

using model::Pickle;
using model::PickleWriter;
using Type = Pickle::Type;

namespace {

constexpr std::string_view globals[] = {"torch._utils._rebuild_tensor_v2", "torch.FloatStorage",
                                        "a.b"};

// A value may be in many places, and inside itself: so many values are walked, no deeper.
constexpr int most_values = 1000, deepest = 50;

// Writes the value as often as it is found. False if that would be too much.
bool write(Pickle::Value value, std::string_view text, PickleWriter& out, int& values, int depth) {
  if (++values > most_values || depth > deepest) return false;
  fuzz::demand(value.offset() < text.size());
  std::int64_t count = 0;
  bool all = true;
  const auto write_next = [&](Pickle::Value next) {
    all = all && write(next, text, out, values, depth + 1);
  };
  const auto write_elements = [&] {
    for (const Pickle::Value element : value.elements()) {
      write_next(element);
      ++count;
    }
    fuzz::demand(count == value.size());
  };
  switch (value.type()) {
    case Type::none: out.none(); break;
    case Type::boolean: out.boolean(value.boolean()); break;
    case Type::integer: out.integer(value.integer()); break;
    case Type::number: out.number(value.number()); break;
    case Type::text:
      fuzz::demand(value.text().empty() ||
                   (value.text().data() >= text.data() && value.text().end() <= text.end()));
      out.text(value.text());
      break;
    case Type::list:
      out.begin_list();
      write_elements();
      out.end_list();
      break;
    case Type::tuple:
      out.begin_tuple();
      write_elements();
      out.end_tuple();
      break;
    case Type::dict:
      out.begin_dict();
      for (const auto [key, member] : value.members()) {
        if (key.type() == Type::text)
          fuzz::demand(value.find(key.text()).has_value());
        else
          fuzz::demand(value.find(key.integer()).has_value());
        write_next(key);
        write_next(member);
        if (++count; !all) return false;
      }
      fuzz::demand(count == value.size());
      out.end_dict();
      break;
    case Type::global: {
      const std::size_t dot = value.global().rfind('.');
      out.global(value.global().substr(0, dot), value.global().substr(dot + 1));
      break;
    }
    case Type::call:
      write_next(value.callee());
      write_next(value.arguments());
      out.call();
      break;
    case Type::persistent_id:
      write_next(value.persistent_id());
      out.persistent_id();
      break;
  }
  return all;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::bytes_of(data, size);
  fuzz::accepts([&] {
    const Pickle pickle(text, globals, "data.pkl: ");
    PickleWriter out;
    int values = 0;
    if (!write(pickle.root(), text, out, values, 0)) return;
    const std::string written = out.finish();
    const Pickle again(written, globals);
    PickleWriter out_again;
    int values_again = 0;
    fuzz::demand(write(again.root(), written, out_again, values_again, 0));
    fuzz::demand(values_again == values && out_again.finish() == written);
  });
  return 0;
}
