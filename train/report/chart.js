// Lines over one x, drawn as SVG: a cursor, zoom, a legend that hides. gradus report and the page that trains both
// draw with it. Nothing in here knows what the numbers are, and nothing is drawn from a string of HTML.
'use strict';

const made = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const drawn = (parent, name, attributes = {}, text = '') => {
  const element = parent.appendChild(document.createElementNS('http://www.w3.org/2000/svg', name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
};
const limited = (value, low, high) => Math.max(low, Math.min(high, value));
const counted = value => value.toLocaleString('en');

// Four digits after the point for losses, six in all for what is smaller or larger.
function valueText(value) {
  if (value === null) return 'not finite';
  if (Number.isInteger(value) && Math.abs(value) < 1e12) return counted(value);
  return Math.abs(value) >= 1 && Math.abs(value) < 1000 ? value.toFixed(4) : String(Number(value.toPrecision(6)));
}
// 2.5K, 10M, 1e-6: short enough for an axis.
function tickText(value) {
  const short = part => String(Number(part.toPrecision(6)));
  if (Math.abs(value) >= 1e15) return value.toExponential().replace('e+', 'e');
  if (value !== 0 && Math.abs(value) < 1e-4) return Number(value.toPrecision(6)).toExponential();
  for (const [unit, letter] of [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e4, 'K']])
    if (Math.abs(value) >= unit) return short(letter === 'K' ? value / 1e3 : value / unit) + letter;
  return short(value);
}

// The least of 1, 2 and 5 times the powers of 10 that is not below rough.
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough)), times = rough / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
function multiples(low, high, step) {
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) ticks.push(i * step);
  return ticks;
}
// 1, 2 and 5 times the powers of 10; for a wide range, only some of the powers.
function powers(low, high, wanted) {
  const decades = Math.log10(high / low), every = Math.ceil(decades / wanted), ticks = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; ++power)
    for (const times of decades < 2 ? [1, 2, 5] : power % every === 0 ? [1] : [])
      if (times * 10 ** power >= low * (1 - 1e-9) && times * 10 ** power <= high * (1 + 1e-9)) ticks.push(times * 10 ** power);
  return ticks;
}
// A scale from low to high with about `wanted` round marks. round: it ends at marks. share(value) is 0 at low and 1
// at high.
function scale(low, high, {log = false, whole = false, round = false, wanted = 5}) {
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high)))
    [low, high] = log ? [low / 2, high * 2] : [Math.min(0, 2 * low), high === 0 ? 1 : Math.max(0, 2 * high)];
  const step = Math.max(roundStep((high - low) / wanted), whole ? 1 : 0);
  if (round && !log) [low, high] = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  let ticks = log ? powers(low, high, wanted) : [];
  if (ticks.length < 2) ticks = multiples(low, high, step);
  for (let finer = 1; ticks.length < 2 && finer < 9; finer *= 1.5) ticks = multiples(low, high, roundStep((high - low) / wanted / finer));
  const unit = log ? Math.log : value => value, from = unit(low), width = unit(high) - from;
  return {low, high, ticks, share: value => (unit(value) - from) / width, value: share => log ? Math.exp(from + share * width) : from + share * width};
}

// The number of values in xs, which ascend, that are at most x.
function upTo(xs, x) {
  let low = 0, high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}

// The mean of each value and those around it, `share` of all in width.
function smoothed(values, share) {
  const n = values.length, reach = Math.floor(n * share / 2), sums = [0];
  for (const value of values) sums.push(sums.at(-1) + value);
  return values.map((_, i) => {
    const from = Math.max(0, i - reach), to = Math.min(n, i + reach + 1);
    return (sums[to] - sums[from]) / (to - from);
  });
}

// What the charts beside each other share: the part of x that is seen (null: all), the cursor, the names of the
// series that are hidden, logarithmic axes.
class Board {
  from = null;
  to = null;
  at = null;
  logX = false;
  logY = false;
  hidden = new Set();
  changed = () => {};  // called after each change
  #charts = [];
  #views = [];         // before each zoom
  #stale = false;      // more than the cursor has changed
  #waiting = 0;

