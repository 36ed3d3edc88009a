// The charts against the record: each number of log.csv is in the table and in the picture, at its place.
import { open } from './open.mjs';
import { source } from './record.mjs';

// In the page: what each figure draws, in CSS pixels, and what its table says.
function extract() {
  const number = text => text.trim().replaceAll('\u2212', '-').replace(/[,\s\u00a0\u2009\u202f]/g, '');
  // 2.5K, 10M: beside an axis
  const thousands = text => text.replace(/^(-?[\d.]+)([KM])$/, (_, digits, unit) => String(digits * (unit === 'K' ? 1e3 : 1e6)));
  const centre = element => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  // Corners of a path of straight lines and dots.
  const corners = element => {
    const d = (element.getAttribute('d') || '').replaceAll('h0', '');
    if (/[^\sML\d.,eE+-]/.test(d)) return [];
    const all = (d.match(/[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/g) || []).map(Number);
    const points = all.flatMap((x, i) => i % 2 ? [] : [[x, all[i + 1]]]);
    const matrix = element.getScreenCTM();
    return points.map(([x, y]) => {
      const point = new DOMPoint(x, y).matrixTransform(matrix);
      return [point.x, point.y];
    });
  };
  // What the script says there.
  const said = (figure, clientX) => {
    figure.querySelector('.plot').dispatchEvent(new PointerEvent('pointermove', { clientX }));
    return figure.querySelector('output').textContent;
  };
  return [...document.querySelectorAll('figure[id]')].filter(figure => figure.querySelector('[data-series]')).map(figure => {
    const [head, ...rows] = [...figure.querySelector('table').rows].map(row => [...row.cells].map(cell => cell.textContent.trim()));
    const lines = [...figure.querySelectorAll('[data-series]')];
    return {
      id: figure.id,
      head,
      series: lines.map(line => line.dataset.series),
      // Of each series: how many corners it has, and how many numbers.
      counts: lines.map((line, i) => [corners(line.firstElementChild).length, rows.filter(row => row[i + 1]).length]),
      // A corner is a mark of its series' next number.
      marks: lines.flatMap((line, i) => {
        const numbered = rows.filter(row => row[i + 1]);
        return corners(line.firstElementChild).slice(0, numbered.length).map(([cx, cy], k) => ({ series: line.dataset.series,
          x: Number(number(numbered[k][0])), y: Number(number(numbered[k][i + 1])), cx, cy, alone: line.matches('.faint'),
          shown: line.checkVisibility({ visibilityProperty: true }),
          title: said(figure, cx) }));
      }),
      lines: [...figure.querySelectorAll('[data-series] path')].map(corners),
      labels: [...figure.querySelectorAll('svg text')].filter(text => text.checkVisibility()).map(text => {
        const [cx, cy] = centre(text);
        return { text: thousands(number(text.textContent)), cx, cy, height: text.getBoundingClientRect().height };
      }),
    };
  });
}

// Each value by a number of its own, with a reader's rounding: half a unit of the last digit shown.
function shows(text, ...values) {
  const numbers = [...text.replaceAll('\u2212', '-').replaceAll(',', '').matchAll(/-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?/gi)];
  return values.every(value => {
    const at = numbers.findIndex(([shown, , decimals = '', exponent = '0']) =>
      Number(shown) === value || Math.abs(Number(shown) - value) <= 0.501 * 10 ** (Number(exponent) - decimals.length));
    return at >= 0 && numbers.splice(at, 1);
  });
}

// The straight line through points by least squares: its rise, and how far the farthest point is from it.
export function straight(points) {
  const n = points.length, mean = i => points.reduce((sum, point) => sum + point[i], 0) / n;
  const mx = mean(0), my = mean(1);
  let xx = 0, xy = 0;
  for (const [x, y] of points) xx += (x - mx) ** 2, xy += (x - mx) * (y - my);
  if (xx === 0) return null;
  const rise = xy / xx, at = x => my + rise * (x - mx);
  const range = Math.max(...points.map(([, y]) => y)) - Math.min(...points.map(([, y]) => y));
  return { rise, at, my, range, worst: Math.max(...points.map(([x, y]) => Math.abs(y - at(x)))) };
}

// The same for an axis, which is linear or logarithmic: whichever fits.
function scale(points) {
  const linear = straight(points);
  const log = points.every(([x]) => x > 0) && straight(points.map(([x, place]) => [Math.log(x), place]));
  if (!linear || !log || linear.worst <= Math.max(log.worst, 0.05)) return linear && { ...linear, of: 'linear' };
  return { ...log, at: x => log.at(Math.log(x)), of: 'logarithmic' };
}

const close = (a, b) => Math.abs(a - b) <= 1e-4 * Math.max(Math.abs(a), Math.abs(b));
// The same number, but for the table's rounding: to four digits after the point, or six in all.
const rounded = (a, b) => Math.abs(a - b) <= 0.501 * (Math.abs(b) >= 1 && Math.abs(b) < 1000 ? 1e-4 : 1e-5 * Math.abs(b));
// What one list of points has and the other lacks; a point may occur twice.
function lacking(list, of) {
  const left = [...of];
  return list.filter(([x, y]) => {
    const at = left.findIndex(([ox, oy]) => rounded(x, ox) && rounded(y, oy));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function againstMean(marks, losses, wrong) {
  const reach = Math.floor(losses.length / 100), at = new Map(losses.map(([step], i) => [step, i]));
  for (const mark of marks) {
    const near = losses.slice(Math.max(0, at.get(mark.x) - reach), at.get(mark.x) + reach + 1);
    const mean = near.reduce((sum, [, loss]) => sum + loss, 0) / near.length;
    if (!close(mean, mark.y)) wrong.push(`training at ${mark.x}: ${mark.y} is not the mean, ${mean}`);
  }
}

// Marks of every column that the chart should show, and no others. The line through the losses of
// single updates is their mean over a fiftieth of them: no column.
function againstLog(chart, marks, runs, say) {
  const wrong = [];
  const shown = new Set();
  let rows = 0;
  for (const series of new Set(marks.map(mark => mark.series))) {
    if (series === 'training' && marks.some(mark => mark.alone)) {
      againstMean(marks.filter(mark => mark.series === series), runs[0].column('loss'), wrong);
      continue;
    }
    const from = source(chart.id, series, runs);
    if (!from) { wrong.push(`series '${series}' is no column of log.csv`); continue; }
    const of = `${from.run.name} ${from.column}`;
    if (shown.has(of)) wrong.push(`${of} is there twice`);
    shown.add(of);
    const drawn = marks.filter(mark => mark.series === series).map(mark => [mark.x, mark.y]);
    const logged = from.run.column(from.column);
    rows += logged.length;
    // Of more than these the chart shows some, and says so.
    const all = logged.length <= 333;
    for (const item of all ? lacking(logged, drawn) : []) wrong.push(`${of}: ${item} is in log.csv and not a mark of '${series}'`);
    for (const item of lacking(drawn, logged)) wrong.push(`${of}: ${item} is a mark of '${series}' and not in log.csv`);
  }
  for (const run of runs) {
    const columns = chart.id === 'loss' ? (runs.length > 1 ? ['val_loss'] : ['loss', 'val_loss'])
      : runs.length > 1 ? [] : [chart.id.replaceAll('-', '_')];
    for (const column of columns)
      if (!shown.has(`${run.name} ${column}`) && run.column(column).length) wrong.push(`${run.name} ${column} is not shown`);
  }
  say(`${chart.id}: log.csv, ${rows} numbers: each is a mark (or, of more than 333, some are), each mark is one of them`, !wrong.length, wrong);
}

// A table of the numbers: a column for each series, in which each is a corner of its line.
function againstTable({ id, head, series, counts, marks }, say) {
  const wrong = counts.flatMap(([corners, numbers], i) => corners === numbers ? [] : [`${series[i]}: ${corners} corners for ${numbers} numbers`]);
  if (head.slice(1).join() !== series.join()) wrong.push(`columns ${head.slice(1)}, lines ${series}`);
  say(`${id}: table, ${marks.length} numbers: the corners'`, !wrong.length && marks.length > 0, wrong);
}

// Marks, lines and labels are where their numbers say.
function places(chart, say, width) {
  const wrong = [];
  let worst = 0;
  const { marks, lines, labels } = chart;
  for (const mark of marks) {
    if (!mark.shown) wrong.push(`the mark of ${mark.series} at ${mark.x} is not to be seen`);
    if (width === 800 && !shows(mark.title, mark.x, mark.y)) wrong.push(`${mark.x}, ${mark.y} has the title '${mark.title}'`);
  }
  const across = scale(marks.map(mark => [mark.x, mark.cx]));
  const down = scale(marks.map(mark => [mark.y, mark.cy]));
  for (const [axis, line, sign] of [['x', across, 1], ['y', down, -1]]) {
    if (!line) continue;
    worst = Math.max(worst, line.worst);
    if (line.worst >= 0.5) wrong.push(`a mark is ${line.worst.toFixed(2)} pixels from where its ${line.of} ${axis} is`);
    if (Math.sign(line.rise) !== sign) wrong.push(`${axis} grows the wrong way`);
  }
  // The lines turn at the marks and nowhere else.
  const near = (mark, [x, y]) => Math.abs(mark.cx - x) < 0.5 && Math.abs(mark.cy - y) < 0.5;
  const drawn = lines.filter(line => line.filter(point => marks.some(mark => near(mark, point))).length * 2 > line.length);
  for (const line of drawn)
    for (const point of line)
      if (!marks.some(mark => near(mark, point))) wrong.push(`a line has a corner at ${point.map(x => x.toFixed(1))}, where no mark is`);
  for (const series of new Set(marks.map(mark => mark.series))) {
    const own = marks.filter(mark => mark.series === series);
    if (own.length < 2 || own[0].alone) continue;
    for (const mark of own)
      if (!drawn.some(line => line.some(point => near(mark, point)))) wrong.push(`no line goes through ${series} at ${mark.x}`);
  }
  // A number beside an axis is at its place on that axis, to half its height; and what marks near each
  // other, whose places are known to a twentieth of a pixel, tell of places far from them.
  const off = (axis, value, place) => Math.abs(axis.at(value) - place) - 0.05 * Math.abs(place - axis.my) / axis.range;
  for (const label of labels) {
    if (!label.text || !Number.isFinite(Number(label.text)) || !across || !down) continue;
    const value = Number(label.text), limit = 0.5 * label.height + 1;
    if (!(off(across, value, label.cx) < limit || off(down, value, label.cy) < limit))
      wrong.push(`the label ${label.text} is where no ${label.text} is on either axis`);
  }
  say(`${chart.id}: ${width} wide: marks, lines and labels are at their places: to ${worst.toFixed(2)} pixels`, !wrong.length, wrong);
}

// Each head's rows of weights, one for each token, of the tokens up to it.
async function attention(page, say, expected) {
  const maps = await page.$$eval('figure.attention', figures => figures.map(({ dataset }) => ({ ...dataset })));
  const wrong = [];
  let rows = 0, worst = 0;
  for (const { layer, head, tokens, weights = '' } of maps) {
    const at = `layer ${layer}, head ${head}`;
    const matrix = weights.split(';').map(row => row.trim()).filter(row => row).map(row => row.split(/\s+/).map(Number));
    if (!matrix.length) wrong.push(`${at}: no weights`);
    if (/^\d+$/.test(tokens ?? '') && Number(tokens) !== matrix.length) wrong.push(`${at}: ${matrix.length} rows for ${tokens} tokens`);
    matrix.forEach((row, i) => {
      ++rows;
      const sum = row.reduce((a, b) => a + b, 0);
      worst = Math.max(worst, Math.abs(sum - 1));
      if (row.length !== i + 1 && row.length !== matrix.length) wrong.push(`${at}: row ${i} has ${row.length} weights`);
      if (row.slice(i + 1).some(weight => weight !== 0)) wrong.push(`${at}: row ${i} looks ahead`);
      if (!row.every(weight => weight >= 0 && weight <= 1)) wrong.push(`${at}: row ${i}: a weight outside 0 to 1`);
      if (!(Math.abs(sum - 1) <= 1e-3)) wrong.push(`${at}: row ${i} sums to ${sum}`);
    });
  }
  const names = new Set(maps.map(({ layer, head }) => `${layer} ${head}`));
  if (names.size !== maps.length) wrong.push('a head is there twice');
  if (expected !== undefined && maps.length !== expected) wrong.push(`${maps.length} heads, not ${expected}`);
  say(`attention: ${maps.length} maps, ${rows} rows that sum to 1: to ${worst.toExponential(1)}`, !wrong.length, wrong);
}

export async function numbers(browser, report, say) {
  for (const width of [800, 400])
    await open(browser, report.file, { width }, report.trouble, async page => {
      await page.evaluate(() => document.querySelectorAll('details:has(figure)').forEach(folded => { folded.open = true; }));
      const charts = await page.evaluate(extract);
      if (width === 800) {
        const logged = ['loss', 'learning-rate', 'gradient-norm'];
        const columns = id => id === 'loss' ? 'val_loss' : id.replaceAll('-', '_');
        // A comparison has the losses at least.
        const needed = report.runs.length > 1 ? ['loss'] : logged.filter(id => report.runs[0].column(columns(id)).length);
        const missing = needed.filter(id => !charts.some(chart => chart.id === id));
        say(`charts: ${charts.map(chart => chart.id).join(', ')}`, !missing.length, missing.map(id => `figure#${id} is missing, or has no marks`));
        for (const chart of charts) {
          const { marks } = chart;
          if (logged.includes(chart.id)) againstLog(chart, marks, report.runs, say);
          againstTable(chart, say);
        }
        await attention(page, say, report.heads);
      }
      for (const chart of charts) places(chart, say, width);
    });
}
