// broken.mjs WORK [PATTERN]: breaks WORK/finished.html on purpose, place by place, and sees that a check notices. With a
// pattern: only the faults with a name, check or use that matches it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checks, readReport, silence } from './page.mjs';
import { dataOf, skipped, withData } from './file.mjs';
import { launch, printed } from './open.mjs';

const work = process.argv[2];
const good = readFileSync(join(work, 'finished.html'), 'utf8');

const added = text => html => html.replace(/<\/body>(?![^]*<\/body>)/, () => `${text}\n</body>`);
const instead = (old, text) => html => html.replace(old, () => text);
// The page's own script and style, changed.
const script = (old, text) => html => html.replace(/(?<=<script nonce="[^"]*">)[^]*?(?=<\/script>)/, all => all.replace(old, typeof text === 'function' ? text : () => text));
const drawn = text => html => html.replace(/(?=<\/script>(?![^]*<\/script>))/, () => `\n${text}\n`);
const styled = text => html => html.replace('</style>', () => `${text}\n</style>`);
// Of the first run in the data.
const data = change => html => {
  const all = JSON.parse(html.match(dataOf)[0]);
  change(all.runs[0]);
  return withData(html, all);
};
// After the page is drawn, and each time that it is drawn again.
const after = code => drawn(`new MutationObserver(() => { ${code} }).observe(document.body, {childList: true, subtree: true}); (() => { ${code} })();`);

const breaks = [
  ['a number of the data', data(run => { run.updates.loss[3] += 0.1; }), 'numbers', /^data/],
  ['a digit of a number', data(run => { run.evaluations.val[1] *= 1.00002; }), 'numbers', /^data/],
  ['the step of a number', data(run => { run.learning_rate.step[3] += 0.5; }), 'numbers', /^data/],
  ['a number is missing', data(run => { run.gradient_norm.step.splice(3, 1); run.gradient_norm.value.splice(3, 1); }), 'numbers', /^data/],
  ['how many there are', data(run => { run.updates.count += 1; }), 'numbers', /^data/],
  ['a number that the chart changes', script('y.push(value)', 'y.push(i === 2 ? value * 1.1 : value)'), 'numbers', /^loss: 800 wide/],
  ['a corner is missing', script('return [...new Set(places)].map(', 'return [...new Set(places)].filter(i => i !== 2).map('), 'numbers', /^learning-rate: 800 wide/],
  ['a corner that is no number', script('corners = this.corners(line)', 'corners = [...this.corners(line), "300 100"]'), 'numbers', /^loss: 800 wide/],
  ['a corner is 3 pixels higher', script("d: `M${corners.join('L')}`", "d: `M${corners.join('L').replace(/(?<=L\\S+ )\\S+/, y => y - 3)}`"), 'numbers', /^learning-rate: 800 wide/],
  ['lines 2 pixels to the left', script("drawn(this.inner, 'g')", "drawn(this.inner, 'g', {transform: 'translate(-2)'})"), 'numbers', /^loss: 800 wide/],
  ['dots of a line', script("corners.map(corner => `M${corner}h0`).join('')}), {hue", "corners.slice(1).map(corner => `M${corner}h0`).join('')}), {hue"), 'numbers', /^loss: 800 wide/],
  ['a mark of an axis', after("for (const mark of document.querySelectorAll('#loss text.x')) if (mark.textContent === '100') mark.textContent = '101';"), 'numbers', /^loss: 800 wide/],
  ['marks beside their lines', styled('.plot text.y { transform: translateY(5px) }'), 'numbers', /^loss: 800 wide/],
  ['the level of n-grams', script('const at = this.py(y);', 'const at = this.py(y) + 4;'), 'numbers', /^position-loss: 800 wide|^loss: 800 wide|^gradient-norm: 800 wide/],
  ['the mean of another width', script('smoothing: 2,', 'smoothing: 5,'), 'numbers', /^loss: 800 wide/],
  ['a number of the table', script("'' : valueText(values[i])", "'' : valueText(values[i] * 1.001)"), 'numbers', /^loss: table/],
  ['a row of the table', script('sorted.filter((_, i) => i % every === 0', 'sorted.filter((_, i) => i !== 4 && i % every === 0'), 'numbers', /^loss: table/],
  ['what the cursor says', script('${line.name} ${valueText(y)}', '${line.name} ${valueText(y * 1.001)}'), 'numbers', /^cursor/],
  ['a cursor in one chart', script('for (const chart of this.#charts) if', 'for (const chart of this.#charts.slice(0, 1)) if'), 'numbers', /^cursor/],
  ['the cursor a step late', script('Math.max(0, upTo(line.x, at) - 1)}', 'Math.max(0, upTo(line.x, at) - 2)}'), 'numbers', /^cursor/],
  ['a weight of attention', data(run => { run.attention.layers[0][0] = run.attention.layers[0][0].replace(/;(\S+)/, (_, weight) => `;${Number(weight) + 0.01}`); }), 'numbers', /^attention/],
  ['a negative weight', data(run => { run.attention.layers[0][0] = run.attention.layers[0][0].replace(/;\S+ [^;]+/, ';-.1 1.1'); }), 'numbers', /^attention/],
  ['a head is missing', data(run => { run.attention.layers[0].pop(); }), 'numbers', /^attention/],

  ['a zoom of half', script('this.board.zoom(...ends', 'this.board.zoom(...ends.map(end => end / 2)'), 'interact', /a drag zooms/, 'zoom'],
  ['a zoom of one chart', script('for (const chart of this.#charts) if (this.#stale)', 'for (const [i, chart] of this.#charts.entries()) if (this.#stale && !i)'), 'interact', /a drag zooms/, 'zoom'],
  ['y does not fit', script('scale(least, most,', 'scale(0, 2 * most,'), 'interact', /a drag zooms/, 'zoom'],
  ['no undo', script("plot.ondblclick", 'plot.onnothing'), 'interact', /a drag zooms/, 'zoom'],
  ['Escape does nothing', script('Escape: () => this.board.whole()', 'Escape: () => {}'), 'interact', /a drag zooms/, 'zoom'],
  ['a legend of one chart', script("toggle(name) {", 'toggle(name) { if (Math.random() < .5) return;'), 'interact', /a name in the legend/, 'legend'],
  ['a legend that does not tell', script("setAttribute('aria-pressed', !", "setAttribute('aria-pressed', !!"), 'interact', /a name in the legend/, 'legend'],
  ['an axis is not logarithmic', script('x: this.logX(), y', 'x: false, y'), 'interact', /logarithmic/, 'axes'],
  ['a mean that is none', script('n * share / 2', 'n * share / 3'), 'interact', /smoothing/, 'smoothing'],
  ['a key is deaf', script('PageUp: () => this.step(-many), ', ''), 'interact', /keys move/, 'keyboard'],
  ['+ is too much', script('this.zoomBy(.5)', 'this.zoomBy(.4)'), 'interact', /keys move/, 'keyboard'],
  ['deaf to touch', script('if (!this.scale || event.button > 0) return;', "if (event.pointerType === 'touch') return;"), 'interact', /a tap/, 'touch'],
  ['a tip far off', script('translateX(${', 'translateX(${99 +'), 'interact', /a tip/, 'tips'],
  ['readings of two lines', styled('.tip { white-space: pre !important }'), 'interact', /a tip/, 'tips'],
  ['a cut that is not marked', script("class: 'cut'", "class: ''"), 'interact', /are marked/, 'cut'],
  ['a mouse on a phone', styled('.mouse { display: inline !important }'), 'interact', /the finger/, 'touch'],
  ['other tokens', script('step * run.tokens_per_update', 'step * (run.tokens_per_update + 1)'), 'interact', /over tokens/, 'units'],
  ['other minutes', script('return (times.seconds[i - 1] +', 'return (1.05 * times.seconds[i - 1] +'), 'interact', /over tokens/, 'units'],
  ['bits that are none', script('nats / Math.LN2 / each', 'nats / each'), 'interact', /over tokens/, 'units'],
  ...['over', 'unit', 'smoothing', 'logy', 'sample', 'head', 'token'].map(key => [`${key} is not in the address`, script(`put('${key}', `, "put('nothing', "), 'interact', /the address/, 'address']),
  ['what is hidden is not in the address', script("put('hide', name)", "put('nothing', name)"), 'interact', /the address/, 'address'],
  ['the view is not in the address', script("['from', 'to', 'at'].map(number)", '[null, null, null]'), 'interact', /the address/, 'address'],
  ['another sample', script("say('sample-text', samples.text[i])", "say('sample-text', samples.text[0])"), 'interact', /each sample/, 'samples'],
  ['another head', script('rowsOf(layers[layer][head])', 'rowsOf(layers[layer][0])'), 'interact', /each head/, 'heads'],
  ['a blank line', data(run => { run.samples.text[0] = `\n${run.samples.text[0]}`; }), 'interact', /each sample/, 'samples'],
  ['a map askew', script("{class: 'cell', x: j, y: i,", "{class: 'cell', x: i, y: j,"), 'interact', /each head/, 'heads'],
  ['a chart that grows late', drawn("setTimeout(() => { document.getElementById('summary').style.paddingBottom = '300px'; }, 50);"), 'time', /nothing moves/, 'still'],
  ['a file that is read once', script('if (data.watched) setTimeout(watch, 2000);\n}', '}'), 'time', /written again/, 'watched'],
  ['a view that is lost', script('data = JSON.parse(event.data);', 'data = JSON.parse(event.data); board.whole();'), 'time', /written again/, 'watched'],
  ['a slow zoom', script('  zoom(from, to) {', '  zoom(from, to) { for (const end = performance.now() + 200; performance.now() < end;);'), 'time', /no task/, 'speed'],
  ['a slow page', drawn('for (const end = performance.now() + 1000; performance.now() < end;);'), 'time', /drawn after/, 'speed'],

  ['a request', added('<img src="http://127.0.0.1:9/x.png" alt="x">'), 'look', /^no messages/],
  ['a message of the console', drawn('console.error("x")'), 'look', /^no messages/],
  ['a warning of the console', drawn('console.warn("x")'), 'look', /^no messages/],
  ['an error of a script', drawn('setTimeout(() => nothing.at.all)'), 'look', /^no messages/],
  ['a dialog', drawn('alert(1)'), 'look', /^no messages/],
  ['something wide', styled('#summary { width: 500px }'), 'look', /sideways/],
  ['small letters', styled('.plot text { font-size: 5px !important }'), 'look', /can be read/],
  ['chips that break', styled('.legend .name { white-space: normal; width: 30px; word-break: break-all }'), 'look', /can be read/],
  ['large letters of a map', styled('#map .map { min-width: 1200px }'), 'look', /can be read/],
  ['words upon words', styled('.plot text { font-size: 60px !important }'), 'look', /can be read/],
  ['gray on gray', styled('#summary { color: #999; background: #bbb }'), 'accessible', /^axe/],
  ['a picture without a name', added('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">'), 'accessible', /^axe/],
  ['pale labels', styled('.plot text { opacity: 0.3 }'), 'accessible', /contrast/],
  ['pale marks', styled('.plot [data-series] { opacity: 0.1 }'), 'accessible', /contrast/],
  ['a pale legend', styled('.legend path { opacity: 0.1 }'), 'accessible', /contrast/],
  ['pale tokens of a map', styled('.map text { opacity: 0.3 }'), 'accessible', /contrast/],
  ['light in the dark', styled(':root, body { color-scheme: light !important; background: #fff !important; color: #000 !important }'), 'accessible', /^dark: the page is dark/],
  ['charts are not printed', styled('@media print { figure { display: none } }'), 'paper', /^print: every/],
  ['without scripts: it does not say so', instead('which is switched off', 'which is fun'), 'scriptless', /says so/],
  ['without scripts: the page is there', instead('<div id="page" hidden>', '<div id="page">'), 'scriptless', /nothing else/],
  ['without scripts: a loss', instead(/(?<=<td class="n">)\d/, '9'), 'scriptless', /evaluations of log.csv/],
  ['without scripts: a row', instead(/<tr><th scope="row">[^]*?<\/tr>/, ''), 'scriptless', /evaluations of log.csv/],
  ['without scripts: a sample', instead(/<pre dir="auto">[^]*?<\/pre>/, '<pre></pre>'), 'scriptless', /samples$/],

  ['a script of the text', added('<p><script>1</script></p>'), 'text', /scripts/],
  ['a handler of the text', added('<p onclick="alert(1)">x</p>'), 'text', /handlers/],
  ['an element of the text', added('<marquee>x</marquee>'), 'text', /handlers/],
  ['an element of a sample', script("say('sample-text', samples.text[i])", "say('sample-text', samples.text[i]); $('sample-text').append(made('marquee'))"), 'text', /handlers/],
  ['a word of the samples', script("say('sample-text', samples.text[i])", "say('sample-text', samples.text[i].replace('e', 'x'))"), 'text', /^samples/],
  ['a word of the surprise', script("textContent: text.replace(/\\n/g", "textContent: text.replace('e', 'x').replace(/\\n/g"), 'text', /surprise/],

  ['a button without a name', added('<button></button>'), 'keys', /Tab/],
  ['no outline', styled('* { outline: none !important; box-shadow: none !important }'), 'keys', /Tab/],
  ['focus that is not to be seen', styled('#links a { opacity: 0 }'), 'keys', /Tab/],
  ['Tab does not leave', drawn("addEventListener('keydown', event => { if (event.key === 'Tab' && document.activeElement !== document.body) event.preventDefault() })"), 'keys', /Tab/],
  ['deaf maps', script('box.onkeydown = event => {', 'box.onkeydown = event => { return;'), 'keys', /arrows/],
  ['deaf heads', script('button.onkeydown = event => {', 'button.onkeydown = event => { return;'), 'keys', /arrows/],

  ['more than 400 kB', added(`<!--${' '.repeat(4e5)}-->`), 'file', /bytes/],
  ['a control character', added('<p>\x01</p>'), 'file', /UTF-8/],
  ['no policy', instead(/<meta http-equiv="Content[^>]*>/, ''), 'file', /policy/],
  ['a policy that lets all run', instead(/script-src '[^']*'/, "script-src 'unsafe-inline'"), 'file', /policy/],
  ['a script of another nonce', instead('<script nonce="', '<script nonce="0'), 'file', /policy/],
  ['a style of another nonce', instead('<style nonce="', '<style nonce="0'), 'file', /policy/],
  ['a link out', added('<p><a href="https://example.com/">x</a></p>'), 'file', /references/],
  ['a font from elsewhere', styled('@import url(//example.com/x.css);'), 'file', /references/],
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

// A check that fails for the unchanged report proves nothing when it fails again.
const wanted = breaks.filter(([what, , check, , use = '']) => new RegExp(process.argv[3] ?? '').test(`${what} ${check} ${use}`)), before = [];
const brief = { ...readReport(work, 'finished'), pictures: '', isBrief: true, uses: wanted.map(([, , , , use]) => use) };
for (const check of new Set(wanted.map(([, , check]) => check))) before.push(...await failures(check, brief));

let noticed = 0, tried = 0;
for (const [what, change, check, expected, use] of wanted) {
  const tool = expected.source.includes('Nu') ? /^(vnu|java)/ : expected.source.includes('html-validate') ? /^html-validate/ : null;
  if (tool && skipped.some(line => tool.test(line))) continue;
  ++tried;
  if (before.some(line => expected.test(line))) { say(`${what}: cannot be tried, the report fails already`, false); continue; }
  const html = change(good);
  if (html === good) { say(`${what}: nothing to break was found in the report`, false); continue; }
  const report = { ...brief, trouble: [], file: join(work, 'broken.html'), vnu: /Nu/.test(expected), uses: [use] };
  writeFileSync(report.file, html);
  const failed = await failures(check, report);
  if (failed.some(line => expected.test(line))) ++noticed;
  else say(`${what}: ${check} did not notice`, false, failed);
}
await browser.close();
say(`${noticed} of ${tried} faults made on purpose are noticed`, noticed === tried);
