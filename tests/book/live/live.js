// What the book's live figures share. A figure's numbers come from the engine, in one worker for the whole page; here
// they are drawn. Figures are described in tests/book/README.md, "A live figure".

// The worker starts at the first request. Requests are answered in order.
class Engine {
  #worker = null;
  #waiting = new Map();
  #asked = 0;
  #has = false;  // the reader's model
  heard = {};  // by an answer's name, what else listens

  constructor(address) { this.address = address; }
  send(name, data = {}) {
    const failed = () => this.#hear({name: 'failed', error: location.protocol === 'file:'
      ? 'A browser starts the engine only for pages that a server hands out, and this one is a file: python3 -m http.server hands out a folder.'
      : 'The engine does not start here: it needs WebAssembly with SIMD and exceptions.'});
    try {
      this.#worker ??= Object.assign(new Worker(this.address), {onmessage: ({data}) => this.#hear(data), onerror: failed});
    } catch { return failed(); }
    this.#worker.postMessage({name, ...data});
  }
  ask(figure, choices) {
    const id = ++this.#asked;
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.send('figure', {id, figure, choices});
    });
  }
  #hear(data) {
    if (data.name === 'failed') {  // the next question starts another
      this.#worker?.terminate();
      this.#worker = null;
      this.#has = false;
      for (const resolve of this.#waiting.values()) resolve(data);
      this.#waiting.clear();
    }
    this.#waiting.get(data.id)?.(data);
    this.#waiting.delete(data.id);
    this.heard[data.name]?.(data);
  }

  // What the reader trained in chapter 16: {text, updates}. The pages of other chapters train it again, to the same bits.
  get run() {
    try { return JSON.parse(localStorage.getItem('gradus: chapter 16')); } catch { return null; }
  }
  keep(run) {
    try { localStorage.setItem('gradus: chapter 16', JSON.stringify(run)); } catch { /* it stays on this page */ }
  }
  async trainAgain() {
    if (this.#has || !this.run) return;
    const {text, updates} = this.run;
    this.#has = !(await this.ask('16_training', `start=1\nupdates=${updates}\nseconds=100\ntext=${text}`)).error;
  }
}

const drawnBy = {};  // by a figure's name, its function: live('01_by_tape', figure => ...)
const live = (name, build) => { drawnBy[name] = build; };