  add(chart) { this.#charts.push(chart); }
  set(change) {
    Object.assign(this, change);
    this.#stale ||= Object.keys(change).some(key => key !== 'at');
    this.changed();
    if (this.#waiting) return;
    this.#waiting = requestAnimationFrame(() => {
      for (const chart of this.#charts) if (this.#stale) chart.draw(); else chart.drawCursor();
      this.#stale = false;
      this.#waiting = 0;
    });
  }
  zoom(from, to) {
    this.#views.push([this.from, this.to]);
    this.set({from, to});
  }
  undo() {
    const [from, to] = this.#views.pop() ?? [null, null];
    this.set({from, to});
  }
  whole() {
    this.#views = [];
    this.set({from: null, to: null});
  }
  toggle(name) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.set({hidden: this.hidden});
  }
}

// The chart in a <figure>, below its caption. spec:
//   name                  what it is, for screen readers
//   x, y: {name, whole, log, zero, end}    log: whatever the board says; zero: the axis begins there; end: it reaches so far;
//                         all: the first values, too, are inside
//   series: [{name, hue, x, y, kind}] x ascends; y: null if not finite, which only a logarithmic axis leaves out; kind: '', 'dots' (behind the others), 'thin'; dash: as of SVG; group: a heading in the legend
//   levels: [{name, y}]   horizontal lines to compare with
//   marks: [{name, x}]    vertical ones
class Chart {
  static margin = {left: 56, right: 20, top: 26, bottom: 38};

  constructor(figure, board, spec) {
    this.figure = figure;
    this.board = board;
    this.legend = made('div', {className: 'legend'});
    this.plot = made('div', {className: 'plot', tabIndex: 0});
    this.plot.setAttribute('role', 'group');
    this.readout = made('output', {className: 'tip'});
    this.table = made('details', {}, made('summary', {textContent: 'The numbers of this chart'}));
    this.table.ontoggle = () => this.fillTable();
    const caption = figure.querySelector('figcaption');
    caption.after(this.legend, this.plot);
    figure.append(this.table);
    this.listen();
    board.add(this);
    this.update(spec);
    new ResizeObserver(() => { if (this.plot.clientWidth !== this.width) this.draw(); }).observe(this.plot);
  }

  update(spec) {
    this.spec = spec;
    this.plot.setAttribute('aria-label', `${spec.name}. Arrow keys move the cursor, plus and minus zoom, Escape shows all.`);
    const names = spec.series.map(line => line.name).join('\n');
    if (names !== this.names) this.fillLegend();
    this.names = names;
    this.draw();
    if (this.table.open) this.fillTable();
  }

  fillLegend() {
    const {series} = this.spec, groups = [...new Set(series.map(line => line.group))];
    const button = line => {
      const button = made('button', {type: 'button', onclick: () => this.board.toggle(line.name)});
      const sign = drawn(button, 'svg', {viewBox: '0 0 28 10', 'aria-hidden': 'true'});
      this.stroke(drawn(sign, 'path', {d: line.kind === 'dots' ? 'M4 5h0M14 3h0M24 7h0' : 'M1 5H27'}), line);
      button.append(made('span', {className: 'name', textContent: line.name}));
      return button;
    };
    this.legend.replaceChildren(...groups.flatMap(group => [...group ? [made('span', {className: 'group', textContent: group})] : [],
      ...series.filter(line => line.group === group).map(button)]));
  }
  // Dots behind a line of their color are faint, and the line is bold.
  stroke(path, {hue, kind = '', dash = ''}) {
    const isDots = kind === 'dots', isPair = this.spec.series.some(line => line.hue === hue && (line.kind === 'dots') !== isDots);
    path.setAttribute('class', `line ${kind} ${isPair ? isDots ? 'faint' : 'bold' : ''}`);
    path.style.setProperty('--hue', hue);
    if (dash) path.setAttribute('stroke-dasharray', dash);
  }

  // The series that are seen, and of each the points from one before the view to one after it.
  visible() {
    const {from, to, hidden} = this.board, least = this.logX() ? 0 : -Infinity;
    return this.spec.series.filter(line => !hidden.has(line.name) && line.x.at(-1) > least).map(line => ({
      ...line,
      begin: from === null ? 0 : Math.max(0, upTo(line.x, from) - 1),
      end: to === null ? line.x.length : Math.min(line.x.length, upTo(line.x, to) + 1),
    }));
  }
  logX() { return this.spec.x.log ?? this.board.logX; }

