#include <bit>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "model/exchange/container/pickle.h"
#include "model/exchange/container/pickle_opcodes.h"
#include "model/format/bytes.h"

namespace model {

using engine::check;
using namespace pickle;

PickleWriter::PickleWriter() { append(bytes_, Opcode::proto, std::uint8_t{2}); }

void PickleWriter::none() { append(bytes_, Opcode::none); }

void PickleWriter::boolean(bool value) {
  append(bytes_, value ? Opcode::newtrue : Opcode::newfalse);
}

void PickleWriter::integer(std::int64_t value) {
  if (std::in_range<std::uint8_t>(value)) {
    append(bytes_, Opcode::binint1, static_cast<std::uint8_t>(value));
  } else if (std::in_range<std::uint16_t>(value)) {
    append(bytes_, Opcode::binint2, static_cast<std::uint16_t>(value));
  } else if (std::in_range<std::int32_t>(value)) {
    append(bytes_, Opcode::binint, static_cast<std::int32_t>(value));
  } else {
    append(bytes_, Opcode::long1, std::uint8_t{sizeof value}, value);
  }
}

void PickleWriter::number(double value) {
  append(bytes_, Opcode::binfloat);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) bytes_ += static_cast<char>(bits >> shift);
}

void PickleWriter::text(std::string_view value) {
  const std::size_t valid = engine::valid_utf8_prefix(value);
  check(valid == value.size(), "pickle: byte ", valid, " of the text is not UTF-8");
  check(value.size() <= max_bytes, "pickle: a text of ", value.size(), " bytes, expected at most ",
        max_bytes);
  append(bytes_, Opcode::binunicode, static_cast<std::uint32_t>(value.size()));
  bytes_ += value;
}

void PickleWriter::begin_dict() {
  append(bytes_, Opcode::empty_dict);
  append(bytes_, Opcode::mark);
}

void PickleWriter::begin_ordered_dict() {
  global("collections", "OrderedDict");
  append(bytes_, Opcode::empty_tuple);
  call();
  append(bytes_, Opcode::mark);
}

void PickleWriter::end_dict() { append(bytes_, Opcode::setitems); }

void PickleWriter::begin_list() {
  append(bytes_, Opcode::empty_list);
  append(bytes_, Opcode::mark);
}

void PickleWriter::end_list() { append(bytes_, Opcode::appends); }

void PickleWriter::begin_tuple() { append(bytes_, Opcode::mark); }

void PickleWriter::end_tuple() { append(bytes_, Opcode::tuple); }

void PickleWriter::global(std::string_view module, std::string_view name) {
  append(bytes_, Opcode::global);
  bytes_.append(module).append("\n").append(name).append("\n");
}

void PickleWriter::call() { append(bytes_, Opcode::reduce); }

void PickleWriter::persistent_id() { append(bytes_, Opcode::binpersid); }

std::string PickleWriter::finish() {
  append(bytes_, Opcode::stop);
  std::string pickle = std::move(bytes_);
  *this = PickleWriter();
  return pickle;
}

}  // namespace model
