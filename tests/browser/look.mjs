// How the report looks: widths, color schemes, axe, paper, and without JavaScript.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { open } from './open.mjs';
import { readData } from './record.mjs';

export const widths = [400, 800, 1600], schemes = ['light', 'dark'];

// In the page: what is wider than the screen, and what in the charts cannot be read.
function layout() {
  const root = document.documentElement;
  const name = element => `<${element.localName}${element.id && `#${element.id}`}${element.getAttribute('class') ? `.${element.getAttribute('class')}` : ''}>`;
  const wide = [];
  if (root.scrollWidth > root.clientWidth) {
    wide.push(`the page is ${root.scrollWidth} wide on a screen of ${root.clientWidth}`);
    for (const element of document.body.querySelectorAll('*'))
      if (element.getBoundingClientRect().right > root.clientWidth + 0.5) wide.push(`${name(element)} ends at ${element.getBoundingClientRect().right.toFixed(0)}`);
  }
  const unread = [];
  for (const svg of document.querySelectorAll('.plot > svg')) {
    if (!svg.checkVisibility()) continue;
    const chart = svg.closest('figure').id, box = svg.closest('.plot').getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(text => text.checkVisibility() && text.textContent.trim())
      .map(text => ({ text: text.textContent.trim(), box: text.getBoundingClientRect(), size: parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.d || 1) }));
    for (const { text, box: own, size } of texts) {
      if (size < 8) unread.push(`${chart}: '${text}' is ${size.toFixed(1)} pixels high`);
      if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1)
        unread.push(`${chart}: '${text}' reaches beyond the picture`);
    }
    texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      // Boxes of text are higher than its letters.
      if (across > 1 && down > 0.3 * Math.min(a.box.height, b.box.height)) unread.push(`${chart}: '${a.text}' and '${b.text}' overlap`);
    }));
  }
  for (const chip of document.querySelectorAll('.legend button'))
    if (chip.checkVisibility() && chip.getBoundingClientRect().height > 30) unread.push(`the chip ${chip.textContent} breaks`);
  for (const text of document.querySelectorAll('.map text')) {
    const { a, b } = text.getScreenCTM(), size = 0.8 * Math.hypot(a, b);
    if (matchMedia('screen').matches && (size < 12 || size > 16.1)) unread.push(`map: '${text.textContent}' is ${size.toFixed(1)} pixels high`);
  }
  return { wide, unread };
}

// In the page: the contrast of texts and marks in charts, which axe does not check. WCAG: 4.5 and
// 3.
function contrast() {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const color = text => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below, opacity) => [0, 1, 2].map(i => below[i] + (top[i] - below[i]) * top[3] * opacity);
  const luminance = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
  const ancestors = element => element ? [...ancestors(element.parentElement), element] : [];
  // Chromium's own page color where nobody sets one.
  const dark = /dark/.test(getComputedStyle(document.documentElement).colorScheme) && matchMedia('(prefers-color-scheme: dark)').matches;
  const page = dark ? [18, 18, 18] : [255, 255, 255];
  const behind = element => ancestors(element).reduce((below, ancestor) => over(color(getComputedStyle(ancestor).backgroundColor), below, 1), page);
  const poor = new Map();
  for (const element of document.querySelectorAll('.plot text, .plot [data-series] path, .plot path.level, .cursor path, .legend path, .map text')) {
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element), text = element.localName === 'text';
    const opacity = ancestors(element).reduce((all, ancestor) => all * getComputedStyle(ancestor).opacity, 1);
    const paint = [[style.fill, style.fillOpacity], ...(text ? [] : [[style.stroke, style.strokeOpacity]])].filter(([of]) => of && of !== 'none' && !of.startsWith('url'));
    const back = behind(element.closest('svg'));
    const best = Math.max(1, ...paint.map(([of, alpha]) => ratio(over(color(of), back, opacity * alpha), back)));
    const what = text ? `'${element.textContent.trim()}'` : `marks: ${element.getAttribute('class')} of ${element.closest('g, button')?.textContent}`;
    if (best < (text ? 4.5 : 3)) poor.set(`${element.closest('figure')?.id || 'map'}: ${what}: ${best.toFixed(2)}`, 1);
  }
  return { poor: [...poor.keys()], background: luminance(behind(document.body)) };
}

