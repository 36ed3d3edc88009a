#include "model/tokenizer/document_tokenizer.h"

#include <algorithm>
#include <cstdint>

#include "model/format/json_writer.h"
#include "model/tokenizer/bpe/printable_bytes.h"

namespace model {

std::vector<std::string_view> documents(std::span<const std::string_view> texts,
                                        std::string_view separator) {
  std::vector<std::string_view> pieces;
  for (const std::string_view text : texts)
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(separator, begin), text.size());
      pieces.push_back(text.substr(begin, end - begin));
      begin = end + separator.size();
    }
  return pieces;
}

DocumentTokenizer::DocumentTokenizer(TokenizerHandle inner, std::string_view separator,
                                     bool appends_end_of_text)
    : inner_(std::move(inner)), end_of_text_(-1), appends_end_of_text_(appends_end_of_text) {
  check(inner_ != nullptr, "DocumentTokenizer: null, expected a tokenizer for the documents");
  check(!separator.empty(), "the document separator is empty");
  for (Index id = 0; id < inner_->vocabulary_size(); ++id) {
    const std::string_view bytes = inner_->token_bytes(id);
    add_token(bytes);
    if (bytes == separator) end_of_text_ = static_cast<std::int32_t>(id);
  }
  if (end_of_text_ >= 0) return;
  end_of_text_ = static_cast<std::int32_t>(vocabulary_size());
  add_token(separator);
}

void DocumentTokenizer::encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                                    UnknownSymbols* unknown, KnownChunks& known) const {
  const std::string_view separator = token_bytes(end_of_text_);
  for (;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    inner_->encode_from(begin, text.substr(0, end), ids, unknown, known);
    if (end == text.size()) return;
    ids.push_back(end_of_text_);
    begin = end + separator.size();
  }
}

std::string DocumentTokenizer::save() const {
  JsonObject json;
  json.add("kind", "documents", "separator", printable_bytes(token_bytes(end_of_text_)));
  if (!appends_end_of_text_) json.add("ends_texts", false);
  return json.add("of", JsonText{inner_->save()}).text();
}

}  // namespace model
