// A run's own files, read without any code of gradus.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

// '== step 25, 200 bytes ==', a line feed, 200 bytes, a line feed. Broken UTF-8 becomes U+FFFD.
function readSamples(path) {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path), texts = [];
  for (let at = 0; at < bytes.length;) {
    const begin = bytes.indexOf('\n', at) + 1, head = /^== step (\d+), (\d+) bytes ==$/.exec(bytes.toString('latin1', at, begin - 1));
    if (!head) throw new Error(`${path}: byte ${at}: no head of a sample`);
    at = begin + Number(head[2]) + 1;
    texts.push(bytes.toString('utf8', begin, at - 1));
  }
  return texts;
}

export function readRun(directory) {
  const [header, ...rows] = readFileSync(join(directory, 'log.csv'), 'utf8').trimEnd().split('\n').map(line => line.split(','));
  return {
    name: basename(directory),
    header,
    // Of a column: [step, value] of each row that has a value.
    column(name) {
      const at = header.indexOf(name);
      return rows.map(row => [Number(row[0]), row[at]])
        .filter(([, text]) => text && Number.isFinite(Number(text))).map(([x, text]) => [x, Number(text)]);
    },
    samples: readSamples(join(directory, 'samples.txt')),
  };
}

// The mean of each value and those around it, `share` of all in width.
export function means(points, share) {
  const reach = Math.floor(points.length * share / 2);
  return points.map(([x], i) => {
    const around = points.slice(Math.max(0, i - reach), i + reach + 1);
    return [x, around.reduce((sum, [, y]) => sum + y, 0) / around.length];
  });
}

// What a page's charts must show: for each chart its series, for each series its name and points [step, value]. The
// records' numbers are log.csv's; speed and context are measured for the page, and its data's.
export function expected(runs, data, share = 0.02) {
  const isOne = runs.length === 1, zip = (x, y) => x.map((at, i) => [at, y[i]]), found = {};
  const put = (chart, name, points) => { if (points.length) (found[chart] ??= []).push({ name, points }); };
  runs.forEach((run, i) => {
    const { name, speed, context } = data.runs[i];
    const each = (chart, column, label) => put(chart, isOne ? label : name, run.column(column));
    if (isOne) {
      each('loss', 'loss', 'each update');
      put('loss', 'training', means(run.column('loss'), share));
    }
    each('loss', 'val_loss', 'validation');
    if (!isOne) put('loss', `${name}, training`, run.column('train_loss'));
    each('learning-rate', 'learning_rate', 'learning rate');
    each('gradient-norm', 'gradient_norm', 'gradient norm');
    if (isOne) put('gradient-norm', 'smoothed norm', means(run.column('gradient_norm'), share));
    put('speed', isOne ? 'tokens per second' : name, zip(speed.step, speed.tokens_per_second));
    if (!isOne || !context) return;
    put('position-loss', 'this model', zip(context.from.map((from, k) => (from + context.to[k]) / 2), context.loss));
    put('position-loss', 'n-grams', context.ngrams.map((loss, k) => [k + 1, loss]));
  });
  return found;
}
// The data in a page.
export const readData = page => page.evaluate(() => JSON.parse(document.getElementById('data').textContent));