  // Losses fall from that of chance at first: what is above the rest there may lie above the picture. first: the
  // largest value in view.
  scales(lines) {
    const {board, spec} = this, log = {x: this.logX(), y: board.logY && !spec.y.zero};
    const firsts = lines.map(line => line.x.find(x => !log.x || x > 0)).filter(x => x !== undefined);
    const low = board.from ?? Math.min(...firsts), high = board.to ?? Math.max(...lines.map(line => line.x.at(-1)), spec.x.end ?? -Infinity);
    const start = board.from === null && !log.x && !spec.y.all ? low + (high - low) / 20 : low;
    let least = Infinity, most = -Infinity, first = -Infinity;
    for (const {x, y, begin, end} of lines)
      for (let i = begin; i < end; ++i) {
        if (x[i] < low || x[i] > high || (log.y && y[i] <= 0)) continue;
        least = Math.min(least, y[i]);
        first = Math.max(first, y[i]);
        if (x[i] >= start) most = Math.max(most, y[i]);
      }
    if (least === Infinity) [least, first] = [log.y ? 1 : 0, 1];
    if (most === -Infinity) most = first;
    for (const {y} of spec.levels ?? []) if (y <= most && board.from === null) least = Math.min(least, y);
    if (spec.y.zero) least = Math.min(0, least);
    return {
      first,
      x: scale(Math.max(low, log.x ? Math.min(...firsts) : -Infinity), high, {log: log.x, whole: spec.x.whole, wanted: this.width < 500 ? 4 : 7}),
      y: scale(least, most, {log: log.y, round: true}),
    };
  }

  draw() {
    const {left, right, top, bottom} = Chart.margin, lines = this.visible();
    this.width = Math.max(200, this.plot.clientWidth);
    this.height = this.figure.classList.contains('broad') ? 340 : 220;
    this.plot.replaceChildren(this.readout);
    const viewBox = `0 0 ${this.width} ${this.height}`;
    const svg = drawn(this.plot, 'svg', {viewBox, role: 'img', 'aria-label': this.spec.name});
    this.size = {width: this.width - left - right, height: this.height - top - bottom};
    this.scale = lines.length ? this.scales(lines) : null;
    drawn(svg, 'text', {class: 'name', x: 0, y: 14},
      this.spec.y.name + (this.scale?.first > this.scale?.y.high ? `, ▲ falls from ${valueText(this.scale.first)}` : ''));
    drawn(svg, 'text', {class: 'name middle', x: left + this.size.width / 2, y: this.height - 4}, this.spec.x.name);
    if (this.scale) this.drawAxes(svg);
    this.inner = drawn(svg, 'svg', {x: left, y: top, ...this.size});
    if (this.scale) {
      const names = this.drawLevels();
      for (const line of [...lines].sort((a, b) => (b.kind === 'dots') - (a.kind === 'dots'))) this.drawLine(line);
      this.inner.append(...names);
    }
    // A layer of its own, so that the lines need not be painted again when it moves.
    this.cursor = drawn(drawn(this.plot, 'svg', {viewBox, class: 'over', 'aria-hidden': 'true'}), 'g', {class: 'cursor', transform: `translate(${left} ${top})`});
    for (const button of this.legend.querySelectorAll('button')) button.setAttribute('aria-pressed', !this.board.hidden.has(button.textContent));
    this.drawCursor();
  }
  px(x) { return this.scale.x.share(x) * this.size.width; }
  py(y) { return (1 - this.scale.y.share(y)) * this.size.height; }

  drawAxes(svg) {
    const {left, top} = Chart.margin, {width, height} = this.size;
    for (const tick of this.scale.y.ticks) {
      const y = top + this.py(tick);
      drawn(svg, 'path', {class: 'grid', d: `M${left} ${y.toFixed(1)}h${width}`});
      drawn(svg, 'text', {class: 'y', x: left - 6, y: y + 4}, tickText(tick));
    }
    for (const tick of this.scale.x.ticks) {
      const x = left + this.px(tick);
      drawn(svg, 'path', {class: 'grid', d: `M${x.toFixed(1)} ${top}v${height}`});
      drawn(svg, 'text', {class: 'x middle', x: limited(x, 0, this.width - 18), y: top + height + 16}, tickText(tick));
    }
  }
  // Their names are returned, to be drawn above the lines.
  drawLevels() {
    const {width, height} = this.size, {y: axis, x: across} = this.scale, names = [];
    for (const {name, y} of this.spec.levels ?? []) {
      if (y < axis.low || y > axis.high) continue;
      const at = this.py(y);
      drawn(this.inner, 'path', {class: 'level', d: `M0 ${at.toFixed(1)}h${width}`});
      names.push(drawn(this.inner, 'text', {class: 'level', x: 4, y: at + (at < height - 20 ? 14 : -5)}, `${name} ${valueText(y)}`));
    }
    for (const {name, x} of this.spec.marks ?? []) {
      if (x < across.low || x > across.high) continue;
      const at = this.px(x), late = at > width * .6;
      drawn(this.inner, 'path', {class: 'level', d: `M${at.toFixed(1)} 0v${height}`});
      names.push(drawn(this.inner, 'text', {class: late ? 'level end' : 'level', x: at + (late ? -4 : 4), y: 12}, name));
    }
    return names;
  }

