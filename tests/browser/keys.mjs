// By keyboard alone: Tab reaches all controls, each with a name and a visible focus; arrows move in a picture.
import { settled } from './chart.mjs';
import { open } from './open.mjs';

// In the page: the focused element.
function focused() {
  const element = document.activeElement;
  if (!element || element === document.body || element === document.documentElement) return null;
  element.dataset.tabbed = element.dataset.tabbed ? 'again' : 'once';
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  return {
    again: element.dataset.tabbed === 'again',
    html: element.outerHTML.slice(0, 120),
    seen: element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && box.width > 1 && box.height > 1 &&
      box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    outlined: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 && !/, 0\)$|transparent/.test(style.outlineColor)) || style.boxShadow !== 'none',
  };
}

const live = page => page.$$eval('[aria-live], output', all => all.map(element => element.textContent).join('\n'));

export async function keys(browser, report, say) {
  const wrong = [];
  await open(browser, report.file, {}, report.trouble, async page => {
    const session = await page.context().newCDPSession(page);
    let stops = 0;
    for (; stops < 500; ++stops) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(focused);
      if (!at || at.again) break;
      if (!at.seen) wrong.push(`not to be seen: ${at.html}`);
      if (!at.outlined) wrong.push(`no outline: ${at.html}`);
      // The name a screen reader says, as Chromium computes it.
      const { result } = await session.send('Runtime.evaluate', { expression: 'document.activeElement' });
      const { nodes } = await session.send('Accessibility.getPartialAXTree', { objectId: result.objectId, fetchRelatives: false });
      if (!nodes[0]?.name?.value?.trim()) wrong.push(`no name: ${at.html}`);
    }
    if (stops === 500) wrong.push('500 times Tab, and no end');
    const missed = await page.$$eval('a[href], button, summary, select, input, textarea, [tabindex]', all => all
      .filter(element => element.tabIndex >= 0 && !element.disabled && element.type !== 'radio' && element.checkVisibility({ visibilityProperty: true }) && !element.dataset.tabbed)
      .map(element => element.outerHTML.slice(0, 120)));
    wrong.push(...missed.map(html => `not reached: ${html}`));
    say(`keyboard: ${stops} stops of Tab, each seen, named and outlined`, !wrong.length, wrong);

    const still = [], parts = await page.$$('.plot, .surprise, #map > [tabindex]');
    let moved = 0;
    for (const part of parts) {
      if (!await part.isVisible()) continue;
      ++moved;
      await part.focus();
      const isChart = await part.evaluate(element => element.matches('.plot')), texts = new Set([await live(page)]);
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowLeft', 'ArrowLeft']) {
        await page.keyboard.press(key);
        await settled(page);
        texts.add(await live(page));
      }
      // A chart has a text for each of its steps; the first may be there already.
      const steps = isChart ? await part.evaluate(element => element.querySelector('[data-series] path').getAttribute('d').split(/[ML]/).length - 1) : 2;
      const enough = Math.min(3, steps);
      if (texts.size < enough) still.push(`${await part.getAttribute('aria-label')}: 7 arrows, ${texts.size} texts`);
    }
    for (const key of ['ArrowDown', 'ArrowRight']) {
      const head = await page.textContent('#head');
      if (!await page.isVisible('#heads')) continue;
      await page.focus('#heads [aria-checked=true]');
      await page.keyboard.press(key);
      const focused = await page.evaluate(() => document.activeElement.getAttribute('aria-checked'));
      if (await page.textContent('#head') === head || focused !== 'true') still.push(`the heads: ${key}: ${head} again`);
    }
    say(`keyboard: arrows move in ${moved} charts, maps and texts, and what is said there changes`, !still.length, still);
  });
}
