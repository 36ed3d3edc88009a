// trains.mjs WORK GRADUS: opens out/page/index.html (make page), lets it train, and compares its losses with
// those of the native program for the same flags.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readOne } from './chart.mjs';
import { places } from './numbers.mjs';
import { launch, open, printed } from './open.mjs';
import { means } from './record.mjs';

const [work, gradus] = process.argv.slice(2);
const say = printed('page'), file = join(process.cwd(), 'out/page/index.html');
const axe = readFileSync(createRequire(join(work, '/')).resolve('axe-core/axe.min.js'), 'utf8');
const run = (...words) => execFileSync(gradus, words, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
// What ./gradus prints for the same run.
const train = (text, flags, name) => spawnSync(gradus, ['train', text, ...flags.split(' '), '--out_dir', `out/${name}`, '--force'],
  { cwd: work, encoding: 'utf8' }).stderr;
const close = (a, b) => Math.abs(a - b) <= 1e-5 * Math.abs(b);

// The first two evaluations of a run of ./gradus, and whether they are those of the page.
const evaluations = name => readFileSync(join(work, `out/${name}/log.csv`), 'utf8').trim().split('\n').slice(1)
  .map(row => row.split(',')).filter(row => row[5]).slice(0, 2).map(row => [row[0], row[5]].map(Number));
const same = (native, seen) => native.every(([step, loss], i) => seen[i].step === step && close(seen[i].nats, loss));

// A text that would be HTML if the page let it.
const words = ['<script>alert(1)</script>', '&amp;', '</textarea>', '<img src=x onerror=alert(2)>', 'the fox', 'a crow'];
let text = '';
for (let i = 0; i < 1500; ++i) text += words[(i * i + 3 * i) % words.length] + (i % 7 ? ' ' : '\n');
text += readFileSync('data/fables.txt', 'utf8').slice(0, 20000);

say('at most 1.5 MB', statSync(file).size <= 1.5e6, [`${statSync(file).size} bytes`]);
say('no links that lead nowhere', !/href="(?!https?:)/.test(readFileSync(file, 'utf8')));
const browser = await launch(), trouble = [];
let questions = 0;
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
    await page.waitForSelector('#heads svg');
    const shown = await page.evaluate(`[document.querySelectorAll('#chart path.line').length > 3, document.querySelector('#samples pre').textContent.length > 100,
      text().includes($('prompt').value), document.querySelector('#heads svg').clientWidth > 250, Boolean(document.querySelector('noscript'))]`);
    say(`${width}: before training a curve, a text, a large map of a prompt from the text; a word for those without scripts`, shown.every(Boolean), [shown.join()]);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('text=Open a text')]);
    await chooser.setFiles({ name: 'short.txt', mimeType: 'text/plain', buffer: Buffer.from('short 🦊') });
    await page.waitForFunction(() => document.getElementById('text').value === 'short 🦊');
    await page.click('#train');
    await status('^The text is too short');
    await page.waitForFunction(() => !document.getElementById('time0').textContent);
    say(`${width}: characters are code points, and what is too short has no estimate`, await page.textContent('#size') === '7 characters');
    await page.evaluate(pasted => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', pasted);
      document.getElementById('text').select();
      document.getElementById('text').dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
    }, text);
    await page.waitForFunction(() => /about/.test(document.getElementById('time0').textContent));
    const focus = () => page.evaluate('document.activeElement.id');
    await page.focus('#train');
    await page.keyboard.press('Enter');
    await status('Update [1-9]');
    const training = await focus();
    // A file that is not a model, while it trains.
    await page.setInputFiles('#open', { name: 'no.safetensors', mimeType: '', buffer: Buffer.from('no model') });
    await status('^The file');
    await status('Update [1-9]');
    await page.focus('#stop');
    await page.keyboard.press('Enter');
    await status('Stopped');
    const stopped = await focus();
    say(`${width}: a file that is no model ends no run; the focus goes on, from Train to Stop and to Go on`,
      training === 'stop' && stopped === 'go', [`${training}, ${stopped}`]);
    const before = await page.evaluate('losses.length');
    await page.click('#step');
    await page.waitForFunction(`losses.length === ${before + 1}`);
    say(`${width}: Stop, then one update by Step`, true);
    const busy = await page.evaluate('longest');  // the question is a task too
    const updates = () => page.evaluate('losses.length');
    const stays = await updates();
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['A text dropped beside the box.'], 'a.txt'));
      for (const type of ['dragover', 'drop'])
        if (document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })))
          throw new Error(`the browser would open what is dropped (${type})`);
    });
    await page.waitForFunction(() => document.getElementById('text').value === 'A text dropped beside the box.');
    await page.reload({ timeout: 2000 }).catch(() => {});  // the question is answered with no
    const asked = trouble.filter(line => /dialog: beforeunload/.test(line)).length;
    say(`${width}: a file dropped beside the box is a text; a reload asks first, and the run stays`,
      asked === questions + 1 && await updates() === stays, [`${asked} questions, ${await updates()} updates, before ${stays}`]);
    questions = asked;
    await page.evaluate(before => { window.longest = before; }, busy);
    await page.click('#go');
    await status('Done');
    await page.click('#write');
    await page.waitForFunction(() => document.getElementById('written').textContent.length > 50);

    const said = await page.textContent('#status'), captions = await page.$$eval('#samples figcaption', all => all.map(one => one.textContent));
    say(`${width}: samples say after how many updates and at which loss; maps name their tokens; words have 12 pixels`,
      captions.length && captions.every(text => /update.* \d+.* \d\.\d{3} bits per character$/.test(text)) &&
        await page.evaluate(() => document.getElementById('prompt').value.startsWith(document.querySelector('#heads text').textContent) && [...document.querySelectorAll('#chart .plot text')]
          .every(text => Math.abs(parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d - 12) < 0.1)), captions);
    const flags = await page.evaluate('run.flags'), seen = await page.evaluate('evaluations');
    writeFileSync(join(work, 'page.txt'), text);
    const ended = train('page.txt', flags, `page${width}`);
    const drawn = await page.evaluate('losses'), wrong = places(await readOne(page, 'chart'), [{ name: 'each update', points: drawn },
      { name: 'training', points: means(drawn, 0.02) }, { name: 'validation', points: seen.map(({ step, val }) => [step, val]) }]);
    say(`${width}: the chart is its losses`, !wrong.length, wrong);
    const words = text => text.replace(/\d+/g, '0');  // the last digits of losses differ
    const verdict = said.slice('Done. '.length, Math.max(said.lastIndexOf('. '), said.lastIndexOf('; ')));  // the advice is the page's
    say(`${width}: the end says what ./gradus says at its end, and names no flags`, words(ended).includes(`\n${words(verdict)}`) && !said.includes('--'), [said, ended.slice(-600)]);
    const native = evaluations(`page${width}`);
    say(`${width}: the losses of ./gradus after 0 and ${native[1][0]} updates, to 5 digits`, same(native, seen),
      [JSON.stringify(native), JSON.stringify(seen.slice(0, 2))]);

    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    await download.saveAs(join(work, 'page.safetensors'));
    const characters = [...text];
    writeFileSync(join(work, 'validation.txt'), characters.slice(Math.floor((1 - 0.1) * characters.length)).join(''));
    const best = Math.min(...seen.map(e => e.nats));
    const loss = Number(/loss (\d+\.\d+)/.exec(run('eval', 'page.safetensors', 'validation.txt', '--threads', '1'))?.[1]);
    say(`${width}: ./gradus eval of the saved model has the page's best loss`, Math.abs(loss - best) < 1e-4, [`${loss} against ${best}`]);
    run('sample', 'page.safetensors', '--max_new_tokens', '20');
    await page.setInputFiles('#open', join(work, 'page.safetensors'));
    await status('Opened');
    await page.click('#write');

    const longest = await page.evaluate('longest');
    say(`${width}: no task of the page above 100 ms while it trained`, longest <= 100, [`${longest} ms`]);
    await page.addScriptTag({ content: axe });
    const found = await page.evaluate(() => window.axe.run());
    say(`${width}: axe finds nothing`, found.violations.length === 0, found.violations.map(v => `${v.id}: ${v.nodes[0].html}`));
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    say(`${width}: no scrolling sideways`, beyond <= 0, [`${beyond} pixels`]);
    await page.screenshot({ path: join(work, `page-${width}-${scheme}.png`), fullPage: true });
  });
