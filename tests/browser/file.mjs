// The file as such: size, references, lines, and what two validators of HTML say.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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

// In the page: what could lead out of the file. Visible text and a run's texts in data-* may name addresses.
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
    if (element.localName === 'base' || element.localName === 'meta' && /refresh/i.test(element.httpEquiv)) found.push(element.outerHTML);
  }
  return found;
}

export async function file(browser, report, say) {
  const bytes = readFileSync(report.file), source = bytes.toString('utf8');
  say(`${bytes.length.toLocaleString('en')} bytes, of at most 2,000,000`, bytes.length < 2_000_000);
  const text = [];
  if (Buffer.compare(Buffer.from(source), bytes)) text.push('broken UTF-8');
  const control = source.match(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  if (control) text.push(`U+${control[0].charCodeAt().toString(16).padStart(4, '0')} at ${control.index}`);
  if (!/^<!doctype html>/i.test(source)) text.push('does not begin with <!doctype html>');
  say('HTML in UTF-8, without control characters', !text.length, text);
  const within = [...source.matchAll(/(?<!^)<svg\b.{0,60}/gm)].map(([svg]) => svg);
  say('each <svg begins a line', !within.length, within);

  const found = await open(browser, report.file, { scripts: false }, report.trouble, page => page.evaluate(references));
  say('no references out of the file', !found.length, found);

  if (validate && existsSync(validate)) {
    const { passed, output } = command(process.execPath, [validate, '--config', fileURLToPath(new URL('.htmlvalidate.json', import.meta.url)), '--formatter', 'text', report.file]);
    say('html-validate: no errors', passed, output.trim().split('\n'));
  }
  if (report.vnu !== false && !skipped.some(line => /vnu|java/.test(line))) {
    const { passed, output } = command('java', ['-Xss8m', '-jar', vnu, '--stdout', '--exit-zero-always', report.file]);
    const lines = output.trim().split('\n').map(line => line.replace(/^"?file:[^"]*"?:/, '')).filter(line => line);
    const errors = lines.filter(line => !/^[\d.-]+: info/.test(line));
    say(`Nu HTML checker: no errors, ${lines.length - errors.length} warnings`, passed && !errors.length, errors);
    for (const line of short(lines.filter(line => !errors.includes(line)))) say(`Nu HTML checker: warning: ${line}`, true);
  }
}
