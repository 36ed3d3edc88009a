/* global engine */
// site.mjs WORK: out/site/ (make site), handed out by a small server: arriving and training, the reference, the pages of the
// book, and every live figure: what it says against the native program's NN_name.txt, keys, what no reader would choose, and
// what readers have stumbled over.
import { createReadStream, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, painted, printed } from './open.mjs';

const [work] = process.argv.slice(2);
const say = printed('site'), site = join(process.cwd(), 'out/site'), live = join(process.cwd(), 'tests/book/live');
const axe = readFileSync(createRequire(join(work, '/')).resolve('axe-core/axe.min.js'), 'utf8');
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json', '.txt': 'text/plain; charset=utf-8' };
let held = 0;  // how long the engine's module is on its way, in ms
const server = createServer((request, response) => {
  let file = join(site, decodeURIComponent(new URL(request.url, 'http://x').pathname));
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': types[extname(file)] });
  setTimeout(() => createReadStream(file).pipe(response), file.endsWith('.wasm') ? held : 0);
});
await new Promise(resolve => server.listen(0, resolve));
const root = `http://localhost:${server.address().port}/`;

const browser = await launch(), trouble = [];
async function visit(path, { width = 1200, scheme = 'light', scripts = true }, act) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, javaScriptEnabled: scripts });
  const page = await context.newPage(), at = `${path || 'index'} ${width} ${scheme}`;
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) trouble.push(`${at}: ${message.text()}`); });
  page.on('pageerror', error => trouble.push(`${at}: uncaught: ${error.message}`));
  page.on('request', request => { if (!request.url().startsWith(root) && !request.url().startsWith('data:')) trouble.push(`${at}: request: ${request.url()}`); });
  await page.goto(root + path, { waitUntil: 'load' });
  await act(page);
  await context.close();
}
const narrow = page => page.evaluate('document.documentElement.scrollWidth - innerWidth');
async function accessible(page, name, part = 'document') {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(`axe.run(${part})`);
  say(`${name}: axe finds nothing`, !violations.length, violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`));
}

// --- sizes and words ---
const sizes = readdirSync(site, { recursive: true }).map(String).filter(name => statSync(join(site, name)).isFile()).map(name => [name, statSync(join(site, name)).size]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
const arriving = sizes.filter(([name]) => !name.includes('/')).reduce((sum, [, size]) => sum + size, 0);
say(`at most 4 MB, and 1.8 MB to arrive: ${(total / 1e6).toFixed(2)} and ${(arriving / 1e6).toFixed(2)}`, total <= 4e6 && arriving <= 1.8e6);
for (const [width, scheme] of [[360, 'light'], [400, 'dark'], [1400, 'light']])
  for (const path of ['', 'train/', 'reference/', 'book/'])
    await visit(path, { width, scheme }, async page => {
      const over = await narrow(page);
      say(`${path || 'arriving'}, ${width} wide, ${scheme}: no scrolling sideways`, over <= 0, [`${over} points`]);
      if (path !== 'book/') await accessible(page, `${path || 'arriving'}, ${scheme}`);
    });
// --- one house: the header, the colors and typefaces, the ring of the focus ---
const houses = new Set(), marked = [], rings = [];
for (const [path, name] of [['', 'gradus'], ['train/', 'Train'], ['book/', 'Book'], ['book/one_number.html', 'Book'], ['reference/', 'Reference']])
  for (const scheme of ['light', 'dark'])
    await visit(path, { scheme }, async page => {
      if (await page.$$eval('.site [aria-current]', all => all.map(one => one.textContent).join()) !== name) marked.push(path);
      houses.add(scheme + await page.evaluate(() => [document.body, document.querySelector('h1')].map(one => getComputedStyle(one)).map(s => s.backgroundColor + s.color + s.fontFamily).join()));
      if (path.endsWith('.html')) {
        await page.locator('.live').first().scrollIntoViewIfNeeded();
        await page.waitForSelector('.live button', { timeout: 60000 });
      }
      rings.push(...await page.evaluate(() => {
        const light = color => color.match(/[\d.]+/g).slice(0, 3).map(c => c / 255).map(c => c <= 0.04 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0.05);
        return [...document.querySelectorAll('a[href], button, input, summary, [tabindex]')].map(one => {
          one.focus({ focusVisible: true });
          const [ring, paper] = [getComputedStyle(one).outlineColor, getComputedStyle(document.body).backgroundColor].map(light);
          return [one === document.activeElement ? Math.max(ring / paper, paper / ring) : 21, one.outerHTML.slice(0, 100)];
        });
      }));
    });
say('one palette and one pair of typefaces in each scheme', houses.size === 2, [...houses]);
say('the header marks the page', !marked.length, marked);
const faint = rings.filter(([contrast]) => contrast < 3);
say(`the ring of the focus has a contrast of 3 (${rings.length} places)`, rings.length > 100 && !faint.length, faint.map(([contrast, html]) => `${contrast.toFixed(1)}: ${html}`));
// --- the book's pages ---
const pages = readdirSync(join(site, 'book')).filter(name => name.endsWith('.html')).map(name => `book/${name}`), large = [], high = [], wide = [], silent = [];
const text = path => readFileSync(join(site, path), 'utf8');
for (const path of pages) {
  if (statSync(join(site, path)).size > 150000) large.push(path);
  await visit(path, { width: 1280, scripts: false }, async page => {
    const [height, words] = await page.evaluate('[document.documentElement.scrollHeight, document.querySelector("main").innerText.length]');
    if (height > 12000) high.push(`${path}: ${height}`);
    if (words < 1000) silent.push(path);
  });
  for (const [width, scheme] of [[360, 'light'], [1280, 'dark']])
    await visit(path, { width, scheme }, async page => {
      if (await narrow(page) > 0) wide.push(`${path}, ${width}`);
      await accessible(page, `${path}, ${width}`);
    });
}
say(`book: ${pages.length} pages of at most 150 kB`, !large.length, large);
say('book: at most 12,000 points high on a desktop', !high.length, high);
say('book: nothing scrolls the page sideways', !wide.length, wide);
say('book: the words need no script', !silent.length, silent);
const ids = new Map(pages.map(path => [path.slice(5), new Set([...text(path).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]));
const dead = pages.flatMap(path => [...text(path).replace(/<script[^]*/, '').matchAll(/<a [^>]*href="([^":]*)"/g)].map(([, to]) => [to, ...to.split('#')])
  .filter(([to, there, id]) => !/^\.\.?\//.test(to) && !(there ? ids.get(there) : ids.get(path.slice(5)))?.has(id ?? 'text')).map(([to]) => `${path}: ${to}`));
say('book: links lead to what is there', !dead.length, dead);
for (const [old, file] of [['figure-descent', 'adamw_and_muon.html'], ['chapter-8', 'attention.html'], ['c99-two-minutes', '.html#c']])
  await visit(`book/#${old}`, {}, async page => {
    await page.waitForURL('**/book/*.html#*', { timeout: 5000 }).catch(() => {});
    say(`book/#${old} leads to its chapter's page`, page.url().includes(file), [page.url()]);
  });
