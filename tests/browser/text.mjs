// What the run's texts contain is shown as text; the page runs nothing but gradus's own scripts.
import { open } from './open.mjs';

// Control characters and broken UTF-8 may be shown in any way; what is between them is compared.
const spaces = text => text.replace(/[ \t\n]+/g, ' ');
const pieces = text => spaces(text).split(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\ufffd]+|\\x[0-9a-f]{2}/u).map(piece => piece.trim()).filter(piece => piece);

// Of the page: what it would run and of which elements it is made.
const made = page => page.evaluate(() => ({
  text: document.body.textContent,
  scripts: [...document.scripts].map(script => script.type + (/json/.test(script.type) ? '' : script.textContent)),
  handlers: [...document.querySelectorAll('*')].flatMap(element => element.getAttributeNames()
    .filter(name => name.startsWith('on') || /^\s*javascript:/i.test(element.getAttribute(name)))
    .map(name => `<${element.localName} ${name}>`)),
  elements: [...new Set([...document.querySelectorAll('*')].map(element => element.localName))],
}));

export async function text(browser, report, say) {
  const options = { scripts: false };  // as written, before a script changes it
  const own = await open(browser, report.file, options, report.trouble, made);
  const plain = await open(browser, report.plain, options, report.trouble, made);

  const foreign = own.scripts.filter(script => !plain.scripts.includes(script));
  say(`${own.scripts.length} scripts: those of the plain report`, !foreign.length && own.scripts.length <= plain.scripts.length,
    foreign.length ? foreign.map(script => script.slice(0, 100)) : [`${plain.scripts.length} there`]);
  const handlers = own.handlers.filter(handler => !plain.handlers.includes(handler));
  const known = new Set([...plain.elements, 'p', 'h2', 'h3', 'polyline', 'path', 'rect']);
  const elements = own.elements.filter(name => report.runs.length === 1 && !known.has(name));
  say('no handlers and no elements but those of the plain report', !handlers.length && !elements.length, [...handlers, ...elements]);

  const shown = spaces(own.text);
  for (const run of report.runs) {
    say(`the name ${JSON.stringify(run.name)} is shown`, shown.includes(spaces(run.name)));
    if (!run.samples.length || report.runs.length > 1) continue;  // a comparison need not show samples
    const wanted = [...new Set(run.samples.flatMap(sample => sample.split('\n')).flatMap(pieces))];
    const lost = wanted.filter(piece => !shown.includes(piece));
    say(`samples.txt of ${run.name}: ${run.samples.length} samples, ${wanted.length} pieces of text are shown`, !lost.length, lost.map(piece => JSON.stringify(piece)));
  }
  for (const piece of report.shows)
    say(`${JSON.stringify(piece)} is shown`, shown.includes(spaces(piece)));
}
