// The files of a run's record. The first byte says which; what is accepted is written and read again.
#include "train/record/record.h"

#include "tests/fuzz/fuzz.h"

namespace {

template <class Rows, class Write>
void check(std::string_view file, std::string_view header, Rows (*read)(std::string_view),
           Write write) {
  const auto written = [&](const Rows& rows) {
    std::string text(header);
    for (const auto& row : rows) text += write(row);
    return text;
  };
  Rows rows;
  if (!fuzz::accepts([&] { rows = read(file); })) return;
  // Seconds are rounded when they are written; from then on nothing changes. An error ends the
  // program.
  const std::string text = written(rows);
  const Rows again = read(text);
  fuzz::demand(again.size() == rows.size());
  fuzz::demand(written(again) == text);
  // Of a file that is cut off, the complete rows are there.
  const std::string_view half = std::string_view(text).substr(0, text.size() / 2);
  fuzz::demand(read(half).size() <= rows.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view file = fuzz::bytes_of(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      check(file, train::log_header, train::read_log,
            [](const train::LogRow& row) { return train::text_of(row); });
      break;
    case 1:
      check(file, train::times_header, train::read_times,
            [](const train::TimeRow& row) { return train::text_of(row); });
      break;
    case 2:
      check(file, "", train::read_sessions,
            [](const train::SessionRow& row) { return train::text_of(row); });
      break;
    default:
      check(file, "", train::read_samples,
            [](const train::Sample& sample) { return train::text_of(sample); });
  }
  return 0;
}
