#include "train/text/text_kind.h"

#include <algorithm>
#include <utility>

#include "engine/base/utf8.h"

namespace train {

namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view begins;
  NotText found;
};

constexpr std::string_view needed = "a text is needed";
constexpr std::string_view save = "save it as plain text, in UTF-8, from its own program";

// Documents that are written in ASCII.
constexpr Signature documents[] = {
    {"%PDF-", {"a PDF", "pdftotext makes a text of it"}},
    {"{\\rtf", {"an RTF document", save}},
};

// Files with control characters among their first bytes: a text may begin with some of these
// letters.
constexpr Signature binaries[] = {
    {"\x1f\x8b", {"a gzip file", "gunzip unpacks it"}},
    {"BZh", {"a bzip2 file", "bunzip2 unpacks it"}},
    {"\xfd\x37zXZ", {"an xz file", "unxz unpacks it"}},
    {"\x28\xb5\x2f\xfd", {"a zstd file", "unzstd unpacks it"}},
    {"7z\xbc\xaf", {"a 7z archive", "unpack it first"}},
    {"Rar!", {"a rar archive", "unpack it first"}},
    {"PK\x03\x04",
     {"a zip archive (docx, odt and epub are zips, too)",
      "unpack it, or save the document as plain text"}},
    {"\xd0\xcf\x11\xe0", {"an old Office document", save}},
    {"\x89PNG", {"a PNG image", needed}},
    {"\xff\xd8\xff", {"a JPEG image", needed}},
    {"GIF8", {"a GIF image", needed}},
    {"RIFF", {"an image, sound or film (RIFF)", needed}},
    {"OggS", {"a sound or film (Ogg)", needed}},
    {"ID3", {"an MP3 sound", needed}},
    {"\x7f\x45LF", {"a program (ELF)", needed}},
    {"SQLite format 3", {"an SQLite database", needed}},
    {"GGUF", {"a model (GGUF)", needed, true}},
    {"\xff\xfe\0\0"sv, {"a text in UTF-32", "iconv -f UTF-32 -t UTF-8 makes one in UTF-8"}},
    {"\0\0\xfe\xff"sv, {"a text in UTF-32", "iconv -f UTF-32 -t UTF-8 makes one in UTF-8"}},
};

bool is_control(unsigned char c) { return c < '\a' || (c > '\r' && c < '\x1b'); }

template <class Signatures>
std::optional<NotText> find(const Signatures& signatures, std::string_view bytes) {
  const auto found = std::ranges::find_if(
      signatures, [&](const Signature& s) { return bytes.starts_with(s.begins); });
  if (found == std::end(signatures)) return std::nullopt;
  return found->found;
}

}  // namespace

std::optional<std::string> utf8_of_utf16(std::string_view bytes) {
  const bool big_endian = bytes.starts_with("\xfe\xff");
  if (!big_endian && !bytes.starts_with("\xff\xfe")) return std::nullopt;
  if (bytes.size() % 2 != 0 || not_text(bytes)) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 2; i < bytes.size(); i += 2) {
    char32_t value = unit(i);
    // Code points from U+10000 on are two units: D800..DBFF with the upper ten bits of the
    // difference to U+10000, DC00..DFFF with the lower ten.
    if (value >> 10 == 0xD800 >> 10) {
      i += 2;
      if (i == bytes.size() || unit(i) >> 10 != 0xDC00 >> 10) return std::nullopt;
      value = 0x10000 + ((value & 0x3FF) << 10 | (unit(i) & 0x3FF));
    } else if (value >> 10 == 0xDC00 >> 10) {
      return std::nullopt;
    }
    engine::append_utf8(text, value);
  }
  return text;
}

std::string without_mark(std::string bytes) {
  if (std::optional<std::string> text = utf8_of_utf16(bytes)) return std::move(*text);
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  return bytes;
}

bool is_of_pytorch(std::string_view bytes) {
  return (bytes.starts_with("PK\x03\x04") &&
          bytes.substr(0, 256).find("/data.pkl") != bytes.npos) ||
         bytes.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
}

bool is_binary(std::string_view bytes) {
  if (utf8_of_utf16(bytes)) return false;
  return bytes.find('\0') != bytes.npos ||
         std::ranges::count_if(bytes, is_control) > std::ssize(bytes) / 30;
}

std::optional<NotText> not_text(std::string_view bytes) {
  // The length of its header in 8 bytes, then the header, an object in JSON.
  if (bytes.substr(0, 10).ends_with("\0\0\0{\""sv))
    return NotText{"a model (safetensors)", needed, true};
  if (is_of_pytorch(bytes)) return NotText{"a model (PyTorch)", needed};
  if (const auto document = find(documents, bytes)) return document;
  if (std::ranges::none_of(bytes.substr(0, 256), is_control)) return std::nullopt;
  return find(binaries, bytes);
}

}  // namespace train
