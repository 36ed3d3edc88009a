// The page in use: zoom, legend, axes, smoothing, keys, touch, units, the address, samples, heads, results.
import { readFileSync, writeFileSync } from 'node:fs';
import { axis, drag, near, parsed, point, range, read, readOne, settled } from './chart.mjs';
import { dataOf, withData } from './file.mjs';
import { open } from './open.mjs';
import { places } from './numbers.mjs';
import { expected, readData } from './record.mjs';

const shared = charts => charts.filter(({ id }) => id !== 'position-loss');
// Whether two views of x are the same, to a share of their width.
const alike = (a, b, share = 0.005) => a.every((end, i) => Math.abs(end - b[i]) <= share * (b[1] - b[0]));
const longest = wanted => [...wanted.loss].sort((a, b) => b.points.length - a.points.length)[0].points.map(([x]) => x);

// The place of a step on the x axis that the charts have; null: nowhere.
function along(run, over, step, unit) {
  if (over === 'step') return step;
  if (over === 'tokens') return step * run.tokens_per_update;
  if (over === 'flops') return step * run.flops_per_update;
  const { step: steps, seconds } = run.times, after = steps.findIndex(one => one >= step);
  if (!steps.length || step < steps[0]) return null;
  if (after <= 0) return (after < 0 ? seconds.at(-1) : seconds[0]) / unit;
  const share = (step - steps[after - 1]) / (steps[after] - steps[after - 1]);
  return (seconds[after - 1] + share * (seconds[after] - seconds[after - 1])) / unit;
}
const secondsOf = data => Math.max(...data.runs.map(run => run.times.seconds.at(-1) ?? 0)) < 180 ? 1 : 60;
// The series of a report over another x, and in another unit.
function moved(wanted, data, over, divisors = null) {
  return Object.fromEntries(Object.entries(wanted).map(([id, series]) => [id, id === 'position-loss' ? series : series.map(({ name, points }) => {
    const i = Math.max(0, data.runs.findIndex(run => run.name === name || `${run.name}, training` === name)), by = id === 'loss' && divisors ? divisors[i] : 1;
    return { name, points: points.map(([step, y]) => [along(data.runs[i], over, step, secondsOf(data)), y / by]).filter(([x]) => x !== null) };
  })]));
}
function placesOfAll(charts, wanted, options, wrong) {
  const drawable = shared(charts).filter(({ id }) => !options.logX || wanted[id]?.some(({ points }) => points.some(([x]) => x > 0)));
  for (const chart of drawable)
    wrong.push(...places(chart, wanted[chart.id] ?? [], { ...options, thinned: true, logY: options.logY && chart.id === 'loss' }).map(line => `${chart.id}: ${line}`));
}

async function zoom(page, wanted, wrong) {
  const [first, ...others] = shared(await read(page)), whole = range(first), [low, high] = whole;
  const dragged = [0.3, 0.6].map(share => low + share * (high - low));
  await drag(page, 'loss', 0.3, 0.6);
  for (const chart of shared(await read(page))) {
    if (!alike(range(chart), dragged)) wrong.push(`${chart.id}: ${range(chart)} is in view, not ${dragged}`);
    const down = axis(chart.axes[1]), { height } = chart.box;
    const ys = (wanted[chart.id] ?? []).flatMap(({ points }) => points.filter(([x]) => x >= dragged[0] && x <= dragged[1])).map(([, y]) => down.at(y));
    if (ys.some(y => y < -1 || y > height + 1)) wrong.push(`${chart.id}: what is in view is not in the picture`);
    if (chart.id === 'loss' && ys.length > 5 && Math.max(...ys) - Math.min(...ys) < 0.4 * height) wrong.push(`${chart.id}: y does not fit`);
  }
  await drag(page, 'loss', 0.8, 0.2);
  await page.locator('#loss .plot').dblclick();
  if (!alike(range(await readOne(page, 'loss')), dragged)) wrong.push('a double click is not undo');
  await page.keyboard.press('Escape');
  if (!alike(range(await readOne(page, 'loss')), whole)) wrong.push('Escape does not show all');
  await drag(page, others[0]?.id ?? 'loss', 0.5, 0.7);
  await page.click('#whole');
  if (!alike(range(await readOne(page, 'loss')), whole)) wrong.push('the button does not show the whole run');
}

