// The template: its slots, its blocks, the policy of the page.
#include "train/report/template.h"

#include "model/base/utf8.h"
#include "model/format/checksum.h"
#include "tests/catch.h"
#include "tests/unit/train/report/page_data.h"
#include "train/record/run_files.h"
#include "train/report/page_files.h"
#include "train/report/text.h"

using namespace train;
using page_data::between;
using page_data::count;

namespace {

Slots with(const std::string& name, const std::string& html) { return {{{name, html}}, {}}; }

}  // namespace

TEST_CASE("page template: slots and blocks are filled, and what is put in stays as it is") {
  Slots slots = with("one", "1"), y = with("one", "y");
  slots.html["two"] = "@one@<!--each a-->";
  y.blocks["b"] = {{}, {}};
  slots.blocks["a"] = {with("one", "x"), y};
  CHECK(filled("", slots) == "");
  CHECK(filled("@one@ @two@@one@", slots) == "1 @one@<!--each a-->1");
  CHECK(filled("@ @@ @three@ one@ a@b <b>@one@</b>", slots) == "@ @@ @three@ one@ a@b <b>1</b>");
  CHECK(filled("<!--each a-->(@one@<!--each b-->.<!--end-->)<!--end-->@one@", slots) ==
        "(x)(y..)1");
  CHECK(filled("-<!--each c-->@one@<!--each a-->@one@<!--end-->@one@<!--end-->-", slots) == "--");
  CHECK(filled("@one<b>@one @one", slots) == "@one<b>@one @one");
}

TEST_CASE("page template: a page lets its own script and style in, and nothing else") {
  for (const bool watched : {false, true}) {
    const std::string html = page("t", "{}", {}, watched);
    INFO("watched " << watched);
    const std::string nonce = between(html, "<script nonce=\"", "\">");
    CHECK(nonce == model::checksum_text(model::checksum("{}")));
    CHECK(between(html, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\">") ==
          "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce +
              "'; base-uri 'none'; form-action 'none'" +
              (watched ? "; frame-src 'self' file:" : ""));
    CHECK(count(html, "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>") ==
          (watched ? 1 : 0));
    CHECK(between(html, "<style nonce=\"" + nonce + "\">", "</style>") ==
          joined(chart_css, report_css));
    CHECK(between(html, "<script nonce=\"" + nonce + "\">", "</script>") ==
          joined(chart_js, report_js));
    // Its mark is among the bytes that tell which program wrote it.
    CHECK(html.find(page_mark) < 1000 - page_mark.size());
    CHECK(count(html, "<style") == 1);
    CHECK(count(html, " href=\"http") == 0);
  }
}

TEST_CASE("page template: every slot is filled, and texts of strangers are text") {
  const std::string hostile = "</title></script><!--<script>@DATA@@STYLE@<!--end-->\"'&";
  Slots run = with("name", escaped(hostile)), evaluation = with("step", "STEP"),
        sample = with("step", "SAMPLED");
  evaluation.html["train"] = "TRAIN";
  evaluation.html["val"] = "VAL";
  sample.html["text"] = escaped(hostile);
  run.blocks["evaluation"] = {evaluation};
  run.blocks["sample"] = {sample};
  const std::string html =
      page(hostile, R"({"x":"</script><!--<script>@STYLE@"})", {run, run}, false);
  CHECK(between(html, "<title>", "</title>") == escaped(hostile));
  CHECK(count(html, "</title>") == 1);
  CHECK(count(html, "</script>") == 2);
  CHECK(count(html, "<!--<script>") + count(html, "<!--e") == 0);
  CHECK_THAT(html,
             Catch::Contains(R"({"x":"\u003c/script\u003e\u003c!--\u003cscript\u003e@STYLE@"})"));
  const std::string table = between(html, "<noscript>", "</noscript>");
  for (const char* text : {"STEP", "TRAIN", "VAL", "SAMPLED"}) CHECK(count(table, text) == 2);
  CHECK(count(table, escaped(hostile)) >= 4);
  std::string around = html;  // except what was put in
  for (const std::string name : {"style", "script", "noscript"})
    for (std::size_t at = 0; (at = around.find('<' + name, at)) != around.npos;)
      around.erase(at, around.find("</" + name + '>', at) - at);
  CHECK(count(around, "@") == count(around, escaped(hostile)) * count(hostile, "@"));
}
