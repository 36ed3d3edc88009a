// Chapter 16: the page's run (train/page/page.cpp) on the reader's text, some updates at a time.
#include <cmath>
#include <memory>

#include "engine/base/check.h"
#include "model/base/utf8.h"
#include "tests/book/live/live.h"
#include "train/page/page.h"

namespace {

model::JsonText begun[2];  // of the printed choices, of the reader's: what the page's `begin` said
int taken = 0;
std::shared_ptr<page::Run> other;  // the one that is not taken

void take(int run) {
  if (run != taken) page::run.swap(other);
  taken = run;
}

// start: 0: the reader's run goes on; 1: a new one; 2: that of the printed choices.
live::JsonObject answer(const live::Choices& choices) {
  const double start = choices.number("start", 0, 0, 2);
  if (start == 0) live::take_model(true);
  if (start > 0) {
    const std::string_view text = choices.text("text");
    engine::check(model::count_characters(text) >= 20,
                  "text: too short: 20 characters or more are needed");
    take(start == 1);
    begun[taken] = live::of_page(begin(text.data(), static_cast<int>(text.size()), 1e10));
  }
  const model::JsonText advanced =
      live::of_page(advance(static_cast<int>(choices.number("updates", 20, 1, 1e6)),
                            choices.number("seconds", 0.1, 0, 100)));
  const model::Json json(advanced.json), writing(continue_text("", 0, 60, 0.8, 1));
  std::string said;
  for (const auto& loss : json.root().at("losses").elements()) {  // [update, bits]
    auto pair = loss.elements().begin();
    const double update = (*pair).number(), bits = (*++pair).number();
    if (std::fmod(update, 30) == 0 || update == 1)
      live::print(said, "  update %3.0f: %.1f bits per character\n", update, bits);
  }
  return live::JsonObject().add("begun", begun[taken], "advanced", advanced, "sample",
                                writing.root().at("text").string(), "said", said);
}

const live::Figure figure(
    answer,
    "start=2\nupdates=150\nseconds=60\n"
    "text=A hungry Fox saw fine bunches of grapes hanging from a vine that was trained along a "
    "high trellis, and did his best to reach them by jumping as high as he could into the air. "
    "But it was all in vain, for they were just out of reach: so he gave up trying, and walked "
    "away with an air of dignity and unconcern, remarking, I thought those grapes were ripe, but"
    " I see now they are quite sour. A Fox and a Crow, a Wolf and a Lamb, a Lion and a Mouse: "
    "the Lion was sleeping, and the Mouse ran over his face. The Lion woke, and was about to "
    "kill the Mouse, who said: let me go, and one day I shall repay you. The Lion laughed, and "
    "let him go. Soon after the Lion was caught by hunters with ropes, and the Mouse, who heard "
    "him roar, came and gnawed the ropes, and set him free.");

}  // namespace

void live::take_model(bool readers) {
  if (!readers && begun[0].json.empty()) figure.answer(Choices(figure.printed));
  engine::check(!begun[readers].json.empty(),
                "There is no model of yours yet: train one in chapter 16");
  take(readers);
}