async function legend(page, _, wrong) {
  for (const { name } of (await readOne(page, 'loss')).legend) {
    const at = (await readOne(page, 'loss')).legend.findIndex(one => one.name === name);
    const had = shared(await read(page)).map(({ id, lines }) => [id, lines.some(one => one.name === name)]);
    for (const isHidden of [true, false]) {
      await page.locator('#loss .legend button').nth(at).click();
      for (const [id, has] of had) {
        const chart = await readOne(page, id), pressed = chart.legend.find(one => one.name === name)?.pressed;
        if (chart.lines.some(one => one.name === name) !== (has && !isHidden)) wrong.push(`${id}: ${name} is ${isHidden ? 'still' : 'not'} there`);
        if (has && pressed !== String(!isHidden)) wrong.push(`${id}: ${name}: aria-pressed ${pressed}`);
      }
    }
  }
}

async function axes(page, wanted, wrong) {
  for (const [logX, logY] of [[true, false], [true, true], [false, true], [false, false]]) {
    await page.setChecked('#log-x', logX);
    await page.setChecked('#log-y', logY);
    placesOfAll(await read(page), wanted, { logX, logY }, wrong);
  }
}

async function smoothing(page, wanted, wrong, { runs, data }) {
  if (await page.inputValue('#smoothing') !== '2') wrong.push(`${await page.inputValue('#smoothing')} % at first`);
  for (const percent of [0, 10, 20, 2]) {
    await page.locator('#smoothing').fill(String(percent));
    placesOfAll(await read(page), expected(runs, data, percent / 100), {}, wrong);
    if (await page.textContent('#smoothed') !== `${percent} %`) wrong.push(`${percent}: it is said ${await page.textContent('#smoothed')}`);
  }
}

async function keyboard(page, wanted, wrong) {
  const steps = longest(wanted), n = steps.length, many = Math.max(1, Math.round(n / 20)), whole = range(await readOne(page, 'loss'));
  await page.locator('#loss .plot').focus();
  let at = 0;
  const by = { Home: -n, ArrowRight: 1, ArrowLeft: -1, PageUp: -many, PageDown: many, End: n };
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'PageDown', 'PageDown', 'PageUp', 'End', 'ArrowRight', 'PageUp']) {
    await page.keyboard.press(key);
    at = Math.min(Math.max(at + by[key], 0), n - 1);
    const { said } = await readOne(page, 'loss'), step = parsed(/([\d,.]+):/.exec(said)?.[1] ?? '');
    if (step !== steps[at]) wrong.push(`${key}: '${said}', not ${steps[at]}`);
  }
  await page.keyboard.press('+');
  const [low, high] = range(await readOne(page, 'loss'));
  if (!near(high - low, (whole[1] - whole[0]) / 2, 0.02)) wrong.push(`+: from ${low} to ${high}, before ${whole}`);
  await page.keyboard.press('+');
  await page.keyboard.press('-');
  if (!alike(range(await readOne(page, 'loss')), [low, high])) wrong.push('- is not undo');
  await page.keyboard.press('Escape');
  if (!alike(range(await readOne(page, 'loss')), whole)) wrong.push('Escape does not show all');
}

async function touch(page, wanted, wrong) {
  const help = await page.innerText('#curves > .note');
  if (!/finger/.test(help) || /Drag|Keys/.test(help)) wrong.push(help);
  await page.locator('#loss .plot').scrollIntoViewIfNeeded();
  const session = await page.context().newCDPSession(page), { box, axes: [marks] } = await readOne(page, 'loss');
  const y = box.top + box.height / 2;
  await page.touchscreen.tap(box.left + 0.4 * box.width, y);
  const { said, cursor } = await readOne(page, 'loss'), gap = Math.max(2, box.width / longest(wanted).length);
  if (!said || !(Math.abs(cursor - 0.4 * box.width) <= gap) && longest(wanted).length > 3) wrong.push(`a tap: the cursor is at ${cursor}: ${said}`);
  const send = (type, share) => session.send('Input.dispatchTouchEvent', { type,
    touchPoints: share === null ? [] : [{ x: box.left + share * box.width, y }] });
  await send('touchStart', 0.2);
  for (const share of [0.3, 0.4, 0.5, 0.6]) await send('touchMove', share);
  await send('touchEnd', null);
  const dragged = [0.2, 0.6].map(share => axis(marks).value(share * box.width));
  if (!alike(range(await readOne(page, 'loss')), dragged, 0.02)) wrong.push(`a drag: ${range(await readOne(page, 'loss'))} is in view, not ${dragged}`);
}

