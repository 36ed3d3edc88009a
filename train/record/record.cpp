#include "train/record/record.h"

#include <algorithm>
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

std::string optional_text(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

// The fields of one line, taken one after another.
class Fields {
 public:
  Fields(std::string_view line, Index number) : rest_(line), line_(number) {}

  std::string_view word() {
    check(!over_, "line ", line_, ": too few fields");
    const std::size_t comma = rest_.find(',');
    const std::string_view field = rest_.substr(0, comma);
    over_ = comma == std::string_view::npos;
    rest_.remove_prefix(over_ ? rest_.size() : comma + 1);
    return field;
  }
  template <class T>
  T number() {
    return parse<T>(word());
  }
  template <class T>
  std::optional<T> optional_number() {
    const std::string_view field = word();
    return field.empty() ? std::optional<T>() : parse<T>(field);
  }
  void end() const { check(over_, "line ", line_, ": too many fields"); }

 private:
  template <class T>
  T parse(std::string_view field) const {
    T value;
    const T most = std::is_same_v<T, double> ? T(1e100) : T(std::int64_t(1) << 53);
    check(engine::parse_number(field, value) == engine::Parsed::ok && value >= 0 && value <= most,
          "line ", line_, ": ", in_quotes(field), ", expected a number from 0 to ", most);
    return value;
  }
  std::string_view rest_;
  Index line_;
  bool over_ = false;
};

// Calls read(fields) for each complete line after the header.
template <class Read>
void for_each_line(std::string_view file, std::string_view header, Read read) {
  if (header.starts_with(file)) return;  // empty, or only a part of the header
  check(file.starts_with(header), "line 1: ", in_quotes(file.substr(0, file.find('\n'))),
        ", expected ", header.substr(0, header.size() - 1));
  file.remove_prefix(header.size());
  for (Index line = 2; !file.empty(); ++line) {
    const std::size_t end = file.find('\n');
    if (end == std::string_view::npos) return;
    Fields fields(file.substr(0, end), line);
    read(fields);
    fields.end();
    file.remove_prefix(end + 1);
  }
}

constexpr std::string_view sample_begin = "== step ", sample_size = ", ",
                           sample_end = " bytes ==\n";

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

std::string text_of(const LogRow& row, bool old_columns) {
  const std::string four = joined(row.step, ",", number_text(row.train_loss), ",",
                                  number_text(row.val_loss), ",", number_text(row.learning_rate));
  if (old_columns) return four + '\n';
  return joined(four, ",", optional_text(row.gradient_norm), ",", row.tokens.value_or(0), "\n");
}

std::string text_of(const TimeRow& row) {
  return joined(row.step, ",", engine::fixed_text(row.seconds, 3), ",", row.utc, "\n");
}

std::string text_of(const LayerRow& row) {
  return joined(row.step, ",", row.layer, ",", number_text(row.weight_norm), ",",
                optional_text(row.gradient_norm), "\n");
}

std::string text_of(const Sample& sample) {
  return joined(sample_begin, sample.step, sample_size, sample.text.size(), sample_end, sample.text,
                "\n");
}

std::vector<LogRow> read_log(std::string_view file) {
  std::vector<LogRow> rows;
  const bool old_columns = file.starts_with(old_log_header);
  for_each_line(file, old_columns ? old_log_header : log_header, [&](Fields& fields) {
    LogRow row{fields.number<Index>(),
               fields.number<double>(),
               fields.number<double>(),
               fields.number<double>(),
               {},
               {}};
    if (!old_columns) {
      row.gradient_norm = fields.optional_number<double>();
      row.tokens = fields.optional_number<Index>();
    }
    rows.push_back(row);
  });
  return rows;
}

std::vector<TimeRow> read_times(std::string_view file) {
  std::vector<TimeRow> rows;
  for_each_line(file, times_header, [&](Fields& fields) {
    rows.push_back({fields.number<Index>(), fields.number<double>(), std::string(fields.word())});
  });
  return rows;
}

std::vector<LayerRow> read_layers(std::string_view file) {
  std::vector<LayerRow> rows;
  for_each_line(file, layers_header, [&](Fields& fields) {
    rows.push_back({fields.number<Index>(), std::string(fields.word()), fields.number<double>(),
                    fields.optional_number<double>()});
  });
  return rows;
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

}  // namespace train
