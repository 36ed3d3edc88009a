// The charts of an open page as a reader sees them: in CSS pixels, from the left and the upper end of the picture.

// In the page: what each chart that is shown draws.
function charts() {
  const number = text => Number(text.replaceAll(',', '').replace(/^(-?[\d.]+)([KMBT])$/,
    (_, digits, unit) => digits * { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }[unit]));
  return [...document.querySelectorAll('figure:has(> .plot)')].filter(figure => figure.checkVisibility()).map(figure => {
    const svg = figure.querySelector('.plot > svg'), inner = svg.querySelector('svg'), origin = inner.getScreenCTM();
    const box = { left: origin.e, top: origin.f, width: inner.width.baseVal.value, height: inner.height.baseVal.value };
    const placed = (element, points) => {
      const { a, b, c, d, e, f } = element.getScreenCTM();
      return points.map(([x, y]) => [a * x + c * y + e - box.left, b * x + d * y + f - box.top]);
    };
    const corners = path => placed(path, [...path.getAttribute('d').matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]));
    // The lines of the grid lie where the marks beside the axes are; a mark is the middle of its text.
    const grid = [...svg.querySelectorAll('.grid')].map(path => [path.getAttribute('d').includes('v') ? 0 : 1, corners(path)[0]]);
    const marks = axis => {
      const lines = grid.filter(([of]) => of === axis).map(([, place]) => place[axis]);
      return [...svg.querySelectorAll(`text.${'xy'[axis]}`)].map((text, i) => {
        const at = text.getBoundingClientRect();
        return { value: number(text.textContent), text: text.textContent, line: lines[i],
          middle: axis ? at.top + at.height / 2 - box.top : at.left + at.width / 2 - box.left };
      });
    };
    const names = [...svg.querySelectorAll('text.level')];
    return {
      id: figure.id, box,
      axes: [marks(0), marks(1)],
      lines: [...svg.querySelectorAll('[data-series]')].map(group => ({ name: group.dataset.series, hasDots: !group.querySelector('.dots, .thin'),
        paths: [...group.querySelectorAll('path')].map(corners) })),
      levels: [...svg.querySelectorAll('path.level')].map((path, i) => ({ d: path.getAttribute('d'), at: corners(path)[0],
        text: names[i]?.textContent ?? '' })),
      legend: [...figure.querySelectorAll('.legend button')].map(button => ({ name: button.textContent, pressed: button.getAttribute('aria-pressed') })),
      cuts: svg.querySelectorAll('.cut').length,
      cursor: [...figure.querySelectorAll('.cursor path')].map(path => corners(path)[0][0])[0] ?? null,
      dots: [...figure.querySelectorAll('.cursor circle')].map(dot => placed(dot, [[Number(dot.getAttribute('cx')), Number(dot.getAttribute('cy'))]])[0]),
      said: figure.querySelector('output').textContent,
    };
  });
}
// Waits until the latest changes are drawn.
export const settled = page => page.evaluate(() => new Promise(done => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
export async function read(page) {
  await settled(page);
  return page.evaluate(charts);
}
export const readOne = async (page, id) => (await read(page)).find(chart => chart.id === id);

// The straight line through points by least squares, and how far the farthest point is from it.
export function straight(points) {
  const n = points.length, mean = i => points.reduce((sum, point) => sum + point[i], 0) / n, mx = mean(0), my = mean(1);
  let xx = 0, xy = 0;
  for (const [x, y] of points) xx += (x - mx) ** 2, xy += (x - mx) * (y - my);
  const rise = xx ? xy / xx : 0, at = x => my + rise * (x - mx);
  return { rise, at, value: place => mx + (place - my) / rise, worst: Math.max(...points.map(([x, y]) => Math.abs(y - at(x)))) };
}
// The axis, linear or logarithmic, by its marks: at(value) is a place, value(place) the value there.
export function axis(marks, isLog = false) {
  const line = straight(marks.map(({ value, line: place }) => [isLog ? Math.log(value) : value, place]));
  return isLog ? { ...line, at: value => line.at(Math.log(value)), value: place => Math.exp(line.value(place)) } : line;
}
// The values at the ends of an axis of x.
export const range = (chart, isLog) => [0, chart.box.width].map(axis(chart.axes[0], isLog).value);

export const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance * Math.max(1e-12, Math.abs(a), Math.abs(b));
// The same number, apart from the digits that its text leaves out: to four digits after the point,
// of six in all.
export const rounded = (text, value) => Math.abs(text - value) <= (Math.abs(value) >= 1 && Math.abs(value) < 1000 ? 0.551e-4 : 0.501e-5 * Math.abs(value));
export const parsed = text => text === '' ? NaN : Number(text.replaceAll(',', '').replace(/ .*/, ''));

// Presses the button at one share of a chart's width and lets it go at another.
export async function drag(page, id, from, to) {
  await page.locator(`#${id} .plot`).scrollIntoViewIfNeeded();
  const { box } = await readOne(page, id), y = box.top + box.height / 2;
  await page.mouse.move(box.left + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.left + (from + to) / 2 * box.width, y);
  await page.mouse.move(box.left + to * box.width, y);
  await page.mouse.up();
}
export async function point(page, id, place) {
  await page.locator(`#${id} .plot`).scrollIntoViewIfNeeded();
  const { box } = await readOne(page, id);
  await page.mouse.move(box.left + place, box.top + box.height / 2);
}