await visit('book/three_ops.html', {}, async page => {
  const away = page.locator('a.n:not([href^="#"])[href]').first(), to = await away.getAttribute('href');
  await away.hover();
  await page.locator('#box:not([hidden])').waitFor();
  say('book: a name shows its declaration, and in which chapter it is listed', /to its listing in (chapter \d+|the appendix)$/.test(await page.textContent('#box p')), [await page.textContent('#box p')]);
  await away.click();
  await page.waitForURL(`**/book/${to}`);
  say('book: and leads there', await page.evaluate('document.querySelector(":target").classList.contains("listing")'), [to]);
  await page.keyboard.press('/');
  await page.keyboard.type('running maximum');
  await page.locator('#found a').first().waitFor();
  const found = await page.$$eval('#found a', all => all.map(one => one.href));
  say('book: the search finds other chapters', found.some(one => one.includes('attention_in_blocks.html#')), found);
  await accessible(page, 'the book, searched');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/book/attention_in_blocks.html**');
  await page.fill('#contents input', 'qqqq');
  say('book: nothing found is a line', await page.locator('#contents [role=status]', { hasText: 'Nothing found' }).waitFor().then(() => true, () => false));
});
await visit('book/three_ops.html', {}, async page => {
  const stops = await page.$$eval('.listing:has(a.n)', all => all.map(listing => [...listing.querySelectorAll('a, button, [tabindex]')].filter(one => one.tabIndex >= 0).length));
  const names = page.locator('.listing:has(a.n)').first().locator('a.n');
  await names.first().focus();
  await page.keyboard.press('ArrowRight');
  const second = await names.nth(1).and(page.locator('.shown:focus')).waitFor({ timeout: 5000 }).then(() => true, () => false);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  say('book: a listing is one tab stop, and arrow keys go from name to name', stops.every(count => count === 1) && second && await names.nth(1).evaluate(name => name === document.activeElement), [stops, second]);
});
await visit('reference/#cross_entropy', {}, async page => say('reference: #cross_entropy leads there', await page.evaluate('Math.abs(document.querySelector("[data-name=cross_entropy]").getBoundingClientRect().top - 100) < 60')));
for (const path of ['', 'train/', 'reference/', 'book/'])
  await visit(path, {}, async page => {
    const there = await page.$$eval('a[href]', all => all.map(one => one.href)), missing = ['', 'train/', 'reference/', 'book/'].filter(other => other !== path && !there.includes(root + other));
    say(`${path || 'arriving'}: links to the other pages`, !missing.length, missing);
  });
