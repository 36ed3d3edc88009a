// trains.mjs WORK GRADUS: opens out/page/index.html (make page), lets it train, and compares its losses with
// those of the native program for the same flags.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { launch, open, printed } from './open.mjs';

const [work, gradus] = process.argv.slice(2);
const say = printed('page'), file = join(process.cwd(), 'out/page/index.html');
const axe = readFileSync(createRequire(join(work, '/')).resolve('axe-core/axe.min.js'), 'utf8');
const run = (...words) => execFileSync(gradus, words, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const close = (a, b) => Math.abs(a - b) <= 1e-5 * Math.abs(b);

// A text that would be HTML if the page let it.
const words = ['<script>alert(1)</script>', '&amp;', '</textarea>', '<img src=x onerror=alert(2)>', 'the fox', 'a crow'];
let text = '';
for (let i = 0; i < 1500; ++i) text += words[(i * i + 3 * i) % words.length] + (i % 7 ? ' ' : '\n');
text += readFileSync('data/fables.txt', 'utf8').slice(0, 20000);

say('at most 1.5 MB', statSync(file).size <= 1.5e6, [`${statSync(file).size} bytes`]);
const browser = await launch(), trouble = [];
for (const [width, scheme] of [[1200, 'light'], [400, 'dark']])
  await open(browser, file, { width, scheme }, trouble, async page => {
    await page.evaluate(() => {
      window.longest = 0;
      new PerformanceObserver(list => list.getEntries().forEach(task => { window.longest = Math.max(window.longest, task.duration); }))
        .observe({ entryTypes: ['longtask'] });
    });
    const status = pattern => page.waitForFunction(
      source => new RegExp(source).test(document.getElementById('status').textContent), pattern, { timeout: 120000 });
    await status('Ready');
    await page.fill('#text', 'short');
    await page.click('#train');
    await status('expected|too|tokens');
    await page.evaluate(pasted => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', pasted);
      document.getElementById('text').select();
      document.getElementById('text').dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
    }, text);
    await page.click('#train');
    await status('Update [1-9]');
    await page.click('#stop');
    await status('Stopped');
    const before = await page.evaluate('losses.length');
    await page.click('#step');
    await page.waitForFunction(`losses.length === ${before + 1}`);
    say(`${width}: Stop, then one update by Step`, true);
    await page.click('#go');
    await status('Done');
    await page.click('#write');
    await page.waitForFunction(() => document.getElementById('written').textContent.length > 50);

    const flags = await page.evaluate('run.flags'), seen = await page.evaluate('evaluations');
    writeFileSync(join(work, 'page.txt'), text);
    run('train', 'page.txt', ...flags.split(' '), '--out_dir', `out/page${width}`, '--force');
    const log = readFileSync(join(work, `out/page${width}/log.csv`), 'utf8').trim().split('\n').slice(1).map(row => row.split(','));
    const native = log.filter(row => row[5]).slice(0, 2).map(row => [row[0], row[5]].map(Number));
    say(`${width}: the losses of ./gradus after 0 and ${native[1][0]} updates, to 5 digits`,
      native.every(([step, loss], i) => seen[i].step === step && close(seen[i].nats, loss)),
      [JSON.stringify(native), JSON.stringify(seen.slice(0, 2))]);

    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    await download.saveAs(join(work, 'page.safetensors'));
    const characters = [...text];
    writeFileSync(join(work, 'validation.txt'), characters.slice(Math.floor((1 - 0.1) * characters.length)).join(''));
    const loss = Number(/loss (\d+\.\d+)/.exec(run('eval', 'page.safetensors', 'validation.txt', '--threads', '1'))?.[1]);
    say(`${width}: ./gradus eval of the saved model has the page's loss`, Math.abs(loss - seen.at(-1).nats) < 1e-4,
      [`${loss} against ${seen.at(-1).nats}`]);
    run('sample', 'page.safetensors', '--max_new_tokens', '20');
    await page.setInputFiles('#open', join(work, 'page.safetensors'));
    await status('Opened');
    await page.click('#write');

    const longest = await page.evaluate('longest');
    say(`${width}: no task of the page above 100 ms while it trained`, longest <= 100, [`${longest} ms`]);
    await page.addScriptTag({ content: axe });
    const found = await page.evaluate(() => window.axe.run());
    const bad = found.violations.filter(v => ['serious', 'critical'].includes(v.impact));
    say(`${width}: axe finds nothing serious`, bad.length === 0, bad.map(v => `${v.id}: ${v.nodes[0].html}`));
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    say(`${width}: no scrolling sideways`, beyond <= 0, [`${beyond} pixels`]);
    await page.screenshot({ path: join(work, `page-${width}-${scheme}.png`), fullPage: true });
  });
const real = trouble.filter(line => !line.includes('request: blob:'));  // the worker, and what Save gives
say('nothing is requested, no script of the text runs, no errors', real.length === 0, real);
await browser.close();
