// broken.mjs WORK: breaks WORK/finished.html on purpose, place by place, and sees that a check notices.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checks, readReport, silence } from './page.mjs';
import { skipped } from './file.mjs';
import { launch, printed } from './open.mjs';

const work = process.argv[2];
const good = readFileSync(join(work, 'finished.html'), 'utf8');
const run = readReport(work, 'finished').runs[0];

const added = text => html => html.replace(/<\/body>(?![^]*<\/body>)/, () => `${text}\n</body>`);
// In one figure only.
const inside = (id, change) => html => {
  const begin = html.search(new RegExp(`<figure[^>]* id="${id}"`)), end = html.indexOf('</figure>', begin);
  return begin < 0 ? html : html.slice(0, begin) + change(html.slice(begin, end)) + html.slice(end);
};
// The n-th match of a pattern, given to change.
const nth = (n, pattern, change) => text => {
  const match = [...text.matchAll(pattern)][n];
  return match ? text.slice(0, match.index) + change(...match) + text.slice(match.index + match[0].length) : text;
};
// Of the first line's corners the third, and its number in the table.
const corner = change => nth(2, /(?<=[ML])(-?[\d.]+) (-?[\d.]+)(?![\d.HV])/g, (_, x, y) => change(Number(x), Number(y)));
const cell = change => nth(3, /(<td\b[^>]*>)([^<]*\d[^<]*)/g, (_, before, value) => before + change(value));
const digit = value => value.replace(/\d(?=[^\d]*$)/, last => (Number(last) + 5) % 10);
const word = run.samples.join(' ').match(/[a-z]{4,}/)?.[0] ?? '';