// The tip is beside the cursor, inside the chart, a line for each number; below the other charts the reading is one line.
async function tips(page, _, wrong) {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const { id, box } of shared(await read(page)))
      for (const share of [0.05, 0.45, 0.95]) {
        await point(page, id, share * box.width);
        await settled(page);
        wrong.push(...await page.evaluate(id => [...document.querySelectorAll('.tip:not(:empty)')].filter(tip => tip.checkVisibility()).flatMap(tip => {
          const [own, plot, cursor] = [tip, tip.parentElement, tip.parentElement.querySelector('.cursor path') ?? tip].map(one => one.getBoundingClientRect());
          const isHere = tip.closest('figure').id === id, due = isHere ? tip.textContent.split('\n').length : 1;
          const isPlaced = isHere ? Math.min(Math.abs(own.left - cursor.left), Math.abs(own.right - cursor.left)) < 20 && own.top < cursor.bottom : own.top >= plot.bottom - 1;
          return isPlaced && own.left > plot.left - 1 && own.right < plot.right + 1 && Math.floor(own.height / parseFloat(getComputedStyle(tip).lineHeight)) === due
            ? [] : [`${innerWidth} wide, ${id}: ${tip.textContent.replace(/\n/g, ' ')}: ${JSON.stringify(own)}`];
        }), id));
      }
  }
}
// A first value far above the others: its line is marked at the top.
async function cut(page, _, wrong, { browser, report }) {
  const source = readFileSync(report.file, 'utf8'), file = report.file.replace(/\.html$/, '-cut.html'), json = JSON.parse(source.match(dataOf)[0]);
  for (const { evaluations } of json.runs) evaluations.val[0] = 99;
  writeFileSync(file, withData(source, json));
  const { cuts } = await open(browser, file, { view: '#unit=nats' }, report.trouble, marked => readOne(marked, 'loss'));
  if (cuts < json.runs.length && json.runs.every(run => run.evaluations.count > 1)) wrong.push(`${cuts} marks`);
}
// Runs on different texts: a warning, and a heading in the legend for each text.
async function texts(page, _, wrong, { data: { runs } }) {
  const due = [...new Set(runs.map(run => run.text.validation))].map(text =>
    [text, ...runs.filter(run => run.text.validation === text).flatMap(({ name }) => [name, `${name}, training`])].join());
  const found = (await page.$$eval('#loss .legend > *', all => all.map(one => (one.matches('.group') ? '\n' : ',') + one.textContent))).join('').trim();
  if (found !== due.join('\n')) wrong.push(found);
  for (const id of ['warning', 'apart']) if (!/different texts/.test(await page.innerText(`#${id}`))) wrong.push(`#${id} does not warn`);
}

async function units(page, wanted, wrong, { data }) {
  for (const over of ['tokens', 'time', 'flops', 'step']) {
    if (over === 'time' && !data.runs.every(run => run.times.step.length)) continue;
    await page.selectOption('#over', over);
    placesOfAll(await read(page), moved(wanted, data, over), {}, wrong);
  }
  for (const [unit, key] of [['byte', 'bytes_per_token'], ['character', 'characters_per_token'], ['nats', null]]) {
    if (key && !data.runs.every(run => run.text[key])) continue;
    await page.selectOption('#unit', unit);
    placesOfAll(await read(page), moved(wanted, data, 'step', data.runs.map(run => key ? Math.LN2 * run.text[key] : 1)), {}, wrong);
  }
}

