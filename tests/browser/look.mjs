// How the report looks: widths, colour schemes, axe, paper, and without JavaScript.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { open } from './open.mjs';

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
  for (const svg of document.querySelectorAll('figure svg')) {
    if (!svg.querySelector('[data-series]') || !svg.checkVisibility()) continue;
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
  return { wide, unread };
}

// In the page: contrast of what axe does not look at, texts and marks in charts. WCAG: 4.5 and 3.
function contrast() {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const colour = text => {
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
  // Chromium's own page colour where nobody sets one.
  const dark = /dark/.test(getComputedStyle(document.documentElement).colorScheme) && matchMedia('(prefers-color-scheme: dark)').matches;
  const page = dark ? [18, 18, 18] : [255, 255, 255];
  const behind = element => ancestors(element).reduce((below, ancestor) => over(colour(getComputedStyle(ancestor).backgroundColor), below, 1), page);
  const poor = new Map();
  for (const element of document.querySelectorAll('figure[id] svg text, figure[id] svg [data-series] path')) {
    if (!element.checkVisibility() || element.closest('.attention')) continue;
    const style = getComputedStyle(element), text = element.localName === 'text';
    const opacity = ancestors(element).reduce((all, ancestor) => all * getComputedStyle(ancestor).opacity, 1);
    const paint = [[style.fill, style.fillOpacity], ...(text ? [] : [[style.stroke, style.strokeOpacity]])].filter(([of]) => of && of !== 'none' && !of.startsWith('url'));
    const back = behind(element.closest('svg'));
    const best = Math.max(1, ...paint.map(([of, alpha]) => ratio(over(colour(of), back, opacity * alpha), back)));
    if (best < (text ? 4.5 : 3)) poor.set(`${element.closest('figure').id}: ${text ? `'${element.textContent.trim()}'` : `marks of ${element.parentElement.dataset.series}`}: ${best.toFixed(2)}`, 1);
  }
  return { poor: [...poor.keys()], background: luminance(behind(document.body)) };
}

export async function look(browser, report, say) {
  const wide = [], unread = [];
  for (const scheme of schemes)
    for (const width of widths)
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
    const hidden = await page.$$eval('figure', figures => figures.filter(figure => !figure.checkVisibility() && !figure.closest('details:not([open])')).map(figure => figure.id || figure.className));
    say('print: every figure is there, nothing is wider than the paper', !wide.length && !hidden.length, [...wide, ...hidden.map(id => `${id} is hidden`)]);
    const pdf = await page.pdf({ format: 'A4' });
    if (report.pictures) writeFileSync(`${report.pictures}.pdf`, pdf);
    say(`print: a PDF of ${pdf.length.toLocaleString('en')} bytes`, pdf.length > 5000 && pdf.subarray(0, 5).toString() === '%PDF-');
  });
}

// In the page: text in it that is not to be seen, although nothing is folded away by the reader's choice.
function hiddenText() {
  const hidden = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    // A control that only a script could serve may be hidden without it.
    if (element.closest('script, style, template, noscript, svg title, svg desc, svg metadata, [aria-live], button, label, select, output')) continue;
    const folded = element.closest('details:not([open])');
    const summary = element.closest('summary');
    if (folded && !summary) continue;
    if (summary?.parentElement.parentElement.closest('details:not([open])')) continue;
    hidden.push(`<${element.localName}>: ${node.data.trim().slice(0, 80)}`);
  }
  return { hidden, charts: [...document.querySelectorAll('figure svg')].filter(svg => svg.checkVisibility() && svg.getBoundingClientRect().width > 50).length,
    figures: document.querySelectorAll('figure').length, text: document.body.innerText.length };
}

export async function scriptless(browser, report, say) {
  const counted = await open(browser, report.file, {}, report.trouble, page => page.evaluate(hiddenText));
  await open(browser, report.file, { scripts: false }, report.trouble, async page => {
    const { hidden, charts, text } = await page.evaluate(hiddenText);
    say(`without JavaScript: ${charts} pictures, ${text.toLocaleString('en')} letters; none is hidden`, charts > 0 && !hidden.length,
      charts ? hidden : ['no pictures', ...hidden]);
    // A script may replace what it serves, but not be needed for the charts.
    say('without JavaScript: as many pictures as with it', charts >= counted.charts, [`${charts}, and ${counted.charts} with it`]);
    if (report.pictures) await page.screenshot({ path: `${report.pictures}-800-scriptless.png`, fullPage: true });
  });
}