const breaks = [
  ['a number of the table', inside('loss', cell(value => value.replace(/\d/, first => 9 - Number(first)))), 'numbers', /^loss: log\.csv/],
  ['a digit of a number', inside('loss', cell(digit)), 'numbers', /^loss: log\.csv/],
  ['the step of a number', inside('learning-rate', nth(3, /(<th scope="row">)(\d+)/g, (_, before, x) => `${before}${x}1`)), 'numbers', /^learning-rate: log\.csv/],
  ['a number of gradient-norm', inside('gradient-norm', cell(value => value.replace(/\d/, first => 9 - Number(first)))), 'numbers', /^gradient-norm: log\.csv/],
  ['a row of the table is missing', inside('loss', nth(2, /<tr\b[^]*?(?=<tr|<\/tbody|<\/table)/g, () => '')), 'numbers', /^loss: table/],
  ['a corner is missing', inside('learning-rate', nth(2, /L[\d.]+ [\d.]+/g, () => '')), 'numbers', /^learning-rate: table/],
  ['a corner is there twice', inside('learning-rate', nth(2, /L[\d.]+ [\d.]+/g, one => one + one)), 'numbers', /^learning-rate: table/],
  ['a corner is 3 pixels higher', inside('learning-rate', corner((x, y) => `${x} ${y - 14}`)), 'numbers', /^learning-rate: 800 wide/],
  ['a corner is 3 pixels to the left', inside('learning-rate', corner((x, y) => `${x - 8} ${y}`)), 'numbers', /^learning-rate: 800 wide/],
  ['a dot of a line', inside('loss', nth(0, /(?<=M[\d.]+ )[\d.]+(?=h0M[^"]*"\/><\/g><path class="cursor")/g, y => String(Number(y) + 20))), 'numbers', /^loss: 800 wide/],
  ['what is said of a mark', html => html.replace('said.textContent = all[at].said', 'said.textContent = "77.7"'), 'numbers', /^loss: 800 wide/],
  ['a label of an axis', inside('loss', nth(1, /(<text\b[^>]*>)([\d.]+)(?=<)/g, (_, before, value) => `${before}${Number(value) * 1.5 + 1}`)), 'numbers', /^loss: 800 wide/],
  ['a weight of attention', nth(0, /(data-weights="[^";]*;)([\d.]+)/g, (_, before, value) => `${before}${Number(value) + 0.01}`), 'numbers', /^attention/],
  ['a negative weight', nth(0, /(data-weights="[^";]*;)([\d.]+) ([\d.]+)/g, (_, before, a, b) => `${before}-0.1 ${Number(a) + Number(b) + 0.1}`), 'numbers', /^attention/],
  ['a head is missing', nth(0, /data-weights=/g, () => 'data-nothing='), 'numbers', /^attention/],

  ['a request', added('<img src="http://127.0.0.1:9/x.png" alt="x">'), 'look', /^no messages/],
  ['a message of the console', added('<script>console.error("x")</script>'), 'look', /^no messages/],
  ['a warning of the console', added('<script>console.warn("x")</script>'), 'look', /^no messages/],
  ['an error of a script', added('<script>setTimeout(() => nothing.at.all)</script>'), 'look', /^no messages/],
  ['a dialog', added('<script>alert(1)</script>'), 'look', /^no messages/],
  ['something wide', added('<div style="width: 500px; height: 1px"></div>'), 'look', /sideways/],
  ['small letters', added('<style>figure svg text { font-size: 5px !important }</style>'), 'look', /can be read/],
  ['words upon words', added('<style>figure svg text { font-size: 60px !important }</style>'), 'look', /can be read/],
  ['grey on grey', added('<p style="color: #999; background: #bbb">grey</p>'), 'accessible', /^axe/],
  ['a picture without a name', added('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'), 'accessible', /^axe/],
  ['pale labels', added('<style>figure svg text { opacity: 0.3 }</style>'), 'accessible', /contrast/],
  ['pale marks', added('<style>figure svg g { opacity: 0.1 }</style>'), 'accessible', /contrast/],
  ['light in the dark', added('<style>:root, body { color-scheme: light !important; background: #fff !important; color: #000 !important }</style>'), 'accessible', /^dark: the page is dark/],
  ['charts are not printed', added('<style>@media print { figure { display: none } }</style>'), 'paper', /^print: every/],
  ['a text that a script shows', added('<p id="late" style="display: none">late</p><script>document.getElementById("late").style.display = "block"</script>'), 'scriptless', /letters/],
  ['charts that a script shows', added('<style>figure { display: none }</style><script>document.querySelectorAll("figure").forEach(one => { one.style.display = "block" })</script>'), 'scriptless', /as many/],

  ['a script of the text', added('<p><script>1</script></p>'), 'text', /scripts/],
  ['a handler of the text', added('<p onclick="alert(1)">x</p>'), 'text', /handlers/],
  ['an element of the text', added('<marquee>x</marquee>'), 'text', /handlers/],
  ['a word of the samples', html => word ? html.replaceAll(word, 'xxxx') : html, 'text', /^samples/],

  ['a button without a name', added('<button></button>'), 'keys', /Tab/],
  ['no outline', added('<style>* { outline: none !important; box-shadow: none !important }</style>'), 'keys', /Tab/],
  ['focus that is not to be seen', added('<a href="#x" style="opacity: 0">x</a>'), 'keys', /Tab/],
  ['Tab does not leave', added('<script>addEventListener("keydown", event => { if (event.key === "Tab" && document.activeElement !== document.body) event.preventDefault() })</script>'), 'keys', /Tab/],
  ['deaf maps', added('<script>addEventListener("keydown", event => event.stopImmediatePropagation(), true)</script>'), 'keys', /arrows/],

  ['more than 2 MB', added(`<!--${' '.repeat(2e6)}-->`), 'file', /bytes/],
  ['a control character', added('<p>\x01</p>'), 'file', /UTF-8/],
  ['<svg within a line', html => html.replace(/\n<svg/, ' <svg'), 'file', /<svg/],
  ['a link out', added('<p><a href="https://example.com/">x</a></p>'), 'file', /references/],
  ['a font from elsewhere', added('<style>@import url(//example.com/x.css);</style>'), 'file', /references/],
  ['a paragraph in a title', added('<h2><p>x</p></h2>'), 'file', /^html-validate/],
  ['an attribute that is none', added('<p nothing="1">x</p>'), 'file', /^Nu/],
];

const say = printed('broken');
const browser = await launch();
// Calls check on a report, and returns the lines of what failed.
async function failures(check, report) {
  const failed = [];
  const listen = (line, passed) => passed || failed.push(line);
  try {
    await checks[check](browser, report, listen);
  } catch (error) {
    failed.push(`ended early: ${error.message}`);
  }
  silence(browser, report, listen);
  return failed;
}

// What fails of the report as it is says nothing when it fails again.
const before = [];
for (const check of Object.keys(checks)) before.push(...await failures(check, { ...readReport(work, 'finished'), pictures: '' }));

let noticed = 0, tried = 0;
for (const [what, change, check, expected] of breaks) {
  const tool = expected.source.includes('Nu') ? /^(vnu|java)/ : expected.source.includes('html-validate') ? /^html-validate/ : null;
  if (tool && skipped.some(line => tool.test(line))) continue;
  ++tried;
  if (before.some(line => expected.test(line))) { say(`${what}: cannot be tried, the report fails already`, false); continue; }
  const html = change(good);
  if (html === good) { say(`${what}: nothing to break was found in the report`, false); continue; }
  const report = { ...readReport(work, 'finished'), file: join(work, 'broken.html'), pictures: '', vnu: /Nu/.test(expected) };
  writeFileSync(report.file, html);
  const failed = await failures(check, report);
  if (failed.some(line => expected.test(line))) ++noticed;
  else say(`${what}: ${check} did not notice`, false, failed);
}
await browser.close();
say(`${noticed} of ${tried} faults made on purpose are noticed`, noticed === tried);
