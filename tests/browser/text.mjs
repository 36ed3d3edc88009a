// What the run's texts contain is shown as text; the page runs nothing but gradus's own script.
import { settled } from './chart.mjs';
import { open } from './open.mjs';
import { readData } from './record.mjs';

// Control characters and broken UTF-8 may be shown in any way; what is between them is compared.
const spaces = text => text.replace(/[ \t\n]+/g, ' ');
const pieces = text => spaces(text).split(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\ufffd]+|\\x[0-9a-f]{2}/u).map(piece => piece.trim()).filter(piece => piece);

// What the page would run, and its elements.
const made = page => page.evaluate(() => ({
  scripts: [...document.scripts].map(script => script.type + (/json/.test(script.type) ? '' : script.textContent)),
  handlers: [...document.querySelectorAll('*')].flatMap(element => element.getAttributeNames()
    .filter(name => name.startsWith('on') || /^\s*javascript:/i.test(element.getAttribute(name)))
    .map(name => `<${element.localName} ${name}>`)),
  elements: [...new Set([...document.querySelectorAll('*')].map(element => element.localName))],
}));
const visible = page => page.evaluate(() => document.body.innerText);

// With scripts: each sample by its slider, each token of the surprise, everything that can be unfolded or chosen.
async function used(page) {
  const shown = [], last = Number(await page.getAttribute('#sample', 'max') ?? 0);
  await page.evaluate(() => document.querySelectorAll('details').forEach(folded => { folded.open = true; }));
  await settled(page);
  for (let i = 0; i <= last && await page.isVisible('#sample'); ++i) {
    await page.locator('#sample').fill(String(i));
    shown.push(await page.textContent('#sample-text'));
  }
  if (await page.isVisible('.surprise')) {
    await page.focus('.surprise');
    for (let i = 0; i < 20; ++i) await page.keyboard.press('ArrowRight');
  }
  for (const id of ['heads', 'tokens']) {
    const buttons = page.locator(`#${id} button:visible`);
    for (let i = 0; i < Math.min(8, await buttons.count()); ++i) await buttons.nth(i).click();
  }
  return shown;
}

export async function text(browser, report, say) {
  const foreign = [];
  for (const scripts of [false, true]) {
    const look = async page => ({ shown: scripts ? await used(page) : [], ...await made(page), text: await visible(page), data: await readData(page) });
    const own = await open(browser, report.file, { scripts }, report.trouble, look);
    const plain = await open(browser, report.plain, { scripts }, report.trouble, look);
    const known = new Set([...plain.elements, 'p', 'h2', 'h3', 'path', 'rect']), wrong = own.scripts.filter(script => !plain.scripts.includes(script));
    if (own.scripts.length !== plain.scripts.length) wrong.push(`${own.scripts.length} scripts, ${plain.scripts.length} in the plain report`);
    wrong.push(...own.handlers, ...own.elements.filter(name => report.runs.length === 1 && !known.has(name)).map(name => `<${name}>`));
    foreign.push(...wrong.map(line => `scripts ${scripts ? 'on' : 'off'}: ${line.slice(0, 100)}`));
    if (!scripts) continue;

    const shown = spaces(own.text + own.shown.join(' '));
    for (const [i, run] of report.runs.entries()) {
      const lost = pieces(run.name).filter(piece => !shown.includes(piece));
      say(`the name ${JSON.stringify(run.name)} is shown`, !lost.length, lost);
      if (!run.samples.length || report.runs.length > 1) continue;  // a comparison need not show samples
      const wanted = [...new Set(run.samples.flatMap(sample => sample.split('\n')).flatMap(pieces))];
      const missing = wanted.filter(piece => !shown.includes(piece)), all = own.data.runs[i].samples.count === own.data.runs[i].samples.step.length;
      say(`samples.txt of ${run.name}: ${run.samples.length} samples, ${wanted.length} pieces of text are shown`, !all || !missing.length,
        missing.map(piece => JSON.stringify(piece)));
    }
    const words = own.data.runs.flatMap(({ surprise, kept_sample: kept, settings }) => [kept, ...settings.flat(),
      ...surprise ? [surprise.first + surprise.words.map(([text]) => text).join('')] : []]).flatMap(pieces);
    const plainly = spaces(shown.replaceAll('⏎', ''));
    const unseen = words.filter(piece => !plainly.includes(spaces(piece.replaceAll('⏎', '')))).concat(report.shows.filter(piece => !shown.includes(spaces(piece))));
    say(`${words.length} pieces of the kept sample, the surprise and the settings, ${report.shows.length} prompts are shown`,
      !unseen.length, unseen.map(piece => JSON.stringify(piece)));
  }
  say('scripts, handlers and elements are those of the plain report, whatever was done', !foreign.length, foreign);
}