  // Of points in one column of pixels the first, the lowest, the highest and the last are enough.
  corners({x, y, begin, end}) {
    const places = [];
    let column = null, low, high, last;
    const close = () => { if (column !== null) places.push(...[...new Set([low, high, last])].sort((a, b) => a - b)); };
    for (let i = begin; i < end; ++i) {
      if (!(this.logX() && x[i] <= 0) && !(this.board.logY && !this.spec.y.zero && y[i] <= 0)) {
        const at = Math.floor(this.px(x[i]));
        if (at !== column) {
          close();
          column = at;
          places.push(i);
          low = high = i;
        }
        if (y[i] < y[low]) low = i;
        if (y[i] > y[high]) high = i;
        last = i;
      }
    }
    close();
    return [...new Set(places)].map(i => `${this.px(x[i]).toFixed(1)} ${this.py(y[i]).toFixed(1)}`);
  }
  drawLine(line) {
    const corners = this.corners(line);
    const group = drawn(this.inner, 'g');
    group.dataset.series = line.name;
    if (!corners.length) return;
    if (line.kind !== 'dots') this.stroke(drawn(group, 'path', {d: `M${corners.join('L')}`}), line);
    if (line.kind === 'dots') this.stroke(drawn(group, 'path', {d: corners.map(corner => `M${corner}h0`).join('')}), line);
    else if (line.end - line.begin <= 60 && line.kind !== 'thin')
      this.stroke(drawn(group, 'path', {d: corners.map(corner => `M${corner}h0`).join('')}), {hue: line.hue, kind: 'ends'});
    this.drawCut(line);
  }
  // A mark where a line comes down from above the picture.
  drawCut({x, y, begin, end, hue}) {
    const isAbove = i => i >= begin && i < end && x[i] >= this.scale.x.low && y[i] > this.scale.y.high;
    const last = y.findLastIndex((_, i) => isAbove(i)), next = Math.min(last + 1, end - 1);
    if (last < 0) return;
    const from = this.py(y[last]), share = next > last ? from / (from - this.py(y[next])) : 0;
    const at = limited(this.px(x[last]) + share * (this.px(x[next]) - this.px(x[last])), 6, this.size.width - 6);
    drawn(this.inner, 'path', {class: 'cut', d: `M${at.toFixed(1)} 1l5 9h-10z`}).style.setProperty('--hue', hue);
  }

  // Of each series that is seen, its last point at or before the cursor, or else its first.
  under(at) {
    return this.visible().map(line => ({line, i: Math.max(0, upTo(line.x, at) - 1)}));
  }
  drawCursor() {
    const {at} = this.board, {height} = this.size;
    this.cursor.replaceChildren();
    this.readout.textContent = '';
    if (at === null || !this.scale) return;
    if (at >= this.scale.x.low && at <= this.scale.x.high)
      drawn(this.cursor, 'path', {d: `M${this.px(at).toFixed(1)} 0v${height}`});
    const words = [];
    for (const {line, i} of this.under(at)) {
      const x = line.x[i], y = line.y[i], seen = x >= this.scale.x.low && x <= this.scale.x.high && y >= this.scale.y.low && y <= this.scale.y.high;
      if (seen) drawn(this.cursor, 'circle', {cx: this.px(x).toFixed(1), cy: this.py(y).toFixed(1), r: 4});
      words.push(`${line.name} ${valueText(y)}${x === at ? '' : ` (at ${valueText(x)})`}`);
    }
    this.readout.textContent = `${this.spec.x.name} ${valueText(at)}:\n${words.join(',\n')}`;
    const x = Chart.margin.left + limited(this.px(at), 0, this.size.width), isLate = x > this.width / 2;
    Object.assign(this.readout.style, {transform: `translateX(${isLate ? `calc(${x - 6}px - 100%)` : `${x + 6}px`})`,
      maxWidth: `${(isLate ? x : this.width - x) - 6}px`});
  }