export async function look(browser, report, say) {
  const wide = [], unread = [];
  for (const scheme of report.isBrief ? ['light'] : schemes)
    for (const width of report.isBrief ? [400] : widths)
      await open(browser, report.file, { width, scheme }, report.trouble, async page => {
        const found = await page.evaluate(layout);
        wide.push(...found.wide.map(line => `${width} wide, ${scheme}: ${line}`));
        unread.push(...found.unread.map(line => `${width} wide, ${scheme}: ${line}`));
        if (report.pictures) await page.screenshot({ path: `${report.pictures}-${width}-${scheme}.png`, fullPage: true });
      });
  const at = `${widths.join(', ')} wide, ${schemes.join(' and ')}`;
  say(`${at}: no scrolling sideways`, !wide.length, wide);
  say(`${at}: the charts' words can be read and do not overlap`, !unread.length, unread);
}

export async function accessible(browser, report, say) {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const scheme of schemes)
    await open(browser, report.file, { scheme }, report.trouble, async page => {
      await page.evaluate(() => document.querySelectorAll('details').forEach(details => { details.open = true; }));
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
      const listed = some => some.flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => `${id} (${impact}): ${html.slice(0, 200)}`));
      say(`axe, ${scheme}: ${passes.length} rules pass, ${violations.length - serious.length} lesser violations, none serious`, !serious.length, listed(serious));
      for (const line of listed(violations.filter(one => !serious.includes(one))).slice(0, 8)) say(`axe, ${scheme}: lesser: ${line}`, true);
      const { poor, background } = await page.evaluate(contrast);
      say(`${scheme}: contrast of the charts' words at least 4.5, of their marks 3`, !poor.length, poor);
      say(`${scheme}: the page is ${scheme}`, scheme === 'dark' ? background < 0.2 : background > 0.8, [`its background has a luminance of ${background.toFixed(2)}`]);
    });
}

export async function paper(browser, report, say) {
  // An A4 page inside Chromium's margins.
  await open(browser, report.file, { width: 718 }, report.trouble, async page => {
    await page.emulateMedia({ media: 'print' });
    const { wide } = await page.evaluate(layout);
    const hidden = await page.$$eval('section:not([hidden]) figure:not([hidden])', figures =>
      figures.filter(figure => !figure.checkVisibility() || !figure.querySelector('svg')?.checkVisibility()).map(figure => figure.id || figure.className));
    say('print: every figure is there, nothing is wider than the paper', !wide.length && !hidden.length, [...wide, ...hidden.map(id => `${id} is hidden`)]);
    const pdf = await page.pdf({ format: 'A4' });
    if (report.pictures) writeFileSync(`${report.pictures}.pdf`, pdf);
    say(`print: a PDF of ${pdf.length.toLocaleString('en')} bytes`, pdf.length > 5000 && pdf.subarray(0, 5).toString() === '%PDF-');
  });
}

// Without JavaScript: that it is off, the losses of log.csv, the samples, and nothing else.
export async function scriptless(browser, report, say) {
  await open(browser, report.file, { scripts: false }, report.trouble, async page => {
    const { told, others, tables, samples } = await page.evaluate(() => ({
      told: document.querySelector('noscript > p')?.innerText ?? '',
      others: [...document.body.querySelectorAll(':not(noscript *)')].filter(element =>
        element.localName !== 'noscript' && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .map(element => element.outerHTML.slice(0, 80)),
      tables: [...document.querySelectorAll('noscript table')].map(table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.innerText))),
      samples: [...document.querySelectorAll('noscript pre')].map(pre => pre.checkVisibility() ? pre.textContent : ''),
    }));
    say('without JavaScript: it says so, and nothing else of the page is to be seen', /JavaScript.*off/.test(told) && !others.length, [told, ...others]);
    const wrong = tables.length === report.runs.length ? [] : [`${tables.length} tables for ${report.runs.length} runs`];
    report.runs.forEach((run, i) => {
      const rows = tables[i] ?? [], val = new Map(run.column('val_loss')), train = new Map(run.column('train_loss')), step = row => Number(row[0].replaceAll(',', ''));
      if (rows.length !== Math.min(200, val.size)) wrong.push(`${run.name}: ${rows.length} rows for ${val.size} evaluations`);
      for (const row of rows)
        if ([train, val].some((of, k) => !(Math.abs(Number(row[k + 1]) - of.get(step(row))) <= 0.56e-4))) wrong.push(`${run.name}: ${row}`);
    });
    const { runs } = await readData(page), due = runs.flatMap(run => run.samples.text).filter(text => !samples.includes(text));
    const missing = runs.length === 1 && runs[0].samples.text.length > 11 ? due.slice(11 - runs[0].samples.text.length) : due;
    if (samples.length < Math.min(11, runs[0].samples.step.length)) wrong.push(`${samples.length} samples`);
    say(`without JavaScript: ${tables.flat().length} evaluations of log.csv, ${samples.length} samples`, !wrong.length && !missing.length, [...wrong, ...missing]);
    if (report.pictures) await page.screenshot({ path: `${report.pictures}-800-scriptless.png`, fullPage: true });
  });
}
