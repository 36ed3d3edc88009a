// The charts against the record: each number of log.csv is in the data, in the table and in the picture, at its place,
// and the cursor shows it.
import { axis, near, parsed, point, read, rounded, settled } from './chart.mjs';
import { open } from './open.mjs';
import { expected, readData } from './record.mjs';

// The largest number of rows that the page's data keeps of a record, and the key with the number of
// all rows.
const records = [['loss', 'updates', 'loss', 8000], ['learning_rate', 'learning_rate', 'value', 500], ['gradient_norm', 'gradient_norm', 'value', 2000],
  ['train_loss', 'evaluations', 'train', 1000], ['val_loss', 'evaluations', 'val', 1000]];
const same = (value, logged) => near(value, logged, 0.501e-5);

function againstLog(runs, data, say) {
  const wrong = [];
  let count = 0;
  runs.forEach((run, i) => {
    for (const [column, key, values, most] of records) {
      const logged = run.column(column), { step: steps, [values]: kept, count: all } = data.runs[i][key], of = new Map(logged);
      count += logged.length;
      if (all !== logged.length) wrong.push(`${run.name} ${column}: ${all} are said to be there, of ${logged.length}`);
      if (steps.length !== Math.min(most, logged.length)) wrong.push(`${run.name} ${column}: ${steps.length} of ${logged.length} are kept`);
      steps.forEach((step, k) => { if (!same(kept[k], of.get(step))) wrong.push(`${run.name} ${column} at ${step}: ${kept[k]}, not ${of.get(step)}`); });
      if (logged.length && (steps[0] !== logged[0][0] || steps.at(-1) !== logged.at(-1)[0])) wrong.push(`${run.name} ${column}: without its ends`);
    }
  });
  say(`data: the ${count} numbers of log.csv`, !wrong.length, wrong);
}

// The folded table of a chart: a row for each step, at most a thousand.
async function againstTable(page, id, series, thinned, say) {
  const [head, ...rows] = await page.locator(`#${id} table`).evaluate(table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent)));
  const wrong = [], steps = new Set(series.flatMap(({ points }) => points.map(([x]) => x)));
  if (rows.length > 1001) wrong.push(`${rows.length} rows`);
  if (steps.size <= 1000 && !thinned && rows.length !== steps.size) wrong.push(`${rows.length} rows for ${steps.size} steps`);
  if (head.slice(1).join('\n') !== series.map(({ name }) => name).join('\n')) wrong.push(`columns ${head.slice(1)}, not ${series.map(({ name }) => name)}`);
  series.forEach(({ name, points }, i) => {
    const of = new Map(points);
    for (const row of rows) {
      const step = parsed(row[0]), value = of.get(step) ?? [...of].find(([x]) => rounded(step, x))?.[1];
      if (row[i + 1] === '' ? value !== undefined && !thinned : !rounded(parsed(row[i + 1]), value)) wrong.push(`${name} at ${row[0]}: '${row[i + 1]}', not ${value}`);
    }
  });
  say(`${id}: table, ${rows.length} rows: the numbers`, !wrong.length && rows.length > 0, wrong);
}

// Whether each number has a corner, unless others share its column of pixels, which then reach as high and as low; and
// each corner a number.
function againstCorners(name, corners, points, across, down, isWhole, wrong) {
  const places = points.map(([x, y]) => [across.at(x), down.at(y)]).filter(place => place.every(Number.isFinite)), off = 0.6;
  const columns = new Map();
  for (const corner of corners) for (const x of [-1, 0, 1]) {
    const key = Math.floor(corner[0]) + x;
    columns.set(key, [...columns.get(key) ?? [], corner]);
  }
  places.forEach(([x, y], i) => {
    const close = (columns.get(Math.floor(x)) ?? []).filter(([cx]) => Math.abs(cx - x) < 1.2);
    const isAlone = [places[i - 1], places[i + 1]].every(other => !other || Math.abs(other[0] - x) > 1.2);
    const found = isAlone ? close.some(([cx, cy]) => Math.abs(cx - x) < off && Math.abs(cy - y) < off)
      : close.some(([, cy]) => cy <= y + off) && close.some(([, cy]) => cy >= y - off);
    if (isWhole && !found) wrong.push(`${name}: ${points[i]} has no corner at ${x.toFixed(1)} ${y.toFixed(1)}`);
  });
  let i = 0;
  for (const [x, y] of corners) {
    while (i < places.length && places[i][0] < x - off) ++i;
    let k = i;
    while (k < places.length && places[k][0] <= x + off && Math.abs(places[k][1] - y) >= off) ++k;
    if (k >= places.length || places[k][0] > x + off) wrong.push(`${name}: a corner at ${x.toFixed(1)} ${y.toFixed(1)}, where no number is`);
  }
}