// Everything visible: each chart as it is drawn, and each control.
const view = async page => {
  await settled(page);
  return page.evaluate(() => ({
    charts: [...document.querySelectorAll('.plot')].filter(plot => plot.checkVisibility()).map(plot => plot.innerHTML),
    legends: [...document.querySelectorAll('.legend')].map(legend =>
      [...legend.children].map(button => button.getAttribute('aria-pressed') + button.textContent).join()),
    said: [...document.querySelectorAll('figure.chart output, #smoothed')].map(output => output.textContent),
    tools: [...document.querySelectorAll('#curves select, #curves input, #sample')].map(tool =>
      tool.type === 'checkbox' ? tool.checked : tool.value),
    texts: ['sample-text', 'head', 'looks', 'results-table'].map(id => document.getElementById(id).textContent),
    tokens: [...document.querySelectorAll('#tokens button, #heads button')].map(button => button.className + button.ariaChecked),
  }));
};
// The same except for the last digit of a place.
const decimals = /-?\d+\.\d+/g;
function sameText(a, b) {
  const [one, other] = [a, b].map(text => text.match(decimals) ?? []);
  return a.replace(decimals, '') === b.replace(decimals, '') && one.length === other.length &&
    one.every((text, i) => Math.abs(text - other[i]) < 0.11);
}
async function address(page, wanted, wrong, { browser, report }) {
  await page.selectOption('#over', 'tokens');
  await page.selectOption('#unit', 'byte').catch(() => {});
  await page.locator('#smoothing').fill('7.5');
  await page.setChecked('#log-y', true);
  await drag(page, 'loss', 0.25, 0.9);
  await point(page, 'loss', 120);
  await page.locator('#loss .legend button').first().click();
  if (await page.isVisible('#sample')) await page.locator('#sample').fill('1');
  if (await page.isVisible('#heads')) {
    await page.locator('#heads button').last().click();
    await page.locator('#tokens button').nth(3).click();
  }
  await page.waitForTimeout(400);
  const before = await view(page), hash = new URL(page.url()).hash;
  const after = await open(browser, report.file, { view: hash }, report.trouble, view);
  for (const key of Object.keys(before))
    before[key].map(String).forEach((value, i) => {
      const other = String(after[key][i]);
      if (!sameText(value, other)) wrong.push(`${key} ${i}: ${other.slice(0, 90)}, not ${value.slice(0, 90)}`);
    });
  if (Object.values(before).every(list => !list.length)) wrong.push('nothing is there');
  const bare = await open(browser, report.file, {}, report.trouble, view);
  if (JSON.stringify(bare.tools) === JSON.stringify(after.tools)) wrong.push(`the address ${hash} changes nothing`);
}

async function samples(page, _, wrong, { data: { runs: [run] } }) {
  if (!await page.isVisible('#sample')) return;
  for (const [i, step] of run.samples.step.entries()) {
    await page.locator('#sample').fill(String(i));
    const said = await page.textContent('#sample-step');
    if (/^\s*\n/.test(await page.textContent('#sample-text'))) wrong.push(`sample ${i} begins with a blank line`);
    if (await page.textContent('#sample-text') !== run.samples.text[i] ||
      !said.startsWith(`update ${step.toLocaleString('en')}`)) wrong.push(`sample ${i}, of step ${step}: '${said}'`);
  }
}

