// The file as such: size, references, its policy, and what two validators of HTML say.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open, short } from './open.mjs';

const modules = createRequire(import.meta.url);
const package_ = name => { try { return dirname(modules.resolve(`${name}/package.json`)); } catch { return null; } };
const validate = package_('html-validate') && join(package_('html-validate'), 'bin/html-validate.mjs');
const vnu = package_('vnu-jar') && join(package_('vnu-jar'), 'build/dist/vnu.jar');
export const skipped = [
  ...(validate && existsSync(validate) ? [] : ['html-validate is not installed (npm install html-validate)']),
  ...(vnu && existsSync(vnu) ? [] : ['vnu-jar is not installed (npm install vnu-jar)']),
  ...(vnu && !command('java', ['-version']).ran ? ['java is not installed (apt-get install default-jre-headless)'] : []),
];

function command(program, words) {
  try {
    return { ran: true, passed: true, output: execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e8 }) };
  } catch (error) {
    return { ran: error.code !== 'ENOENT', passed: false, output: `${error.stdout}${error.stderr}` };
  }
}

// The data in a page's file, and the file with other data.
export const dataOf = /(?<=id="data">)[^<]*/;
export const withData = (source, data) => source.replace(dataOf, () => JSON.stringify(data)
  .replace(/[<>&\u2028\u2029]/g, letter => `\\u${letter.charCodeAt().toString(16).padStart(4, '0')}`));

// In the page: references that lead out of the file. Visible text and a run's texts in data-* may name
// addresses.
function references() {
  const outside = /\b(https?|ftp|wss?|file):\/\/|url\(\s*['"]?(?!data:|#)|^\s*\/\//i;
  const own = /http:\/\/www\.w3\.org\/(2000\/svg|1999\/(xhtml|xlink))/g;
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      const link = ['src', 'href', 'xlink:href', 'srcset', 'action', 'data', 'poster'].includes(name);
      if (outside.test(value.replace(own, '')) && !/^(data-|aria-|title$|alt$)/.test(name) || link && !/^(#|data:|$)/.test(value))
        found.push(`<${element.localName} ${name}="${value.slice(0, 100)}">`);
    }
    if (element.localName === 'style' || element.localName === 'script' && !/json/.test(element.type)) {
      const at = element.textContent.replace(own, '').match(/\b(https?|wss?):\/\/.{0,60}|@import.{0,60}|url\(\s*['"]?(?!data:|#).{0,60}/i);
      if (at) found.push(`<${element.localName}>: ${at[0]}`);
    }
    if (element.localName === 'base' || element.localName === 'meta' && /refresh/i.test(element.httpEquiv) && element.content !== '5') found.push(element.outerHTML);
  }
  return found;
}

const nonces = (source, name) => [...source.matchAll(new RegExp(`<${name} nonce="([0-9a-f]{16})">`, 'g'))].map(([, nonce]) => nonce);

// The policy lets in the one script and the one style; nothing else runs.
async function policy(browser, report, source, say) {
  const [scripts, styles] = ['script', 'style'].map(name => nonces(source, name));
  const found = source.match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/)?.[1] ?? '';
  const watched = /"watched": ?true/.test(source) ? "; frame-src 'self' file:" : '';
  const wanted = `default-src 'none'; script-src 'nonce-${scripts[0]}'; style-src 'nonce-${styles[0]}'; base-uri 'none'; form-action 'none'${watched}`;
  const wrong = found === wanted ? [] : [found, wanted];
  if (scripts.length !== 1 || styles.length !== 1) wrong.push(`${scripts.length} scripts, ${styles.length} styles`);
  const before = source.indexOf('<meta http-equiv="Content-Security-Policy"');
  if (/<(script|style|link|img)\b/.test(source.slice(0, before))) wrong.push('something is loaded before the policy');
  const file = report.file.replace(/\.html$/, '-strange.html');
  writeFileSync(file, source.replace(/<\/body>(?![^]*<\/body>)/, `<script>globalThis.ran = 'a script of the page'</script>
    <script src="data:text/javascript,globalThis.ran='a script from elsewhere'"></script>
    <img src="data:," alt="" onerror="globalThis.ran = 'a handler'"><p onclick="globalThis.ran = 'a click'" id="strange">x</p>
    <a id="strange-link" href="javascript:void(globalThis.ran = 'a link')">x</a><iframe srcdoc="<script>parent.ran = 'a frame'</script>"></iframe></body>`));
  const ran = await open(browser, file, {}, [], async page => {
    await page.evaluate(() => {
      document.body.append(Object.assign(document.createElement('script'), { textContent: "globalThis.ran = 'a script added'" }));
      document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.ran = \'a handler added\'">');
      document.getElementById('strange').click();
      document.getElementById('strange-link').click();
    });
    await page.waitForTimeout(200);
    return page.evaluate(() => [globalThis.ran, document.querySelector('.plot svg') === null && 'gradus is not drawn'].filter(Boolean));
  });
  say('its policy: the nonce of its one script and style, and nothing else runs', !wrong.length && !ran.length, [...wrong, ...ran]);
}

// What the Nu checker does not know: a property of CSS, and a policy in the page.
const unknown = /“paint-order”|violates Content Security Policy/;

export async function file(browser, report, say) {
  const bytes = readFileSync(report.file), source = bytes.toString('utf8');
  const most = report.runs.length === 1 ? 400_000 : 2_000_000;
  say(`${bytes.length.toLocaleString('en')} bytes, of at most ${most.toLocaleString('en')}`, bytes.length <= most);
  const text = [];
  if (Buffer.compare(Buffer.from(source), bytes)) text.push('broken UTF-8');
  const control = source.match(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  if (control) text.push(`U+${control[0].charCodeAt().toString(16).padStart(4, '0')} at ${control.index}`);
  if (!/^<!doctype html>/i.test(source)) text.push('does not begin with <!doctype html>');
  say('HTML in UTF-8, without control characters', !text.length, text);
  await policy(browser, report, source, say);

  const found = await open(browser, report.file, { scripts: false }, report.trouble, page => page.evaluate(references));
  say('no references out of the file', !found.length, found);

  if (validate && existsSync(validate)) {
    const { passed, output } = command(process.execPath, [validate, '--config', fileURLToPath(new URL('.htmlvalidate.json', import.meta.url)), '--formatter', 'text', report.file]);
    say('html-validate: no errors', passed, output.trim().split('\n'));
  }
  if (report.vnu !== false && !skipped.some(line => /vnu|java/.test(line))) {
    const { passed, output } = command('java', ['-Xss8m', '-jar', vnu, '--stdout', '--exit-zero-always', report.file]);
    const lines = output.trim().split('\n').map(line => line.replace(/^"?file:[^"]*"?:/, '')).filter(line => line && !unknown.test(line));
    const errors = lines.filter(line => !/^[\d.-]+: info/.test(line));
    say(`Nu HTML checker: no errors, ${lines.length - errors.length} warnings`, passed && !errors.length, errors);
    for (const line of short(lines.filter(line => !errors.includes(line)))) say(`Nu HTML checker: warning: ${line}`, true);
  }
}