// Marks, lines and levels are where their numbers say. isWhole: the whole of x is in view.
export function places(chart, series, { logX = false, logY = false, isWhole = true, thinned = false } = {}) {
  const wrong = [], [across, down] = [axis(chart.axes[0], logX), axis(chart.axes[1], logY)];
  for (const [of, marks, limit] of [[across, chart.axes[0], 3], [down, chart.axes[1], 2]]) {
    if (marks.length < 2) wrong.push(`${marks.length} marks of an axis`);
    if (!(of.worst < 0.3)) wrong.push(`a mark is ${of.worst.toFixed(2)} pixels beside its axis: ${marks.map(({ text }) => text)}`);
    for (const { text, line, middle } of marks) if (!(Math.abs(line - middle) < limit)) wrong.push(`the mark ${text} is ${(line - middle).toFixed(1)} pixels beside its line`);
  }
  if (!(across.rise > 0 && down.rise < 0)) wrong.push('an axis grows the wrong way');
  const wanted = series.map(({ name }) => name).sort().join('\n'), drawn = chart.lines.map(({ name }) => name).sort().join('\n');
  if (drawn !== wanted) wrong.push(`lines ${drawn}, not ${wanted}`);
  for (const { name, hasDots, paths } of chart.lines) {
    const points = (series.find(one => one.name === name)?.points ?? []).filter(([x, y]) => (!logX || x > 0) && (!logY || y > 0));
    paths.forEach(corners => againstCorners(name, corners, points, across, down, isWhole && !thinned, wrong));
    if (hasDots && points.length <= 60 && isWhole && !thinned && paths.length < 2) wrong.push(`${name}: ${points.length} numbers without dots`);
  }
  const isCut = ([x, y]) => down.at(y) < -0.6 && across.at(x) > -0.6 && across.at(x) < chart.box.width + 0.6;
  const cuts = series.filter(({ points }) => points.some(isCut)).length;
  if (!logY && !thinned && chart.cuts !== cuts) wrong.push(`${chart.cuts} marks of lines that are cut, not ${cuts}`);
  for (const { d, at, text } of chart.levels) {
    const value = /[\d.]+(e[-+]\d+)?$/.exec(text.replaceAll(',', ''))?.[0];
    if (d.includes('h') && !(Math.abs(down.at(Number(value)) - at[1]) < 0.6)) wrong.push(`the level '${text}' is at ${at[1]}`);
  }
  return wrong;
}