// Tokens of more than a character and of less: of 150 KB, one alphabet each.
const alphabets = { Greek: [0x3b1, 25, 2], Chinese: [0x4e00, 700, 3], emoji: [0x1f400, 150, 4] };
for (const [name, [first, letters, bytes]] of Object.entries(alphabets))
  await open(browser, file, { width: 1200 }, trouble, async page => {
    let random = 1, text = '';
    for (let i = 0; i < 150000 / bytes; ++i) {
      random = random * 48271 % 2147483647;
      text += i % 6 === 5 ? ' ' : String.fromCodePoint(first + Math.floor((random / 2147483647) ** 2 * letters));
    }
    await page.waitForFunction(() => document.getElementById('status').textContent === 'Ready.', null, { timeout: 60000 });
    await page.evaluate(text => { document.getElementById('text').value = text; }, text);
    await page.click('#train');
    await page.waitForFunction(() => document.querySelectorAll('#samples pre').length > 1, null, { timeout: 120000 });
    const written = [];
    for (const prompt of ['🦊', text.slice(0, 30), '']) {
      await page.fill('#prompt', prompt);
      await page.evaluate(() => { document.getElementById('written').textContent = ''; });
      await page.click('#write');
      await page.waitForFunction(() => document.getElementById('written').textContent, null, { timeout: 60000 });
      written.push(await page.textContent('#written'));
    }
    const wrong = await page.evaluate(() => document.getElementById('status').classList.contains('error') && document.getElementById('status').textContent);
    const kind = await page.evaluate('run.kind'), samples = await page.$$eval('#samples pre', all => all.map(one => one.textContent));
    say(`${name}: trains on ${kind} tokens, and writes, from an emoji too`, kind === 'bpe' && !wrong && written[0].startsWith('🦊') &&
      [...written, ...samples].every(text => text.length > 20), [wrong, ...written, ...samples].map(String));
    if (name !== 'Chinese') return;
    await page.waitForFunction('evaluations.length > 1', null, { timeout: 120000 });
    writeFileSync(join(work, 'page.txt'), text);
    train('page.txt', await page.evaluate('run.flags'), 'chinese');
    const native = evaluations('chinese'), seen = await page.evaluate('evaluations');
    say(`${name}: the losses of ./gradus`, same(native, seen), [JSON.stringify(native), JSON.stringify(seen)]);
  });
// The worker, and what Save gives; the question whether to leave a run.
const real = trouble.filter(line => !/request: blob:|dialog: beforeunload/.test(line));
say('nothing is requested, no script of the text runs, no errors', real.length === 0, real);
await browser.close();
