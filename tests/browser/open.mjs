// Opens reports in Chromium, and prints a line for each check.
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

// Prints; the program's status is 1 if a check failed. broken.mjs has its own function.
export const printed = name => (what, passed, details = []) => {
  if (!passed) process.exitCode = 1;
  console.log(`browser: ${name}: ${passed ? '' : 'FAILED: '}${what}`);
  if (!passed) for (const line of short(details)) console.log(`    ${line}`);
};

// The first few of many, and the beginning of each.
export function short(details, most = 8) {
  const lines = details.slice(0, most).map(line => line.length > 240 ? `${line.slice(0, 240)}...` : line);
  if (details.length > most) lines.push(`and ${details.length - most} more`);
  return lines;
}

// An empty profile each time, and nothing that Chromium does by itself.
export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// When the page showed something first, in ms; Infinity if it has shown nothing for five seconds. The browser
// notes a paint a moment after it.
export async function painted(page) {
  const paint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  const noted = await page.waitForFunction(paint, null, { timeout: 5000 }).catch(() => null);
  return noted ? noted.jsonValue() : Infinity;
}

// Runs work(page) on the report, and adds to trouble what a reader with open developer tools would see.
export async function open(browser, file, options, trouble, work) {
  const { width = 800, scheme = 'light', scripts = true, touch = false, view = '' } = options;  // view: after # in the address
  const context = await browser.newContext(
    { viewport: { width, height: 900 }, colorScheme: scheme, javaScriptEnabled: scripts, hasTouch: touch });
  try {
    const address = pathToFileURL(file).href;
    const page = await context.newPage();
    const at = `${width} wide, ${scheme}${scripts ? '' : ', without JavaScript'}`;
    page.on('console', message => {
      if (['error', 'warning', 'assert'].includes(message.type()))
        trouble.push(`${at}: console: ${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', error => trouble.push(`${at}: uncaught: ${error.message}`));
    page.on('request', request => {  // data: is part of the file
      const url = request.url().replace(/#.*/, '');
      if (url !== address && !url.startsWith('data:')) trouble.push(`${at}: request: ${url}`);
    });
    page.on('dialog', dialog => {
      trouble.push(`${at}: dialog: ${dialog.type()}: ${dialog.message()}`);
      return dialog.dismiss();
    });
    page.on('popup', () => trouble.push(`${at}: a window was opened`));
    page.on('crash', () => trouble.push(`${at}: the page crashed`));
    await page.goto(address + view, { waitUntil: 'load' });
    const result = await work(page);
    await page.waitForTimeout(50);  // for what a script does a moment later
    return result;
  } finally {
    await context.close();
  }
}