// The pointer over one chart: in all of them the numbers at that step.
async function cursor(page, wanted, isThinned, say) {
  const wrong = [], [longest] = [...wanted.loss].sort((a, b) => b.points.length - a.points.length), { points } = longest;
  const some = [...new Set([0, 0.07, 0.31, 0.5, 0.77, 1].map(share => Math.round(share * (points.length - 1))))].map(i => points[i][0]);
  let told = 0;
  for (const step of some) {
    const before = (await read(page)).find(({ id }) => id === 'loss'), place = axis(before.axes[0]).at(step);
    await point(page, 'loss', Math.min(Math.max(place, 0.5), before.box.width - 0.5));
    const charts = (await read(page)).filter(({ id }) => id !== 'position-loss'), said = parsed(/^\D*([\d,.]+):/.exec(charts[0].said)?.[1] ?? '');
    if (!(Math.abs(axis(before.axes[0]).at(said) - place) <= 1)) wrong.push(`at ${step} it is said: ${charts[0].said}`);
    for (const chart of charts) {
      const at = axis(chart.axes[0]).at(said);
      if (at > 1 && at < chart.box.width - 1 && !(Math.abs(chart.cursor - at) < 0.6)) wrong.push(`${chart.id}: the cursor of ${said} is at ${chart.cursor}`);
      for (const { name, points: own } of wanted[chart.id] ?? []) {
        const at = own.filter(([x]) => x <= said).at(-1) ?? own[0], value = chart.said.split('\n').find(line => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
        ++told;
        if (isThinned(chart.id)) continue;
        if (!rounded(parsed(value), at[1])) wrong.push(`${chart.id}, ${name} at ${said}: ${value}, not ${at[1]}`);
        const isSeen = chart.dots.some(([x, y]) => Math.abs(x - axis(chart.axes[0]).at(at[0])) < 0.6 && Math.abs(y - axis(chart.axes[1]).at(at[1])) < 0.6);
        const down = axis(chart.axes[1]).at(at[1]);
        if (!isSeen && down > 1 && down < chart.box.height - 1) wrong.push(`${chart.id}: ${name} has no dot at ${at}`);
      }
    }
  }
  say(`cursor: ${told} numbers, at ${some.length} steps in all charts at once`, !wrong.length && told > 0, wrong);
}

// Each head's rows of weights, one for each token, of the tokens up to it.
function attention({ attention: found, model }, say, heads) {
  const wrong = [], all = found?.layers.flat() ?? [];
  let rows = 0, worst = 0;
  all.forEach((text, h) => text.split(';').map(row => row.split(' ').map(Number)).forEach((row, i, matrix) => {
    const sum = row.reduce((a, b) => a + b, 0);
    ++rows;
    worst = Math.max(worst, Math.abs(sum - 1));
    if (matrix.length !== found.tokens.length) wrong.push(`head ${h}: ${matrix.length} rows for ${found.tokens.length} tokens`);
    if (row.length !== (model.causal ? i + 1 : matrix.length)) wrong.push(`head ${h}: row ${i} has ${row.length} weights`);
    if (!row.every(weight => weight >= 0 && weight <= 1)) wrong.push(`head ${h}: row ${i}: a weight outside 0 to 1`);
    if (!(Math.abs(sum - 1) <= 2e-3)) wrong.push(`head ${h}: row ${i} sums to ${sum}`);
  }));
  if (heads !== undefined && all.length !== heads) wrong.push(`${all.length} heads, not ${heads}`);
  say(`attention: ${all.length} heads, ${rows} rows that sum to 1: to ${worst.toExponential(1)}`, !wrong.length, wrong);
}

export async function numbers(browser, report, say) {
  for (const width of report.isBrief ? [800] : [800, 400])
    await open(browser, report.file, { width }, report.trouble, async page => {
      const data = await readData(page), wanted = expected(report.runs, data), charts = await read(page);
      const isThinned = id => data.runs.some(({ learning_rate, gradient_norm, updates }) => ({ 'loss': updates.count > 8000,
        'learning-rate': learning_rate.count > 500, 'gradient-norm': gradient_norm.count > 2000 })[id]);
      for (const chart of charts) {
        const wrong = places(chart, wanted[chart.id] ?? [], { logX: chart.id === 'position-loss', thinned: isThinned(chart.id) });
        say(`${chart.id}: ${width} wide: marks, lines and corners are at their places`, !wrong.length, wrong);
      }
      if (width !== 800) return;
      const missing = Object.keys(wanted).filter(id => !charts.some(chart => chart.id === id));
      say(`charts: ${charts.map(({ id }) => id).join(', ')}`, !missing.length, missing.map(id => `figure#${id} is missing`));
      againstLog(report.runs, data, say);
      attention(data.runs[0], say, report.heads);
      if (wanted.loss) await cursor(page, wanted, isThinned, say);
      await page.evaluate(() => document.querySelectorAll('figure > details').forEach(folded => { folded.open = true; }));
      await settled(page);
      for (const { id } of charts) await againstTable(page, id, wanted[id] ?? [], isThinned(id), say);
    });
}
