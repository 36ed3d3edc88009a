// page.mjs WORK NAME...: every check of WORK/NAME.html. WORK/NAME.runs has a line for each of its runs,
// WORK/NAME.shows one for each text it must show; WORK/finished.html is the report without surprises.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, printed } from './open.mjs';
import { readRun } from './record.mjs';
import { accessible, look, paper, scriptless } from './look.mjs';
import { file, skipped } from './file.mjs';
import { interact } from './interact.mjs';
import { keys } from './keys.mjs';
import { numbers } from './numbers.mjs';
import { text } from './text.mjs';
import { time } from './time.mjs';

// A check of the messages, requests and dialogs of all pages.
export function silence(browser, { trouble }, say) {
  say('no messages, no requests, no dialogs, however it was opened', !trouble.length, trouble);
}
export const checks = { file, look, accessible, paper, scriptless, numbers, interact, time, text, keys };

const lines = path => existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(line => line) : [];

export function readReport(work, name) {
  const runs = lines(join(work, `${name}.runs`)).map(readRun);
  // As run.sh trains them: two layers of two heads; a comparison shows no heads.
  return { file: join(work, `${name}.html`), plain: join(work, 'finished.html'), runs, trouble: [], shows: lines(join(work, `${name}.shows`)),
    heads: runs.length === 1 ? 4 : undefined, pictures: join(work, name) };
}

if (process.argv[1].endsWith('page.mjs')) {
  const [work, ...names] = process.argv.slice(2);
  for (const line of skipped) console.log(`browser: skipped: ${line}`);
  const browser = await launch();
  console.log(`browser: Chromium ${browser.version()}`);
  for (const name of names) {
    const say = printed(name);
    const report = readReport(work, name);
    if (!existsSync(report.file)) { say('there is no report', false); continue; }
    for (const [what, check] of Object.entries(checks)) {
      try {
        await check(browser, report, say);
      } catch (error) {  // a page that breaks the check itself
        say(`${what}: ended early`, false, [error.message.split('\n')[0]]);
      }
    }
    silence(browser, report, say);
  }
  await browser.close();
}