function short(value) {
  if (value === null || value === undefined) return 'not finite';
  const size = Math.abs(value);
  return size >= 1e6 || (size > 0 && size < 1e-4) ? value.toExponential(2).replace('e+', 'e') : String(Number(value.toPrecision(4)));
}
const pen = made('canvas').getContext('2d');
function widthOf(text, size = 13) {
  pen.font = `${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
}
// As much of a text as has room, in letters of `size` points.
function fitted(text, room, size = 13) {
  if (widthOf(text, size) <= room) return text;
  const shown = [...text];
  while (shown.length && widthOf(`${shown.join('')}…`, size) > room) shown.pop();
  return `${shown.join('')}…`;
}
// A token, with what cannot be seen.
const spelled = token => token.replace(/ /g, '␣').replace(/\n/g, '⏎').replace(/\t/g, '⇥');
const leftOut = characters => characters ? ` Left out, since this model’s text has none of them: ${[...spelled(characters)].join(' ')}.` : '';

const some = (count, noun) => `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;

// A figure of a page. `build` makes its controls and returns a function that draws an answer into figure.box.
class LiveFigure {
  extra = {};     // choices that no control shows
  quiet = false;  // controls alone ask nothing
  returns = true; // to the printed state, at a button
  restart = () => {};  // what of the printed state no choice says
  #inputs = new Map();
  busy = false;   // an answer is awaited
  #next = null;   // the question after this answer

  constructor(place, engine) {
    this.place = place;
    place.figure = this;
    this.name = place.dataset.live;
    this.engine = engine;
    this.said = place.querySelector('pre');
    this.controls = made('div', {className: 'controls'});
    this.box = made('div', {className: 'box'});
    this.moving = made('div', {}, this.controls, this.box);  // in the page once there is an answer
    this.status = made('p', {className: 'status', role: 'status', textContent: 'The engine is starting …'});
    this.refusal = made('p', {className: 'refusal', role: 'status'});
    this.fold = made('details', {}, made('summary', {textContent: 'The same in numbers'}));
    this.said.after(this.status);
    this.draw = drawnBy[this.name](this);
    if (this.returns) this.button('As printed', () => this.reset());
    this.reset();
  }

  // --- controls; each has a name, under which the engine gets its value ---
  #add(label, name, input, ...more) {
    input.addEventListener('input', () => { if (!this.quiet) this.update(); });
    input.name = name;
    this.#inputs.set(name, input);
    const row = made('label', {}, made('span', {textContent: label}), input, ...more);
    this.controls.append(row);
    return row;
  }
  field(label, name, properties = {}) {
    return this.#add(label, name, made('input', {type: 'text', spellcheck: false, autocomplete: 'off', ...properties}));
  }
  area(label, properties = {}) { return this.#add(label, 'text', made('textarea', {spellcheck: false, rows: 3, ...properties})); }
  // of: what stands beside it, of an answer, if that is not its own value.
  slider(label, name, properties, of = null) {
    const input = made('input', {type: 'range', ...properties}), shown = made('output');
    const row = this.#add(label, name, input, shown);
    input.show = () => {
      shown.textContent = !of ? input.value : this.data ? of(this.data) : '';
      input.setAttribute('aria-valuetext', shown.textContent);
    };
    input.addEventListener('input', input.show);
    input.show();
    return row;
  }
  check(label, name) { return this.#add(label, name, made('input', {type: 'checkbox'})); }
  choice(label, name, options) {
    return this.#add(label, name, made('select', {}, ...options.map(text => made('option', {textContent: text}))));
  }
  // What the answer is made with: the printed state's model, in words, or the reader's, once there is one.
  model(label, printed) {
    const yours = made('option', {value: 'yours'}), select = made('select', {}, made('option', {value: 'printed', textContent: printed}), yours);
    yours.disabled = !this.engine.run;
    yours.textContent = yours.disabled ? 'yours: train it in chapter 16 first' : 'yours, trained in chapter 16';
    this.#add(label, 'model', select);
  }
  button(text, onclick) {
    const button = made('button', {type: 'button', textContent: text, onclick});
    this.controls.append(button);
    return button;
  }
  // Controls that change nothing at present are off.
  apply(names, whether) { for (const name of names) this.#inputs.get(name).disabled = !whether; }

  // --- the reader's choices ---
  choices() {
    const lines = [...Object.entries(this.extra).map(([name, value]) => [name, String(value)]),
      ...[...this.#inputs].map(([name, input]) => [name, input.type === 'checkbox' ? String(+input.checked) : input.value])];
    lines.sort((a, b) => (a[0] === 'text') - (b[0] === 'text'));  // which may have lines of its own
    return lines.map(([name, value]) => `${name}=${name === 'text' ? value : value.replace(/\s/g, ' ')}`).join('\n');
  }
  set(name, value) {
    const input = this.#inputs.get(name);
    if (!input) return;
    if (input.type === 'checkbox') input.checked = value === '1'; else input.value = value;
    input.show?.();
  }
  // Back to the printed state, which the engine knows.
  reset() {
    this.restart();
    this.update('');
  }
  async ask(choices = this.choices()) {
    if (choices && this.#inputs.get('model')?.value === 'yours') await this.engine.trainAgain();
    const data = await this.engine.ask(this.name, choices);
    if (!data.choices || !this.#next) this.hear(data);  // who chooses again before the printed state is back keeps the choice
    return data;
  }
  // One question at a time: while a reader drags, what is between is left out.
  async update(choices) {
    this.#next = {choices};
    if (this.busy) return;
    this.busy = true;
    while (this.#next) {
      const {choices} = this.#next;
      this.#next = null;
      await this.ask(choices);
    }
    this.busy = false;
  }
  hear(data) {
    if (!this.data) {
      if (data.error) {
        this.status.textContent = data.error;
        this.place.style.minHeight = 0;  // no place is kept for what does not move
        return;
      }
      this.#begin();
    }
    this.#refuse(data.error);
    if (data.error) return;
    this.data = data;
    this.status.textContent = '';
    this.said.textContent = data.said;
    this.draw(data);
    for (const line of data.choices?.split('\n') ?? []) {
      const at = line.indexOf('=');
      this.set(line.slice(0, at), line.slice(0, at) === 'text' ? data.choices.slice(data.choices.indexOf('\ntext=') + 6) : line.slice(at + 1));
    }
    for (const input of this.#inputs.values()) input.show?.();
  }
  // The printed state gives way to controls, which have its choices by then.
  #begin() {
    this.said.replaceWith(this.fold);
    this.fold.append(this.said);
    this.moving.append(this.status);
    this.place.prepend(this.moving);
  }
  // Says at its control what the engine refuses. The picture stays that of the last answer.
  #refuse(error) {
    const [, name, what] = error?.match(/^(\w+): ([^]*)$/) ?? [], at = this.#inputs.get(name);
    for (const input of this.#inputs.values()) input.setAttribute('aria-invalid', input === at);
    this.place.classList.toggle('refused', Boolean(error));
    this.refusal.textContent = error ? `${(at ? what : error).replace(/[^.?]$/, '$&.')}${this.data ? ' The picture is still that of your last choices before this.' : ''}` : '';
    if (at) at.closest('label').after(this.refusal); else this.controls.append(this.refusal);
  }
  redraw() { if (this.data) this.draw(this.data); }
  // Numbers as cells, the larger, the stronger the color; null: a cell that is hidden. Names of rows and columns, or none.
  grid(title, rows, {rowNames, columnNames, most = Math.max(...rows.flat().map(Math.abs), 1e-9), digits = 2}) {
    const left = rowNames ? 64 : 1, top = columnNames ? 22 : 1, width = rows[0].length * 44 + left;
    const frame = made('div', {className: 'scrolls'}, made('p', {className: 'title', textContent: title}));
    const svg = drawn(frame, 'svg', {viewBox: `0 0 ${width} ${rows.length * 24 + top}`, role: 'img', 'aria-label': title});
    svg.style.width = `${width}px`;
    svg.style.minWidth = `${0.92 * width}px`;
    columnNames?.forEach((name, j) => drawn(svg, 'text', {class: 'text column', x: left + 21 + 44 * j, y: 15}, fitted(String(name), 42, 12)));
    rows.forEach((row, i) => {
      if (rowNames) drawn(svg, 'text', {class: 'text', x: 0, y: top + 16 + 24 * i}, fitted(rowNames[i], 58));
      row.forEach((value, j) => {
        const strength = value === null ? 0 : Math.min(1, Math.abs(value) / most);
        drawn(svg, 'rect', {class: value < 0 ? 'cell minus' : 'cell', x: left + 44 * j, y: top + 24 * i, width: 42, height: 22, 'fill-opacity': (0.6 * strength).toFixed(2)});
        drawn(svg, 'text', {class: 'text column', x: left + 21 + 44 * j, y: top + 16 + 24 * i}, value === null ? '−∞' : value.toFixed(digits));
      });
    });
    return frame;
  }
  // An SVG picture in the box. Where the page is narrower it shrinks a little, and then scrolls: letters can be read.
  svg(width, height, label, place = this.box) {
    const frame = made('div', {className: 'scrolls'});
    const svg = drawn(frame, 'svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});
    svg.style.width = `${width}px`;
    svg.style.minWidth = `${0.92 * width}px`;
    const from = place.querySelector('.scrolls')?.scrollLeft ?? 0;
    place.replaceChildren(frame);
    frame.scrollLeft = from;
    return svg;
  }
  // A bar for each row, between its name, `left` points wide, and its text: {name, share of the longest, text, kind, out: gray}.
  bars(label, rows, left) {
    const right = Math.max(...rows.map(({text}) => widthOf(text))) + 12;
    const width = limited(this.box.clientWidth, 300, 500), room = width - left - right, svg = this.svg(width, rows.length * 22 + 6, label);
    rows.forEach(({name, share, text, kind = 'strong', out = ''}, i) => {
      const y = 22 * i + 16;
      drawn(svg, 'text', {class: `text ${out}`, x: 0, y}, fitted(name, left - 6));
      drawn(svg, 'rect', {class: `${kind} ${out}`, x: left, y: y - 13, width: Math.max(1, room * share), height: 16});
      drawn(svg, 'text', {class: `text ${out}`, x: left + room + 8, y}, text);
    });
  }
}

// Figures begin when they are nearly seen.
function startFigures(engine) {
  const seen = new IntersectionObserver(entries => {
    for (const {target, isIntersecting} of entries)
      if (isIntersecting) {
        seen.unobserve(target);
        new LiveFigure(target, engine);
      }
  }, {rootMargin: '400px'});
  for (const place of document.querySelectorAll('[data-live]')) if (drawnBy[place.dataset.live]) seen.observe(place);
}
