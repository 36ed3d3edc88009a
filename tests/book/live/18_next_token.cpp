// Chapter 18: the token after a prompt, by the page's model: its probabilities at a temperature, and what the filters leave.
#include "model/base/text.h"
#include "tests/book/live/live.h"
#include "train/page/page.h"

namespace {

live::JsonObject answer(const live::Choices& choices) {
  const bool readers = choices.text("model") == "yours";
  live::take_model(readers);
  const std::string_view prompt = choices.text("text", 1000);
  const model::JsonText next = live::of_page(next_token(
      prompt.data(), static_cast<int>(prompt.size()), choices.number("temperature", 1, 0.05, 5),
      static_cast<int>(choices.number("top_k", 0, 0, 1e6)), choices.number("top_p", 1, 0.01, 1)));
  const model::Json json(next.json);
  std::string said = "  token       p   left by the filters\n";
  int row = 0;
  for (const auto& token : json.root().at("tokens").elements())
    if (row++ < 8)
      live::print(said, "  %s %6.2f  %s\n",
                  live::column(model::printable(token.at("token").string()), 6).c_str(),
                  token.at("p").number(), token.at("kept").boolean() ? "yes" : "no");
  return live::JsonObject().add("next", next, "readers", readers, "said", said);
}

const live::Figure figure(answer, "model=printed\ntemperature=1\ntop_k=0\ntop_p=1\ntext=the Lio");

}  // namespace