await visit('', { scripts: false }, async page => say('arriving: the words need no script', /tensor\(76\.2500\)/.test(await page.textContent('main'))));
await visit('', {}, async page => {
  const ms = await painted(page);
  say('arriving: text within half a second', ms < 500, [`${ms} ms`]);
  const top = () => page.$eval('#chart', one => one.getBoundingClientRect().top), before = await top();
  say('arriving: before a click a curve and a text, in the first window', await page.evaluate(`document.querySelectorAll('#chart path.line').length > 3 && ['#chart .plot', '#samples pre'].every(one =>
    document.querySelector(one).getBoundingClientRect().bottom < 900) && document.querySelector('#samples pre').textContent.length > 200`));
  const figures = await page.$$eval('.figures a', all => all.map(one => one.getAttribute('href'))), wanted = readdirSync(live).flatMap(name => name.match(/^\d\d_(\w+)\.txt$/)?.[1] ?? []);
  say('arriving: links to each live figure', wanted.every(name => figures.some(to => to.endsWith(`#figure-${name}`) && text(to.split('#')[0]).includes(`id="figure-${name}"`))), figures);
  const start = Date.now();
  await page.focus('#train');
  await page.keyboard.press('Enter');
  await page.waitForFunction('!document.querySelector(".finished") && losses.length > 20 && document.querySelector("#samples pre")', null, { timeout: 20000 });
  const seconds = (Date.now() - start) / 1000;
  say('arriving: a curve and a sample within ten seconds', seconds < 10, [`${seconds} s`]);
  await page.waitForSelector('#write:not([hidden])', { timeout: 120000 });
  const shown = await page.textContent('#status'), fables = readFileSync(join(site, 'fables.txt'), 'utf8');
  say('arriving: says first what fell, then what counting reaches, and when this run would', /^From 3\.\d\d to 2\.\d\d bits per character in \d+ seconds?,.*reaches 1\.92\. .* in about \d+ seconds? here/.test(shown), [shown]);
  say('arriving: what is said moves no picture', await top() === before, [`${before}, ${await top()}`]);
  const made = await page.evaluate(`({run: {unit: run.unit, ngram: +run.ngram.toFixed(4), steps: run.steps}, losses: losses.filter(([step]) => step % 6 === 0).map(([step, loss]) => [step, +loss.toFixed(3)]),
    evaluations: evaluations.map(({step, val}) => ({step, val: +val.toFixed(3)})), sample: document.querySelector('#samples pre').textContent})`);
  writeFileSync(join(work, 'finished.json'), `${JSON.stringify(made)}\n`);
  const finished = await page.evaluate('finished');
  say('arriving: the finished run is this one (else WORK/finished.json is to be train/page/finished.json)', made.evaluations.every(({ step, val }, i) => finished.evaluations[i].step === step && Math.abs(finished.evaluations[i].val - val) < 0.01), made.evaluations.map(({ val }) => `${val}`));
  await page.fill('#prompt', 'The Lion ');
  await page.keyboard.press('Enter');
  say('arriving: writes from a prompt', await page.waitForFunction('/^The Lion .{20}/s.test(document.querySelector("#samples pre").textContent)', null, { timeout: 20000 }).then(() => true, () => false));
  await accessible(page, 'arriving, trained');
  await page.goto(root + 'train/');
  say('train: the text is that of arriving', await page.evaluate('text()') === fables);
});
await visit('reference/', {}, async page => {
  await page.keyboard.press('/');
  await page.keyboard.type('softmax');
  const found = await page.$$eval('article:not([hidden])', all => all.map(one => one.dataset.name));
  say('reference: finds by name', found.includes('softmax') && found.length < 10, found);
  for (const [words, name] of [['nn.CrossEntropyLoss', 'cross_entropy'], ['F.nll_loss', 'cross_entropy'], ['bmm', 'matmul'], ['Id', 'Id']]) {
    await page.fill('#words', words);
    say(`reference: ${words} finds ${name}`, await page.$eval('article:not([hidden])', one => one.dataset.name).catch(() => '') === name);
  }
  await page.fill('#words', 'qqqq');
  say('reference: nothing found is a line, without empty headings', /^Nothing found/.test(await page.textContent('#found')) && !await page.locator('h2, h3').filter({ visible: true }).count());
  const ids = await page.$$eval('[id]', all => all.map(one => one.id)), twice = ids.filter((id, i) => ids.indexOf(id) < i);
  say('reference: each entry has an address', !twice.length, twice);
  const entries = await page.$$eval('article', all => all.map(one => `#${one.id}`)), listed = await page.$$eval('#contents a:has(code)', all => all.map(one => decodeURIComponent(one.hash)));
  say(`reference: an index of ${listed.length} names, one address for each`, listed.length > 150 && listed.join() === entries.join() && !await page.locator('article [id]').count(), entries.filter(one => !listed.includes(one)));
  say('reference: comments are prose, and formulas have indices', !await page.locator('article > pre > .l:first-child > .c:first-child').count() && await page.locator('#softmax .formula sub').count() > 5);
});

