// A run's own files, read by none of gradus's code.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

// '== step 25, 200 bytes ==', a line feed, so many bytes, a line feed. Broken UTF-8 becomes U+FFFD.
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

// The run and the column of log.csv that a chart's series shows; null: not a column of log.csv.
export function source(chart, series, runs) {
  const named = runs.filter(run => series.includes(run.name)).sort((a, b) => b.name.length - a.name.length);
  const run = runs.length === 1 ? runs[0] : named[0];
  if (!run) return null;
  const kind = runs.length === 1 ? series : series.replace(run.name, '');
  const column = chart === 'loss' ? (/each update/.test(kind) ? 'loss' : /train/i.test(kind) ? 'train_loss' : /val/i.test(kind) || runs.length > 1 ? 'val_loss' : '')
    : chart.replaceAll('-', '_');
  return run.header.includes(column) ? { run, column } : null;
}
