#include "train/report/page.h"

#include <string_view>

#include "train/record/run_files.h"

namespace train {
namespace {

// Colours of lines: a hue each, as light as the scheme needs.
constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4;
  --panel: #f6f8fa; --accent: #0a5cc2; --light: 33%; --faint: 45%; --warm: #d4421e; --shade: #0b4f9e; }
@media (prefers-color-scheme: dark) { :root { --paper: #0f1318; --ink: #e6e9ed; --soft: #a3adb8;
  --rule: #2f3741; --panel: #171c23; --accent: #6cb0ff; --light: 66%; --faint: 48%; --warm: #d05a3c;
  --shade: #6cb0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem clamp(.8rem, 3vw, 2.5rem) 4rem; max-width: 88rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.6rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--rule); }
h3 { margin: 1.4rem 0 .4rem; font-size: 1rem; }
p { max-width: 46rem; overflow-wrap: anywhere; }
a { color: var(--accent); }
nav ul, ul.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: 0; padding: 0;
  list-style: none; }
.note, figcaption, .legend, .scale { color: var(--soft); font-size: .875rem; }
.note { margin: .3rem 0; }
figure { margin: 0; min-width: 0; }
figcaption { color: var(--ink); font-weight: 600; }
.charts { display: grid; gap: 1.6rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); }
.maps { display: grid; gap: .6rem; margin: .6rem 0; overflow-x: auto;
  grid-template-columns: repeat(var(--heads), minmax(7rem, 15rem)); }
.maps figcaption { font-size: .8rem; }
.maps .large { grid-column: 1 / -1; max-width: 44rem; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.chart .plot { padding: 28px 20px 40px 60px; }
.chart svg { height: 14rem; overflow: visible; }
.broad svg { height: 22rem; }
.chart svg svg { height: 100%; }
.attention svg text { font-size: .95px; fill: var(--ink); }
.attention svg text.on { fill: var(--paper); font-size: .4px; }
.attention svg text.off { font-size: .4px; }
.grid { stroke: var(--rule); fill: none; }
.chart path { fill: none; }
path.level { stroke: var(--soft); stroke-dasharray: 2 3; }
text.level { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
text.level { transform: translate(4px, 14px); }
text.above { transform: translate(4px, -5px); }
text.x { text-anchor: middle; transform: translate(0, 15px); }
text.y { text-anchor: end; transform: translate(-6px, .35em); }
text.x.name { transform: translate(0, 34px); }
text.y.name { text-anchor: start; transform: translate(-60px, -12px); }
g[style] > path { stroke: hsl(var(--hue) 75% var(--light)); stroke-width: 1.8; }
.charts .broad { grid-column: 1 / -1; }
.chart .dots { stroke-width: 5; stroke-linecap: round; }
.chart .faint .dots { stroke: hsl(var(--hue) 60% var(--faint)); stroke-width: 2; }
g.dashed > path:not(.dots) { stroke-dasharray: 6 4; }
circle { fill: var(--ink); }
.legend li::before { content: ""; display: inline-block; width: 1.4em; margin-right: .4em; vertical-align: .25em;
  border-top: 3px solid hsl(var(--hue) 75% var(--light)); }
.legend li.faint::before { border-top-style: dotted; }
.legend li.dashed::before { border-top-style: dashed; }
.cursor { visibility: hidden; fill: none; stroke: var(--ink); stroke-width: 1; }
.attention .cursor { stroke-width: 2; }
.shown .cursor { visibility: visible; }
.cells { fill: var(--shade); }
.frame { fill: var(--panel); stroke: var(--rule); }
.plot { border-radius: 4px; }
.attention .plot { cursor: zoom-in; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
output.value { display: block; min-height: 1.5em; font-size: .875rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
td.n { white-space: nowrap; }
td.n, .chart td, .chart tbody th { text-align: right; }
tr.us { font-weight: 600; }
.wide { max-width: 100%; overflow: auto; }
details .wide { max-height: 24rem; }
summary { cursor: pointer; color: var(--accent); font-size: .875rem; }
pre, .surprise { margin: 0; padding: .7rem .9rem; border-radius: 6px; background: var(--panel);
  font: .9rem/1.6 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.samples { display: grid; gap: 1rem; margin-top: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
.samples h3 { margin: 0 0 .2rem; }
.surprise span, .scale span { border-radius: 2px; }
.surprise span.on { outline: 2px solid var(--ink); }
.scale span { padding: 0 .5em; color: var(--ink); }
.scale .swatch { border: 1px solid var(--rule); }
@media print { td.n { white-space: normal; } body { max-width: none; font-size: 10pt; } nav, details:not([open]), output.value { display: none; }
  .samples { grid-template-columns: repeat(2, 1fr); }
  figure, pre, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } details .wide { max-height: none; } .wide { overflow: visible; } table { font-size: 8pt; } th, td { overflow-wrap: anywhere; }
  .surprise, .scale, .maps, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

// Each picture has a place to look at, moved by pointer and arrow keys, and a line that says what is
// there.
constexpr std::string_view script = R"js(
"use strict";
const place = (svg, event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
const limit = (i, n) => Math.max(0, Math.min(n - 1, i));
const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-1e9, 0], End: [1e9, 0]};

// move(dx, dy) by keys, point(event) by pointer.
function look(box, move, point) {
  box.addEventListener("keydown", event => {
    if (!steps[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move(...steps[event.key]);
  });
  for (const kind of ["pointermove", "pointerdown"]) box.addEventListener(kind, point);
}

for (const chart of document.querySelectorAll(".chart")) {
  const box = chart.querySelector(".plot"), svg = box.querySelector("svg"), said = chart.querySelector("output");
  const cursor = svg.querySelector(".cursor"), [head, ...rows] = chart.querySelector("table").rows;
  const cells = row => [...row.cells].map(cell => cell.textContent), names = cells(head);
  const corners = [...svg.querySelectorAll("[data-series]")].map(line => line.lastChild.getAttribute("d").match(/[-+.\de]+ [-+.\de]+/g));
  // Of each row its words, and the places of its numbers.
  const all = rows.map(row => {
    const [x, ...values] = cells(row), given = values.map((_, i) => i).filter(i => values[i]);
    return {said: `${names[0]} ${x}: ${given.map(i => `${names[i + 1]} ${values[i]}`).join(", ")}`,
      at: given.map(i => corners[i].shift().split(" "))};
  });
  let at = -1;
  const show = i => {
    at = limit(i, all.length);
    svg.querySelectorAll("circle").forEach(circle => circle.remove());
    for (const [x, y] of all[at].at) {
      const circle = svg.appendChild(document.createElementNS(svg.namespaceURI, "circle"));
      for (const [name, value] of [["cx", x / 10 + "%"], ["cy", y / 10 + "%"], ["r", y < 0 ? 0 : 4]]) circle.setAttribute(name, value);
    }
    cursor.setAttribute("transform", `translate(${all[at].at[0][0]} 0)`);
    box.classList.add("shown");
    said.textContent = all[at].said;
  };
  look(box, dx => show(at < 0 ? (dx < 0 ? all.length - 1 : 0) : at + dx), event => {
    const x = place(cursor.parentElement, event).x, far = j => Math.abs(all[j].at[0][0] - x);
    let best = 0;
    all.forEach((_, i) => { if (far(i) < far(best)) best = i; });
    show(best);
  });
}

for (const map of document.querySelectorAll(".attention")) {
  const box = map.querySelector(".plot"), svg = box.querySelector("svg"), said = map.querySelector("output");
  const cursor = svg.querySelector(".cursor"), rows = map.dataset.weights.split(";").map(row => row.split(" "));
  const tokens = [...svg.querySelectorAll(".labels text")].slice(0, rows.length).map(label => label.textContent);
  let row = rows.length - 1, column = -1;
  const show = (r, c) => {
    row = limit(r, rows.length);
    column = limit(c, rows[row].length);
    cursor.setAttribute("transform", `translate(${column} ${row})`);
    box.classList.add("shown");
    said.textContent = `${tokens[row]} (token ${row + 1}) looks at ${tokens[column]} (${column + 1}): ${(+rows[row][column]).toFixed(3)}`;
  };
  look(box, (dx, dy) => show(row + dy, column + dx), event => {
    const {x, y} = place(svg, event);
    if (x >= 0 && y >= 0 && x < rows.length && y < rows.length) show(Math.floor(y), Math.floor(x));
  });
  const enlarge = () => map.classList.toggle("large");
  box.addEventListener("click", enlarge);
  box.addEventListener("keydown", event => { if (event.key === "Enter") enlarge(); });
}

for (const box of document.querySelectorAll(".surprise")) {
  const words = [...box.querySelectorAll("span")], said = box.parentElement.querySelector("output");
  const rows = box.closest("section").querySelectorAll("tbody tr");  // of the table below
  words.forEach((word, i) => {
    const [token, loss, probability, expected] = [...rows[i].cells].map(cell => cell.textContent);
    word.title = `${token}: ${loss} nats, probability ${probability}; expected: ${expected}`;
  });
  let at = -1;
  const show = i => {
    if (at >= 0) words[at].classList.remove("on");
    at = limit(i, words.length);
    words[at].classList.add("on");
    said.textContent = words[at].title;
  };
  look(box, dx => show(at + dx), event => {
    const i = words.indexOf(event.target);
    if (i >= 0) show(i);
  });
}
)js";

}  // namespace

std::string page(const std::string& title, const std::string& html, bool reloads) {
  const std::string head =
      joined("\n<meta charset=\"utf-8\">\n", page_mark,
             reloads ? "\n<meta http-equiv=\"refresh\" content=\"5\">" : "",
             "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
             element("title", {}, escaped(title)), "\n", element("style", {}, style), "\n");
  return joined("<!DOCTYPE html>\n<html lang=\"en\">\n", element("head", {}, head), "\n",
                element("body", {}, "\n" + html + element("script", {}, script) + "\n"),
                "\n</html>\n");
}

}  // namespace train
