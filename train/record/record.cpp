#include "train/record/record.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "engine/base/check.h"
#include "engine/base/files.h"
#include "engine/base/index.h"
#include "engine/base/number.h"

namespace train {

using engine::check;
using engine::in_quotes;
using engine::joined;
using engine::number_text;

namespace {

constexpr std::int64_t max_record_bytes = 1 << 30;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// The first line of `file`, which is removed from it; none if it is not complete.
std::optional<std::string_view> take_line(std::string_view& file) {
  const std::size_t end = file.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = file.substr(0, end);
  file.remove_prefix(end + 1);
  return line;
}

// A line of a file, whose fields are found by the names in the file's first line.
class Line {
 public:
  explicit Line(std::string_view header) : header_(header), names_(fields_of(header)) {
    need("step");
  }
  void set(Index number, std::string_view text) {
    number_ = number;
    fields_ = fields_of(text);
    check(fields_.size() >= names_.size(), "line ", number_, ": too few fields");
    check(fields_.size() <= names_.size(), "line ", number_, ": too many fields");
  }

  // Empty if there is no such column.
  std::string_view word(std::string_view name) const {
    const Index place = place_of(name);
    return place < std::ssize(fields_) ? engine::at(fields_, place) : std::string_view();
  }
  template <class T>
  T number(std::string_view name) const {
    need(name);
    return parse<T>(word(name));
  }
  template <class T>
  std::optional<T> optional_number(std::string_view name) const {
    const std::string_view field = word(name);
    return field.empty() ? std::optional<T>() : parse<T>(field);
  }

 private:
  Index place_of(std::string_view name) const {
    return std::ranges::find(names_, name) - names_.begin();
  }
  void need(std::string_view name) const {
    check(place_of(name) < std::ssize(names_), "line 1: ", in_quotes(header_),
          ", expected a column ", name);
  }
  template <class T>
  T parse(std::string_view field) const {
    T value;
    const T most = std::is_same_v<T, double> ? T(1e100) : T(std::int64_t(1) << 53);
    check(engine::parse_number(field, value) == engine::Parsed::ok && value >= 0 && value <= most,
          "line ", number_, ": ", in_quotes(field), ", expected a number from 0 to ", most);
    return value;
  }

  std::string_view header_;
  std::vector<std::string_view> names_, fields_;
  Index number_ = 0;
};

// row_of(line) for each complete line after the header.
template <class Row>
std::vector<Row> read_rows(std::string_view file, Row (*row_of)(const Line& line)) {
  const std::optional<std::string_view> header = take_line(file);
  if (!header) return {};
  std::vector<Row> rows;
  Line line(*header);
  for (Index number = 2; const std::optional<std::string_view> text = take_line(file); ++number) {
    line.set(number, *text);
    rows.push_back(row_of(line));
  }
  return rows;
}

constexpr std::string_view sample_size = ", ", sample_end = " bytes ==\n";

// Removes `prefix` from the beginning of `text`, if it is there.
bool take(std::string_view& text, std::string_view prefix) {
  const bool there = text.starts_with(prefix);
  if (there) text.remove_prefix(prefix.size());
  return there;
}

std::optional<Index> take_number(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  Index value = 0;
  if (engine::parse_number(text.substr(0, digits), value) != engine::Parsed::ok) return {};
  text.remove_prefix(digits);
  return value;
}

}  // namespace

std::vector<LogRow> evaluations(std::span<const LogRow> log) {
  std::vector<LogRow> rows;
  std::ranges::copy_if(log, std::back_inserter(rows), [](const LogRow& row) {
    return row.val_loss.has_value() && row.train_loss.has_value();
  });
  return rows;
}

std::string text_of(const LogRow& row) {
  std::string text = joined(row.step);
  for (const auto& value :
       {row.loss, row.learning_rate, row.gradient_norm, row.train_loss, row.val_loss})
    text += joined(",", value ? number_text(*value) : "");
  return text + "\n";
}

std::string text_of(const TimeRow& row) {
  return joined(row.step, ",", engine::fixed_text(row.seconds, 3), ",", row.utc, "\n");
}

std::string text_of(const Sample& sample) {
  return joined(sample_begin, sample.step, sample_size, sample.text.size(), sample_end, sample.text,
                "\n");
}

std::vector<LogRow> read_log(std::string_view file) {
  return read_rows<LogRow>(file, [](const Line& line) {
    const auto value = [&](std::string_view name) { return line.optional_number<double>(name); };
    return LogRow{line.number<Index>("step"), value("loss"),       value("learning_rate"),
                  value("gradient_norm"),     value("train_loss"), value("val_loss")};
  });
}

std::vector<TimeRow> read_times(std::string_view file) {
  return read_rows<TimeRow>(file, [](const Line& line) {
    return TimeRow{line.number<Index>("step"), line.number<double>("seconds"),
                   std::string(line.word("utc"))};
  });
}

std::vector<Sample> read_samples(std::string_view file) {
  std::vector<Sample> samples;
  for (std::string_view rest = file; !rest.empty();) {
    const std::size_t at = file.size() - rest.size();
    if (rest.find('\n') == std::string_view::npos) break;  // being written
    const bool begins = take(rest, sample_begin);
    const std::optional<Index> step = begins ? take_number(rest) : std::nullopt;
    const bool between = step && take(rest, sample_size);
    const std::optional<Index> size = between ? take_number(rest) : std::nullopt;
    check(size && take(rest, sample_end), "byte ", at, ": ",
          in_quotes(file.substr(at, file.find('\n', at) - at)), ", expected ", sample_begin, "N",
          sample_size, "N", sample_end.substr(0, sample_end.size() - 1));
    if (*size >= std::ssize(rest)) break;  // being written
    samples.push_back({*step, std::string(rest.substr(0, engine::unsigned_size(*size)))});
    rest.remove_prefix(engine::unsigned_size(*size));
    check(rest.front() == '\n', "byte ", file.size() - rest.size(),
          ": the sample goes on after its ", *size, " bytes");
    rest.remove_prefix(1);
  }
  return samples;
}

std::string record_file(const std::string& path) {
  return engine::file_exists(path) ? engine::read_file(path, max_record_bytes) : std::string();
}

std::string first_command(std::string_view sessions) {
  const std::string_view line = sessions.substr(0, sessions.find('\n'));
  const std::size_t machine = line.find("GFLOP/s"), end = line.find(": ", machine);
  return machine == line.npos || end == line.npos ? "" : std::string(line.substr(end + 2));
}

}  // namespace train