// Each head's map and the weights of a token in it, chosen by the mouse and by its button.
async function heads(page, _, wrong, { data: { runs: [{ attention }] } }) {
  for (const [layer, row] of attention?.layers.entries() ?? [])
    for (const [head, text] of row.entries()) {
      const at = `layer ${layer + 1}, head ${head + 1}`, n = text.split(';').length;
      const rows = text.split(';').map(weights => weights.split(' ').map(Number));
      await page.locator('#heads button').nth(layer * row.length + head).click();
      const { title, cells, checked } = await page.evaluate(() => ({ title: document.getElementById('head').textContent,
        cells: [...document.querySelectorAll('#map .cell')].map(cell => ['x', 'y', 'fill-opacity'].map(name => Number(cell.getAttribute(name)))),
        checked: [...document.querySelectorAll('#heads [aria-checked=true]')].map(button => button.textContent) }));
      if (title.toLowerCase() !== at || checked.join() !== at) wrong.push(`${at}: '${title}', chosen is ${checked}`);
      if (cells.length !== rows.flat().filter(weight => weight * 4 * n >= 1).length ||
        cells.some(([x, y, shade]) => !(Math.abs(shade - Math.sqrt(rows[y][x])) <= 0.006))) wrong.push(`${at}: its map is not its weights`);
      const token = (3 * head + layer + 2) % n;
      await page.locator('#tokens button').nth(token).click();
      const shown = await page.$$eval('#tokens button', all => all.map(button => /weight ([\d.]+)$/.exec(button.ariaLabel)?.[1]));
      if (shown.some((weight, i) => weight !== (rows[token][i] ?? 0).toFixed(2))) wrong.push(`${at}: token ${token + 1} has other weights: ${shown}`);
      const map = await page.locator('#map .frame').boundingBox(), cell = [Math.floor(token / 2), token];
      await page.mouse.move(map.x + (cell[0] + 0.5) * map.width / n, map.y + (cell[1] + 0.5) * map.height / n);
      const said = await page.textContent('#map output');
      const due = `(token ${cell[1] + 1}) looks at ${attention.tokens[cell[0]]} (${cell[0] + 1}): ${rows[cell[1]][cell[0]].toFixed(4)}`;
      if (!said.endsWith(due)) wrong.push(`${at}: '${said}' at ${cell}`);
    }
}

// At equal updates, tokens, time or FLOPs: the lowest validation loss up to where the shortest run ends.
async function results(page, _, wrong, { runs, data }) {
  for (const over of ['step', 'tokens', 'time', 'flops']) {
    await page.selectOption('#over', over);
    const all = runs.map((run, i) => run.column('val_loss').map(([step, loss]) => [along(data.runs[i], over, step, secondsOf(data)), loss]));
    const common = Math.min(...all.map(points => points.at(-1)[0])) * (1 + 1e-9);
    const lowest = all.map(points => Math.min(...points.filter(([x]) => x <= common).map(([, loss]) => loss)));
    const rows = await page.$$eval('#results-table tbody tr', found => found.map(row => [row.cells[0].textContent, row.cells[1].textContent]));
    data.runs.forEach(({ name }, i) => {
      const [loss, more = 0] = (rows.find(row => row[0] === name)?.[1] ?? '').split(' (+').map(parseFloat), least = Math.min(...lowest);
      if (!(Math.abs(loss - lowest[i]) <= 0.56e-4 && Math.abs(more - (lowest[i] - least)) <= 1.1e-4)) wrong.push(`${name} over ${over}: ${loss}, not ${lowest[i]}`);
    });
  }
}

const uses = {
  zoom: [zoom, 'a drag zooms all charts, y fits, double click, Escape and the button go back'],
  legend: [legend, 'a name in the legend hides its line in every chart'],
  axes: [axes, 'logarithmic axes'], smoothing: [smoothing, 'smoothing of 0 to 20 %'],
  keyboard: [keyboard, 'keys move the cursor and zoom'], touch: [touch, 'a tap moves the cursor, a drag zooms, help speaks of the finger'],
  tips: [tips, 'a tip beside the cursor, a line below the other charts'], cut: [cut, 'lines that are cut are marked'],
  texts: [texts, 'runs on different texts, by text, with a warning'],
  units: [units, 'over tokens, time and FLOPs, in bits'], address: [address, 'the address keeps the view'],
  samples: [samples, 'the slider shows each sample'],
  heads: [heads, 'each head and a token in it'], results: [results, 'results at equal updates, tokens, time and FLOPs'],
};

export async function interact(browser, report, say) {
  const isOne = report.runs.length === 1;
  for (const [name, [use, what]] of Object.entries(uses)) {
    if (report.uses && !report.uses.includes(name)) continue;
    const wrong = [];
    const isDone = await open(browser, report.file, { touch: name === 'touch' }, report.trouble, async page => {
      const data = await readData(page), wanted = expected(report.runs, data);
      if (name === 'texts' ? isOne || data.comparison.same_text : name === 'results' ? isOne || !data.comparison.same_text : name !== 'samples' && name !== 'heads' && !wanted.loss) return false;
      if (name === 'smoothing' && !isOne) return false;
      await use(page, wanted, wrong, { browser, report, runs: report.runs, data });
      return true;
    });
    if (isDone) say(`use: ${what}`, !wrong.length, wrong);
  }
}