  // The value of a series that is nearest to a place.
  nearest(x) {
    let best = null;
    for (const line of this.visible())
      for (const i of [upTo(line.x, x) - 1, upTo(line.x, x)])
        if (i >= 0 && i < line.x.length && (best === null || Math.abs(this.px(line.x[i]) - this.px(x)) < Math.abs(this.px(best) - this.px(x))))
          best = line.x[i];
    return best;
  }
  place(event) {
    const box = this.plot.getBoundingClientRect();
    return limited((event.clientX - box.left) * this.width / box.width - Chart.margin.left, 0, this.size.width);
  }
  // The cursor to the next value of the series with the most of them, or to the end.
  step(by) {
    const {board, scale: {x: {low, high}}} = this;
    const [{x: xs}] = this.visible().sort((a, b) => b.x.length - a.x.length);
    const least = 1e-9 * (high - low), end = xs.length - 1, first = Math.min(end, upTo(xs, low - least)), last = limited(upTo(xs, high + least) - 1, first, end);
    const now = board.at === null ? (by > 0 ? first - 1 : last + 1) : upTo(xs, board.at) - 1;
    board.set({at: xs[limited(now + by, first, last)]});
  }
  // The view around the cursor, by a factor.
  zoomBy(factor) {
    const {board, scale: {x}} = this, middle = x.share(board.at ?? x.value(.5));
    board.zoom(x.value(middle - middle * factor), x.value(middle + (1 - middle) * factor));
  }
  press(event) {
    const many = Math.max(1, Math.round(this.visible().reduce((most, line) => Math.max(most, line.end - line.begin), 0) / 20));
    const keys = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), PageUp: () => this.step(-many), PageDown: () => this.step(many),
      Home: () => this.step(-1e9), End: () => this.step(1e9), Escape: () => this.board.whole(),
      '+': () => this.zoomBy(.5), '=': () => this.zoomBy(.5), '-': () => this.board.undo(),
    };
    if (!keys[event.key] || !this.scale || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  listen() {
    let begin = null, area = null;
    const {plot} = this;
    plot.onkeydown = event => this.press(event);
    plot.onfocus = () => this.readout.setAttribute('aria-live', 'polite');
    plot.onblur = () => this.readout.removeAttribute('aria-live');
    plot.ondblclick = () => this.board.undo();
    plot.onpointerdown = event => {
      if (!this.scale || event.button > 0) return;
      begin = this.place(event);
      plot.setPointerCapture(event.pointerId);
      this.board.set({at: this.nearest(this.scale.x.value(begin / this.size.width))});
    };
    plot.onpointermove = event => {
      if (!this.scale) return;
      const at = this.place(event);
      if (begin === null) return this.board.set({at: this.nearest(this.scale.x.value(at / this.size.width))});
      area ??= drawn(this.cursor, 'rect', {class: 'area', y: 0, height: this.size.height});
      area.setAttribute('x', Math.min(begin, at));
      area.setAttribute('width', Math.abs(at - begin));
    };
    plot.onpointercancel = () => { area?.remove(); begin = area = null; };
    plot.onpointerup = event => {
      const ends = [begin, this.place(event)].sort((a, b) => a - b);
      const from = begin;
      plot.onpointercancel();
      if (from !== null && ends[1] - ends[0] > 8) this.board.zoom(...ends.map(end => this.scale.x.value(end / this.size.width)));
    };
  }

  // Of what is in view, a row for each x; at most a thousand.
  fillTable() {
    if (!this.table.open) return this.table.querySelector('section')?.remove();
    const most = 1000, {from, to} = this.board, {series, x} = this.spec, rows = new Map();
    series.forEach((line, column) => line.x.forEach((at, i) => {
      if ((from !== null && at < from) || (to !== null && at > to)) return;
      if (!rows.has(at)) rows.set(at, []);
      rows.get(at)[column] = line.y[i];
    }));
    const sorted = [...rows].sort((a, b) => a[0] - b[0]), every = Math.ceil(sorted.length / most);
    const shown = sorted.filter((_, i) => i % every === 0 || i === sorted.length - 1);
    this.table.querySelector('section')?.remove();
    this.table.append(tableOf(`${this.spec.name}: numbers`, [x.name, ...series.map(line => line.name)],
      shown.map(([at, values]) => [valueText(at), ...series.map((_, i) => values[i] === undefined ? '' : valueText(values[i]))])));
    if (every > 1) this.table.lastChild.append(made('p', {className: 'note', textContent: `One row of ${every} is shown; zoom in for all.`}));
  }
}

