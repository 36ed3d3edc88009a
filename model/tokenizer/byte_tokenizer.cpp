#include "model/tokenizer/byte_tokenizer.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "model/format/json_writer.h"

namespace model {

ByteTokenizer::ByteTokenizer() {
  for (int value = 0; value < 256; ++value) {
    const char byte = static_cast<char>(value);
    add_token({&byte, 1});
  }
}

void ByteTokenizer::encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                                UnknownSymbols*, KnownChunks&) const {
  text.remove_prefix(begin);
  ids.reserve(ids.size() + std::ssize(text));
  for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
}

std::string ByteTokenizer::save() const {
  return JsonObject().add("kind", engine::name_of(kind())).text();
}

}  // namespace model
