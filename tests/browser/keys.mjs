// By keyboard alone: Tab reaches all that can be used, each with a name and a visible focus; arrows move in a picture.
import { open } from './open.mjs';

// In the page: the focused element.
function focused() {
  const element = document.activeElement;
  if (!element || element === document.body || element === document.documentElement) return null;
  element.dataset.tabbed = element.dataset.tabbed ? 'again' : 'once';
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  return {
    again: element.dataset.tabbed === 'again',
    html: element.outerHTML.replace(/ data-weights="[^"]*"/, '').slice(0, 120),
    seen: element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && box.width > 1 && box.height > 1 &&
      box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    outlined: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 && !/, 0\)$|transparent/.test(style.outlineColor)) || style.boxShadow !== 'none',
  };
}

const live = page => page.$$eval('[aria-live], [role=status], output, #cell', all => all.map(element => element.textContent).join('\n'));

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

    const still = [];
    let maps = 0, charts = 0;
    for (const figure of await page.$$('figure.attention, figure[id]:has([data-series])')) {
      if (!await figure.evaluate(element => element.checkVisibility())) continue;
      const map = await figure.evaluate(element => element.classList.contains('attention'));
      const part = await figure.$(':not(details *)[tabindex="0"]') ?? (map ? figure : null);
      if (!part) continue;  // a chart that does not listen to keys
      if (map) ++maps; else ++charts;
      await part.evaluate(element => element.focus());
      const focus = await figure.evaluate(element => element.contains(document.activeElement));
      const texts = new Set([await live(page)]);
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft']) {
        await page.keyboard.press(key);
        texts.add(await live(page));
      }
      // A chart has a text for each of its steps.
      const enough = map ? 3 : Math.min(3, 1 + await figure.evaluate(element =>
        element.querySelectorAll('tbody tr').length));
      const name = map ? `layer ${await figure.getAttribute('data-layer')}, head ${await figure.getAttribute('data-head')}` : await figure.getAttribute('id');
      if (!focus || texts.size < enough)
        still.push(`${name}: ${focus ? `5 arrows, ${texts.size} texts` : 'cannot be focused'}`);
    }
    say(`keyboard: arrows move in ${maps} attention maps and ${charts} charts, and the text beside them says where`, !still.length, still);
  });
}