// --- live figures ---
const names = readdirSync(live).filter(name => /^\d\d_\w+\.txt$/.test(name)).map(name => name.slice(0, -4));
const pageOf = Object.fromEntries(names.map(name => [name, pages.find(path => text(path).includes(`data-live="${name}"`))]));
const hostile = ['', '('.repeat(10000), 'a'.repeat(10000), '1000000000, 1000000000', '🦊'.repeat(500), 'שועל وثعلب '.repeat(300), '<script>alert(1)</script>', 'x'.repeat(5e6)];
// Of a figure: its place, its first picture, and what a check asks of it.
async function opened(page, name) {
  const figure = page.locator(`[data-live="${name}"]`), picture = () => figure.locator('.box').innerHTML();
  await figure.scrollIntoViewIfNeeded();
  await page.waitForFunction(n => document.querySelector(`[data-live="${n}"] .box > *`), name, { timeout: 60000 });
  const settled = () => page.waitForFunction(n => { const place = document.querySelector(`[data-live="${n}"]`); return place.figure && !place.figure.busy; }, name, { timeout: 60000 });
  const type = async (label, text) => { await figure.getByLabel(label, { exact: true }).fill(text); await settled(); };
  const reset = () => figure.getByRole('button', { name: 'As printed' }).click();
  const first = await picture(), isFirst = async () => {  // the words may be those already, before the answer is drawn
    for (let i = 0; i < 50 && await picture() !== first; i++) await page.waitForTimeout(100);
    return await picture() === first;
  };
  return { figure, picture, first, isFirst, settled, type, reset, status: figure.locator('.status') };
}
async function graph(page) {
  const { figure, settled, type, reset, status } = await opened(page, '01_by_tape');
  const one = figure.getByRole('button', { name: 'Backward: one op' });
  await one.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press('Enter');
  say('01_by_tape: Enter steps to the end, and the focus stays', /3 of 3 ops/.test(await status.textContent()) && await one.evaluate(button => button === document.activeElement), [await status.textContent()]);
  say('01_by_tape: the arrow keys are named', /←.*→/.test(await figure.locator('.controls').textContent()));
  const names = () => figure.locator('.numbers label').evaluateAll(all => all.map(row => row.firstChild.textContent).join());
  await type('Formula', 'b * b');
  await figure.locator('.box').click();
  await page.keyboard.press('ArrowRight');
  say('01_by_tape: after a click on the picture, the arrow keys step', /1 of 1 op/.test(await status.textContent()), [await status.textContent()]);
  for (const [formula, words] of [['', 'such as 2 * x + 1'], ['2x', 'operation, such as *, is missing before "x"'], ['relu(x', 'a ) is missing at the end'], ['x)', 'a ) has no ('], ['v = x * w; x', 'end with one, such as x * w']]) {
    await type('Formula', formula);
    const refused = await figure.locator('.refusal').textContent();
    say(`01_by_tape: “${formula}”: says what is missing`, refused.includes(words), [refused]);
  }
  await type('Formula', 'x * w');
  await figure.locator('[name=x]').fill('5');
  await type('Formula', 'w * w');
  await type('Formula', 'w * x');
  say('01_by_tape: a name that comes back has its value', await figure.locator('[name=x]').inputValue() === '5');
  await reset();
  await figure.locator('.numbers input').nth(2).waitFor();
  say('01_by_tape: back to the printed order of the numbers', await names() === 'x,w,b', [await names()]);
  await type('Formula', 'a_name_of_Wide_letters_MMMMMMM = sigmoid(WWWWWWWWWWWWWWWWW * 0.000123456); exp(9 - a_name_of_Wide_letters_MMMMMMM) * -123456789 / WWWWWWWWWWWWWWWWW ^ 8');
  await settled();
  await figure.getByRole('button', { name: 'All' }).click();
  const outside = await figure.locator('.box svg').evaluate(svg => {
    const boxes = [...svg.querySelectorAll('rect')].map(rect => rect.getBBox());
    return [...svg.querySelectorAll('text')].filter(text => {
      const { x, y, width, height } = text.getBBox();
      return !boxes.some(box => x >= box.x && y >= box.y - 1 && x + width <= box.x + box.width && y + height <= box.y + box.height + 1);
    }).map(text => text.firstChild.textContent);
  });
  say('01_by_tape: long names and numbers are inside of their boxes', !outside.length && !await figure.locator('.refusal').textContent(), [...outside, await figure.locator('.refusal').textContent()]);
  await reset();
}
async function step(page) {
  const { figure, type, reset, status } = await opened(page, '06_step'), numbers = figure.locator('.box details');
  await type('f(x) =', 'log(x - 9)');
  await numbers.locator('summary').click();
  const [words, cells, marks] = [await status.textContent(), await numbers.locator('td').allTextContents(), await figure.locator('path.ends').count()];
  say('06_step: where f(x) does not exist, it says so and draws nothing', /does not exist/.test(words) && cells.every(text => text === 'not finite') && !marks, [words, cells[0], `${marks} lines`]);
  await reset();
}
async function descent(page) {
  const { figure, settled, isFirst, reset, status } = await opened(page, '12_descent'), shown = figure.locator('output').first();
  say('12_descent: the slider shows the rate', await shown.textContent() === '0.1585', [await shown.textContent()]);
  say('12_descent: start and lowest point are marked', (await figure.locator('svg .mark').count()) === 2);
  await figure.locator('[name=rate]').evaluate(slider => { slider.value = 0; slider.dispatchEvent(new Event('input', { bubbles: true })); });
  await settled();
  const lost = await figure.locator('.keys').textContent(), words = await status.textContent();
  say('12_descent: what diverges is named', await shown.textContent() === '1' && /SGD, diverged/.test(lost) && !/AdamW, diverged/.test(lost) && /valley SGD and momentum/.test(words), [await shown.textContent(), lost, words]);
  const edge = await figure.locator('svg:has(.height)').evaluate(svg => getComputedStyle(svg).overflow);
  say('12_descent: its line ends at the edge of the picture', ['hidden', 'clip'].includes(edge), [edge]);
  await reset();
  say('12_descent: back to the printed picture', await isFirst());
}
async function trained(page) {
  const run = await opened(page, '16_training');
  await run.figure.locator('textarea').fill('the lion and the mouse and the fox and the crow and the wolf and the lamb. '.repeat(12));
  await run.figure.getByRole('button', { name: 'Train', exact: true }).click();
  await run.status.filter({ hasText: 'done' }).waitFor({ timeout: 120000 });
  const writes = await page.evaluate(`engine.ask('18_next_token', 'model=yours\\ntext=the ')`);
  await page.goto(root + pageOf['08_heads']);
  const heads = await opened(page, '08_heads');
  await heads.type('Sentence', 'one two three four five six seven eight nine ten eleven');
  const refused = await heads.figure.locator('label:has([name=text]) + .refusal').textContent().catch(() => '');
  say('08_heads: a refusal stands at its field, and the picture is that of the last answer', /^11 words.*still/.test(refused) && await heads.isFirst(), [refused]);
  await heads.figure.locator('[name=model]').selectOption('yours');
  await heads.settled();
  const titles = await heads.figure.locator('.title').allTextContents(), off = await heads.figure.locator('input:disabled').evaluateAll(all => all.map(input => input.name).join());
  say('08_heads: the trained maps have titles, and controls without effect are off', titles.length > 0 && titles.every(title => /^Layer \d, head \d$/.test(title)) && off === 'scale,mask,seed', [...titles, off]);
  await heads.reset();
  say('08_heads: back to the printed picture from a trained model', await heads.isFirst() && !await heads.figure.locator('input:disabled').count());
  await page.goto(root + pageOf['18_next_token']);
  const next = await opened(page, '18_next_token');
  await next.figure.locator('[name=model]').selectOption('yours');
  await next.settled();
  const again = await page.evaluate(`engine.ask('18_next_token', 'model=yours\\ntext=the ')`);
  say('18_next_token: the model of chapter 16, trained again, has the same probabilities', again.said === writes.said, [again.said, writes.said]);
  await next.type('Beginning', 'the Ж🦊 lion');
  const words = await next.status.textContent();
  say('18_next_token: says which characters it leaves out', /you trained.*none of them: Ж 🦊\./.test(words) && await next.picture() !== next.first, [words]);
  await next.reset();
  say('18_next_token: back to the printed picture from a trained model', await next.isFirst());
}
held = 3000;
await Promise.all(names.filter(name => name !== '16_training').map(name => visit(pageOf[name], {}, async page => {
  const figure = page.locator(`[data-live="${name}"]`);
  await figure.scrollIntoViewIfNeeded();
  await page.waitForFunction(n => document.querySelector(`[data-live="${n}"]`).figure, name);
  await figure.evaluate(place => {
    const input = [...place.querySelectorAll('input, textarea')].at(-1);
    if (!input) return;
    input.value = input.type === 'range' ? input.max : 'x * x';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  const { settled } = await opened(page, name);
  await settled();
  await page.waitForTimeout(500);
  const [picture, chosen, refused] = await figure.evaluate(async ({ figure }) => [figure.said.textContent, (await engine.ask(figure.name, figure.choices())).said, figure.refusal.textContent]);
  say(`${name}: who cannot wait for the engine gets the picture of the controls`, picture === chosen && !refused, [picture, chosen, refused]);
})));
held = 0;
{
  const page = await browser.newPage(), name = '12_descent', figure = page.locator(`[data-live="${name}"]`);
  await page.goto(pathToFileURL(join(site, pageOf[name])).href);
  await figure.scrollIntoViewIfNeeded();
  await figure.filter({ hasText: 'a server' }).waitFor({ timeout: 5000 }).catch(() => {});
  const words = await figure.innerText();
  say('a page that is a file: says that it needs a server, and shows the printed state', words.includes('a server') && words.includes(readFileSync(join(live, `${name}.txt`), 'utf8').trim()) && !await figure.locator('input').count(), [words]);
  await page.close();
}
// A figure's place is kept: a link leads to it and to what is after it, and nothing moves while they come to life.
const missed = [], shifts = [];
for (const name of names)
  for (const [, id] of text(pageOf[name]).split(/<main/)[1].match(new RegExp(`id="[^"]+" data-live="${name}"[^]*?id="[^"]+"`))[0].matchAll(/id="([^"]+)"/g))
    for (const width of [390, 1280])
      await visit(`book/#${id}`, { width }, async page => {
        await page.waitForFunction(n => { const place = document.querySelector(`[data-live="${n}"]`); return place?.figure?.data && !place.figure.busy; }, name, { timeout: 60000 });
        const [shift, off] = await page.evaluate(id => new Promise(resolve => {
          let sum = 0;
          new PerformanceObserver(list => { for (const { value } of list.getEntries()) sum += value; }).observe({ type: 'layout-shift', buffered: true });
          const { scrollHeight } = document.documentElement, atEnd = () => scrollY + innerHeight > scrollHeight - 2;
          setTimeout(() => resolve([sum, atEnd() ? 0 : document.getElementById(id).getBoundingClientRect().top - 16]), 300);
        }), id);
        if (Math.abs(off) > 10) missed.push(`${id}, ${width}: ${off.toFixed()} points`);
        if (shift > 0.1) shifts.push(`${id}, ${width}: ${shift.toFixed(3)}`);
      });
say('book: links lead to live figures and to what is after them', !missed.length, missed);
say('book: at most a tenth of what is seen moves', !shifts.length, shifts);
const more = { '01_by_tape': graph, '06_step': step, '12_descent': descent, '16_training': trained };
for (const name of names)
  await visit(pageOf[name], {}, async page => {
    const { figure, settled, isFirst, reset } = await opened(page, name), there = readFileSync(join(live, `${name}.txt`), 'utf8');
    const said = () => figure.locator('pre').last().textContent();
    say(`${name}: says what the native program says`, await said() === there, [await said(), there]);
    for (const slider of await figure.locator('input[type=range]').all()) {
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowLeft');
    }
    await settled();
    let slowest = 0;
    for (const field of await figure.locator('input[type=text], textarea').all())
      for (const text of hostile) {
        const start = Date.now();
        await field.evaluate((input, value) => { input.value = value; input.dispatchEvent(new Event('input', { bubbles: true })); }, text);
        await settled();
        slowest = Math.max(slowest, Date.now() - start);
      }
    say(`${name}: what no reader chooses is answered within five seconds`, slowest < 5000, [`${slowest} ms`]);
    if (name === '01_by_tape') await figure.getByRole('button', { name: 'All' }).click();
    if (name === '08_heads') await figure.locator('select[aria-label=Head]').selectOption('head 2');
    if (await figure.getByRole('button', { name: 'As printed' }).count()) {  // speeds are not printed
      await reset();
      await page.waitForFunction(([n, text]) => [...document.querySelectorAll(`[data-live="${n}"] pre`)].at(-1).textContent === text, [name, there], { timeout: 60000 })
        .then(() => say(`${name}: back to what is printed`, true), async () => say(`${name}: back to what is printed`, false, [await said()]));
      if (['01_by_tape', '08_heads'].includes(name)) say(`${name}: and to that step or head`, await isFirst());
    }
    await accessible(page, name, '".live"');
    await more[name]?.(page);
  });
await visit(pageOf['01_by_tape'], {}, async page => {
  // Where two answers differ: numbers by more than float's digits, beside the largest of their list.
  const differ = (a, b, at, most = 0) => {
    if (typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) <= 1e-5 * Math.max(most, Math.abs(a)) : a === b) return '';
    if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return `${at}: ${a}, natively ${b}`;
    const largest = Array.isArray(a) ? Math.max(...a.filter(Number.isFinite).map(Math.abs), 0) : 0;
    return Object.keys({ ...a, ...b }).map(key => differ(a[key], b[key], `${at}.${key}`, largest)).find(Boolean) ?? '';
  };
  const natively = readFileSync(join(work, 'answers.txt'), 'utf8').split('\n').map(line => line && JSON.parse(line));
  for (const [i, block] of readFileSync(join(live, 'changed.txt'), 'utf8').trimEnd().split('\n\n').entries()) {
    const [, name, words, choices] = block.match(/^(\w+)( said)?\n([^]*)$/);
    const answer = { ...await page.evaluate(([figure, choices]) => engine.ask(figure, choices), [name, choices]), id: undefined, name: undefined };  // the worker's
    const difference = words ? differ(answer.said, natively[i].said, 'said') : differ(answer, natively[i], 'answer');
    say(`${name}, ${choices.replaceAll('\n', ', ').slice(0, 60)}: what the native program answers`, !difference, [difference]);
  }
  const worker = page.workers()[0], memory = () => worker.evaluate('engine.HEAPU8.length');
  const drag = count => page.evaluate(async count => {
    for (let i = 0; i < count; ++i) await engine.ask('01_by_tape', `formula=v = x * w + b; tanh(v * v)\nx=${i % 50 / 10}\nw=2\nb=1`);
  }, count);
  await drag(500);
  const before = await memory();
  await drag(5000);
  say('the engine takes no more memory after 5,500 answers than after 500', await memory() === before, [`${before}, ${await memory()}`]);
});
const onPhone = {
  async '01_by_tape'(page) {
    const tape = await opened(page, '01_by_tape'), one = tape.figure.getByRole('button', { name: 'Backward: one op' }), hidden = [];
    for (let i = 0; i < 3; i++) {
      await one.click();
      hidden.push(...await tape.figure.locator('.box .scrolls').evaluate(frame => {
        const { left, right } = frame.getBoundingClientRect();
        return [...frame.querySelectorAll('.added')].map(box => box.getBoundingClientRect()).filter(box => box.left < left - 1 || box.right > right + 1).map(box => `${box.left} to ${box.right}`);
      }));
    }
    say('01_by_tape: the boxes just added to are seen on a phone', !hidden.length, hidden);
  },
  async '03_memory'(page) {
    const bars = await opened(page, '03_memory');
    for (const name of ['rows', 'width']) await bars.figure.locator(`[name=${name}]`).evaluate(slider => { slider.value = slider.max; slider.dispatchEvent(new Event('input', { bubbles: true })); });
    await bars.settled();
    const cut = await bars.figure.locator('.box svg').evaluate(svg => [...svg.querySelectorAll('text')].filter(text => text.getBBox().x + text.getBBox().width > svg.viewBox.baseVal.width).map(text => text.textContent));
    say('03_memory: the longest texts are not cut', !cut.length, cut);
  },
  async '15_merging'(page) {
    const merging = await opened(page, '15_merging'), merges = merging.figure.locator('[name=merges]');
    await merging.type('Text', 'abab');
    say('15_merging: the slider ends at the last merge of the text', await merges.getAttribute('max') === '1' && await merges.inputValue() === '1', [await merges.getAttribute('max')]);
  },
  async '18_next_token'(page) {
    const next = await opened(page, '18_next_token');
    await next.figure.locator('[name=top_k]').evaluate(slider => { slider.value = 2; slider.dispatchEvent(new Event('input', { bubbles: true })); });
    await next.settled();
    const drawn = (await next.figure.locator('.box text').allTextContents()).flatMap(text => text.match(/→ (.*) %/)?.slice(1) ?? []).map(Number);
    say('18_next_token: what is left of how many, drawn with 100 % together', /: 2 of its \d+ tokens/.test(await next.status.textContent()) && drawn.length === 2 && Math.abs(drawn[0] + drawn[1] - 100) < 0.2, [await next.status.textContent(), ...drawn]);
  },
};
const small = [], low = [], drawings = [], above = [];
for (const path of pages)
  await visit(path, { width: 400 }, async page => drawings.push(...await page.$$eval('.drawing svg text', all => all.filter(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d < 10.99).map(text => text.textContent))));
say('no letter of a drawing is below 11 points on a phone', !drawings.length, drawings);
for (const name of names)
  await visit(pageOf[name], { width: 400 }, async page => {
    await opened(page, name);
    small.push(...await page.evaluate(n => {
      const place = document.querySelector(`[data-live="${n}"]`), size = element => parseFloat(getComputedStyle(element).fontSize) * (element.ownerSVGElement ? element.getScreenCTM().d : 1);
      for (const fold of place.querySelectorAll('details')) fold.open = true;
      return [...place.querySelectorAll('*')].filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && one.checkVisibility() && size(one) < 10.99)
        .map(one => `${n}: '${one.textContent.slice(0, 30)}' has ${size(one).toFixed(1)} points`);
    }, name));
    low.push(...await page.$$eval('[data-live] :is(button, select, input, textarea, summary)', all => all.map(one => [one, one.getBoundingClientRect()])
      .filter(([one, { width, height }]) => one.checkVisibility() && Math.min(width, height) < 24).map(([one, { width, height }]) => `${one.outerHTML.slice(0, 60)}: ${width} x ${height}`)));
    above.push(...await page.$$eval('[data-live] path.line', all => all.filter(path => path.closest('[data-series]') && path.getBBox().y < -1).map(path => path.closest('[data-series]').dataset.series)));
    say(`${name}: nothing scrolls the page sideways`, await narrow(page) <= 0);
    await onPhone[name]?.(page);
  });
say('no letter of a live figure is below 11 points on a phone', !small.length, small);
say('controls of a live figure are at least 24 points high and wide on a phone', !low.length, low);
say('no line begins above its axis', !above.length, above);
say('no errors, no requests to elsewhere', !trouble.length, trouble);
await browser.close();
server.close();
