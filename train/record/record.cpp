#include "train/record/record.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "model/format/json.h"
#include "model/format/json_writer.h"
#include "train/system/files.h"
#include "train/system/processes.h"

namespace train {

using engine::number_text;

namespace {

constexpr std::int64_t max_record_bytes = 1 << 30;

// Removes the first line from `file` and returns it; nothing if it is not complete.
std::optional<std::string_view> take_line(std::string_view& file) {
  const std::size_t end = file.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = file.substr(0, end);
  file.remove_prefix(end + 1);
  return line;
}

// The fields of a line, one after the other.
class Line {
 public:
  Line(Index number, std::string_view text) : number_(number), rest_(text) {}
  std::string_view word() {
    check(!ended_, "line ", number_, ": too few fields");
    const std::size_t comma = rest_.find(',');
    const std::string_view field = rest_.substr(0, comma);
    ended_ = comma == rest_.npos;
    if (!ended_) rest_.remove_prefix(comma + 1);
    return field;
  }
  template <class T>
  T number() {
    return parse<T>(word());
  }
  std::optional<double> optional_number() {
    const std::string_view field = word();
    return field.empty() ? std::optional<double>() : parse<double>(field);
  }
  void end() const { check(ended_, "line ", number_, ": too many fields"); }

 private:
  template <class T>
  T parse(std::string_view field) const {
    T value;
    const T most = std::is_same_v<T, double> ? T(1e100) : T(std::int64_t(1) << 53);
    check(engine::parse_number(field, value) == engine::Parsed::ok && value >= 0 && value <= most,
          "line ", number_, ": ", in_quotes(field), ", expected a number from 0 to ", most);
    return value;
  }

  Index number_;
  std::string_view rest_;
  bool ended_ = false;
};

// row_of(line) for each complete line after the header, which ends in a line feed.
template <class Row>
std::vector<Row> read_rows(std::string_view file, std::string_view header,
                           Row (*row_of)(Line& line)) {
  const std::optional<std::string_view> first = take_line(file);
  if (!first) return {};
  header.remove_suffix(1);
  check(*first == header, "line 1: ", in_quotes(*first), ", expected ", header);
  std::vector<Row> rows;
  for (Index number = 2; const std::optional<std::string_view> text = take_line(file); ++number) {
    Line line(number, *text);
    rows.push_back(row_of(line));
    line.end();
  }
  return rows;
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

// A word of a command as JSON: a string, or the numbers of its bytes if it is not UTF-8.
model::JsonText word_json(const std::string& word) {
  if (model::valid_utf8_prefix(word) == word.size()) return {model::json_string(word)};
  return model::json_array(std::ssize(word), [&](std::int64_t i) {
    return int{static_cast<unsigned char>(word[engine::unsigned_size(i)])};
  });
}

std::string word_of(const model::Json::Value& value) {
  if (value.type() == model::Json::Type::string) return std::string(value.string());
  std::string word;
  for (const model::Json::Value byte : value.elements())
    word += static_cast<char>(static_cast<unsigned char>(byte.integer()));
  return word;
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
  return joined(row.step, ",", fixed_text(row.seconds, 3), ",", row.utc, "\n");
}

std::string text_of(const Sample& sample) {
  return joined(sample_begin, sample.step, sample_size, sample.text.size(), sample_end, sample.text,
                "\n");
}

std::string text_of(const SessionRow& row) {
  return model::JsonObject()
             .add("utc", row.utc, "step", row.step, "version", row.version, "processes",
                  row.processes, "threads", row.threads, "gflops", std::round(row.gflops), "dtype",
                  row.dtype, "minutes", row.minutes, "command",
                  model::json_array(std::ssize(row.command),
                                    [&](std::int64_t i) {
                                      return word_json(row.command[engine::unsigned_size(i)]);
                                    }))
             .text() +
         '\n';
}

std::string command_line(std::span<const std::string> words, int processes) {
  std::string line;
  for (const std::string& word : words) line += joined(line.empty() ? "" : " ", shell_word(word));
  return Processes{.count = processes}.launcher() + line;
}

std::string description(const SessionRow& row) {
  return joined(row.utc, ", from step ", row.step, ", ", row.version, ", ",
                Processes{.count = row.processes}.text(), counted(row.threads, "thread"), " of ",
                fixed_text(row.gflops, 0), " GFLOP/s, in ", row.dtype, "\n    ",
                command_line(row.command, row.processes), "\n");
}

std::vector<LogRow> read_log(std::string_view file) {
  return read_rows<LogRow>(file, log_header, [](Line& line) {
    LogRow row{line.number<Index>(), {}, {}, {}};
    for (std::optional<double>* const value :
         {&row.loss, &row.learning_rate, &row.gradient_norm, &row.train_loss, &row.val_loss})
      *value = line.optional_number();
    return row;
  });
}

std::vector<TimeRow> read_times(std::string_view file) {
  return read_rows<TimeRow>(file, times_header, [](Line& line) {
    return TimeRow{line.number<Index>(), line.number<double>(), std::string(line.word())};
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

std::vector<SessionRow> read_sessions(std::string_view file) {
  std::vector<SessionRow> rows;
  for (Index number = 1; const std::optional<std::string_view> line = take_line(file); ++number) {
    const std::string about = joined("line ", number, ": ");
    const model::Json json(*line, 3, about);
    const auto at = [&](std::string_view key) { return json.root().at(key); };
    SessionRow& row = rows.emplace_back(SessionRow{
        std::string(at("utc").string()), at("step").integer(), std::string(at("version").string()),
        static_cast<int>(at("processes").integer()), at("threads").integer(), at("gflops").number(),
        std::string(at("dtype").string()), at("minutes").number()});
    for (const model::Json::Value word : at("command").elements())
      row.command.push_back(word_of(word));
  }
  return rows;
}

std::string record_file(const std::string& path) {
  return file_exists(path) ? read_file(path, max_record_bytes) : std::string();
}

SessionRow first_session(const std::string& path) {
  const std::string file = record_file(path);
  try {
    const std::vector<SessionRow> rows = read_sessions(file.substr(0, file.find('\n') + 1));
    return rows.empty() ? SessionRow{} : rows[0];
  } catch (const Error&) {
    return {};
  }
}

}  // namespace train
