// The page over time: layout shifts, a file that is rewritten while it is open, and the speed with a long run.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { drag, point, range, readOne, settled } from './chart.mjs';
import { dataOf, withData } from './file.mjs';
import { open, painted } from './open.mjs';

// A file that is rewritten while it is open: the view stays.
async function watched(browser, report, wrong) {
  const source = readFileSync(report.file, 'utf8'), file = report.file.replace(/\.html$/, '-watched.html');
  const json = JSON.parse(source.match(dataOf)[0]), { evaluations } = json.runs[0];
  const write = (isWatched, count) => {
    const [step, train, val] = ['step', 'train', 'val'].map(key => evaluations[key].slice(0, count));
    const runs = [{ ...json.runs[0], evaluations: { count, step, train, val } }];
    writeFileSync(`${file}.tmp`, withData(source, { ...json, watched: isWatched, runs }).replace("form-action 'none'", "form-action 'none'; frame-src 'self' file:"));
    renameSync(`${file}.tmp`, file);
  };
  const all = evaluations.step.length;
  write(true, all - 2);
  await open(browser, file, {}, report.trouble, async page => {
    await drag(page, 'loss', 0.2, 0.95);
    await page.evaluate(() => {
      document.querySelectorAll('#loss details, #settings').forEach(folded => { folded.open = true; });
      globalThis.stays = true;
    });
    await page.locator('#learning-rate').scrollIntoViewIfNeeded();
    const state = async () => [...await page.evaluate(() => [scrollY, document.querySelectorAll('details[open]').length, globalThis.stays]),
      ...range(await readOne(page, 'loss'))];
    const before = await state(), dots = async () => (await readOne(page, 'loss')).lines.find(({ name }) => name === 'validation').paths[0].length;
    const drawn = await dots();
    for (const [isWatched, count] of [[true, all - 1], [false, all]]) {
      write(isWatched, count);
      for (let i = 0; i < 60 && await dots() < drawn + count - (all - 2); ++i) await page.waitForTimeout(100);
      if (await dots() !== drawn + count - (all - 2)) wrong.push(`${count} evaluations are written: ${await dots()} are drawn, at first ${drawn}`);
      const after = await state();
      if (JSON.stringify(after) !== JSON.stringify(before)) wrong.push(`the view is ${after}, was ${before}`);
    }
    if (await page.locator('iframe').count()) wrong.push('a frame is left');
  });
}

// Tasks above 50 ms, and what moved by itself.
const listening = page => page.evaluate(() => {
  Object.assign(globalThis, { tasks: [], shift: 0 });
  new PerformanceObserver(list => globalThis.tasks.push(...list.getEntries().map(task => [task.startTime, task.duration]))).observe({ type: 'longtask' });
  new PerformanceObserver(list => list.getEntries().forEach(entry => { globalThis.shift += entry.value; })).observe({ type: 'layout-shift', buffered: true });
});
async function still(browser, report, say) {
  const wrong = [];
  for (const width of [1200, 400])
    await open(browser, report.file, { width }, report.trouble, async page => {
      await listening(page);
      for (const share of [0.1, 0.3, 0.5, 0.9, 0.99]) {
        const { box } = await readOne(page, 'loss') ?? { box: { width: 300 } };
        if (await page.isVisible('#loss .plot')) await point(page, 'loss', share * box.width);
        await settled(page);
      }
      await page.waitForTimeout(100);
      const shift = await page.evaluate(() => globalThis.shift);
      if (!(shift < 0.01)) wrong.push(`${width} wide: ${shift.toFixed(4)}`);
    });
  say('nothing moves while it is opened and while the cursor moves', !wrong.length, wrong);
}

// Three hundred thousand updates: what the page keeps of them.
function long(report) {
  const source = readFileSync(report.file, 'utf8'), file = report.file.replace(/\.html$/, '-long.html');
  const json = JSON.parse(source.match(dataOf)[0]), [run] = json.runs;
  const steps = (n, every) => Array.from({ length: n }, (_, i) => every * (i + 1));
  const noise = i => Math.sin(i * 12.9898) * 43758.5453 % 1, short = value => Number(value.toPrecision(6));
  const loss = steps(8000, 37.5).map((step, i) => short(4 * Math.exp(-i / 900) + 1.5 + 0.1 * noise(i)));
  Object.assign(run, { step: 300000, max_iters: 300000, updates: { count: 300000, step: steps(8000, 37.5).map(Math.floor), loss, mean: loss },
    gradient_norm: { count: 300000, step: steps(2000, 150), value: steps(2000, 1).map(i => short(1 + noise(i) / 2)) },
    learning_rate: { count: 300000, step: steps(500, 600), value: steps(500, 1).map(i => short(1e-3 / i)) },
    evaluations: { count: 1000, step: steps(1000, 300), train: steps(1000, 1).map(i => short(2 + 1 / i)),
      val: steps(1000, 1).map(i => short(2.1 + 1 / i)) } });
  writeFileSync(file, withData(source, json));
  return file;
}
async function speed(browser, report, say) {
  const file = long(report), tasks = [], least = () => Math.max(0, ...tasks);
  let opened = Infinity;
  // Of each use the least of up to five tries: other programs may have the processor.
  for (let i = 0; i < 5 && (i === 0 || opened > 1000 || least() > 100); ++i)
    await open(browser, file, {}, report.trouble, async page => {
      const complete = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domComplete);
      opened = Math.min(opened, Math.max(complete, await painted(page)));
      await page.locator('#loss .plot').scrollIntoViewIfNeeded();
      const { box, lines: [{ paths }] } = await readOne(page, 'loss');
      const to = share => page.mouse.move(box.left + share * box.width, box.top + box.height / 2);
      if (paths[0].length < 1000) opened = Infinity;
      await listening(page);
      const begun = [], use = async (...steps) => {
        begun.push(await page.evaluate(() => performance.now()));
        for (const step of steps) await step();
        await settled(page);
      };
      for (let k = 0; k < 5; ++k) {
        await use(() => to(0.1 + 0.1 * k), () => page.mouse.down(), () => to(0.6 + 0.08 * k), () => page.mouse.up());
        for (let x = 0; x < 5; ++x) await use(() => to(x / 5));
        await use(() => page.mouse.dblclick(box.left + 99, box.top + 99));
        await use(() => page.locator('#smoothing').fill(String(k)));
      }
      await page.waitForTimeout(100);
      const all = await page.evaluate(() => globalThis.tasks);
      begun.forEach((from, n) => {
        const own = all.filter(([start]) => start >= from && start < (begun[n + 1] ?? Infinity)).map(([, duration]) => duration);
        tasks[n] = Math.min(tasks[n] ?? Infinity, Math.max(0, ...own));
      });
    });
  say(`300,000 updates: drawn after ${opened.toFixed(0)} ms of at most 1,000`, opened <= 1000);
  say(`300,000 updates: zoomed, smoothed, looked through, no task above 100 ms: ${least()}`, least() <= 100, [tasks.join()]);
}

export async function time(browser, report, say) {
  const asked = name => !report.uses || report.uses.includes(name), wrong = [];
  if (asked('still')) await still(browser, report, say);
  if (report.file !== report.plain && !report.uses) return;
  if (asked('watched')) {
    await watched(browser, report, wrong);
    say('use: a file that is written again is drawn again, and the view stays', !wrong.length, wrong);
  }
  if (asked('speed')) await speed(browser, report, say);
}