// A table that scrolls by itself where there is no room for it. A cell is a text, or a number's text; head: the first
// cell of each row names it.
function tableOf(label, columns, rows, {best = -1} = {}) {
  const head = made('tr', {}, ...columns.map(name => made('th', {scope: 'col', textContent: name})));
  const lines = rows.map((cells, i) => made('tr', {className: i === best ? 'best' : ''}, ...cells.map((text, column) =>
    column === 0 ? made('th', {scope: 'row', textContent: text})
      : made('td', {textContent: text, className: /^[-+–]?[\d.,e–]*( .*)?$/.test(text) ? 'n' : ''}))));
  const section = made('section', {className: 'wide', tabIndex: 0}, made('table', {}, made('thead', {}, head), made('tbody', {}, ...lines)));
  section.setAttribute('aria-label', label);
  return section;
}

// Tints grow with the root of the weight: a tenth is still well seen.
const shade = weight => Math.sqrt(weight);
// The attention of one head: a row for each token that looks, a column for each that is looked at, the stronger the
// color, the larger the weight; below a quarter of an even share there is none. choose(row, column): by the pointer.
// place(row, column) moves the mark.
function attentionMap(rows, tokens, label, choose = () => {}) {
  const n = tokens.length, longest = Math.max(...tokens.map(token => [...token].length)), room = .8 + .5 * Math.min(10, longest);
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [name, value] of Object.entries({class: 'map', role: 'img', 'aria-label': label, viewBox: `${-room} ${-room} ${n + room + .1} ${n + room + .1}`}))
    svg.setAttribute(name, value);
  drawn(svg, 'path', {class: 'frame', d: `M0 0H${n}V${n}H0z`});
  rows.forEach((row, i) => row.forEach((weight, j) => {
    if (weight * 4 * n >= 1) drawn(svg, 'rect', {class: 'cell', x: j, y: i, width: 1, height: 1, 'fill-opacity': shade(weight).toFixed(2)});
  }));
  tokens.forEach((token, i) => {
    const isWord = [...token].length > 1;
    drawn(svg, 'text', {x: -.3, y: i + .78, 'text-anchor': 'end'}, token);
    drawn(svg, 'text', {transform: `translate(${i + (isWord ? .78 : .5)} -.3)${isWord ? ' rotate(-90)' : ''}`, 'text-anchor': isWord ? 'start' : 'middle'}, token);
  });
  const cursor = drawn(svg, 'path', {class: 'cursor', d: 'M0 0h1v1h-1z', visibility: 'hidden'});
  svg.onpointermove = svg.onpointerdown = event => {
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    if (x >= 0 && y >= 0 && x < n && y < n) choose(Math.floor(y), Math.floor(x));
  };
  return {svg, place: (row, column) => {
    cursor.setAttribute('visibility', 'visible');
    cursor.setAttribute('transform', `translate(${column} ${row})`);
  }};
}

// A place to look at, moved by pointer and arrow keys: move(dx, dy).
const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-1e9, 0], End: [1e9, 0]};
function explorable(box, label, move) {
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  box.onkeydown = event => {
    if (!arrows[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move(...arrows[event.key]);
  };
}

// A run's losses as a chart, as pages that train draw them: losses has [update, loss], evaluations {step, val}.
const chartOfRun = (run, losses, evaluations) => {
  const updates = losses.filter(([, loss]) => Number.isFinite(loss)), x = updates.map(([step]) => step), y = updates.map(([, loss]) => loss);
  return {
    name: `Loss after ${losses.at(-1)?.[0] ?? 0} of ${run.steps} updates`, x: {name: 'update', whole: true, end: run.steps}, y: {name: `bits per ${run.unit}`, all: true},
    series: [{name: 'each update', hue: 28, kind: 'dots', x, y}, {name: 'training', hue: 28, dash: '9 3', x, y: smoothed(y, .02)},
      {name: 'validation', hue: 212, x: evaluations.map(e => e.step), y: evaluations.map(e => e.val)}],
    levels: [{name: 'n-grams', y: run.ngram}],
  };
};
