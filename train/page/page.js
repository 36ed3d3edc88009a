// The page: sends requests to the worker and shows its answers. It computes nothing itself, so it stays
// responsive whatever the engine does. Whatever comes from a text is set as textContent.
'use strict';
const $ = id => document.getElementById(id);
// Costs of training in floating-point operations (train/run/defaults.cpp has the models).
const sizes = [['Small', 1e12], ['Medium', 6e12], ['Large, the default of gradus train', 2e13]];
let run = null, losses = [], evaluations = [], state = 'idle', opened = false;
let since = 0, from = 0;  // when training last began, and after how many updates

const source = $('module').textContent + '\n' + $('worker').textContent;
const worker = new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
const send = (name, data = {}) => worker.postMessage({name, ...data});
function say(text, isError = false) {
  $('status').textContent = text;
  $('status').classList.toggle('error', isError);
}
function set(next) {  // idle, training, stopped, done
  state = next;
  $('train').disabled = state === 'training';
  $('stop').disabled = state !== 'training';
  $('go').disabled = $('step').disabled = state !== 'stopped';
  $('write').disabled = $('save').disabled = !run && !opened;
}
const duration = s => s < 90 ? `${Math.round(s)} seconds` : `${Math.round(s / 60)} minutes`;

function draw() {
  const W = 560, H = 300, left = 40, bottom = 270, top = 10;
  const values = [...losses.map(l => l[1]), ...evaluations.map(e => e.val), run.ngram].filter(Number.isFinite);
  const low = Math.floor(Math.min(...values, 2)), high = Math.ceil(Math.max(...values, low + 1));
  const x = step => left + (W - left - 10) * step / run.steps;
  const y = bits => bottom - (bottom - top) * (bits - low) / (high - low);
  const every = Math.max(1, Math.ceil(losses.length / 280));  // the mean of so many updates is a point
  const points = [];
  for (let i = 0; i < losses.length; i += every) {
    const some = losses.slice(i, i + every);
    points.push([some.at(-1)[0], some.reduce((sum, l) => sum + l[1], 0) / some.length]);
  }
  const path = (list, colour) =>
    `<path stroke="var(--${colour})" d="${list.map(([s, b], i) => `${i ? 'L' : 'M'}${x(s).toFixed(1)} ${y(b).toFixed(1)}`).join('')}"/>`;
  let svg = '';
  for (let b = low; b <= high; ++b)
    svg += `<line x1="${left}" x2="${W - 10}" y1="${y(b)}" y2="${y(b)}" stroke="var(--line)"/><text x="8" y="${y(b) + 4}">${b}</text>`;
  svg += `<text x="${left}" y="${bottom + 20}">0</text><text x="${W - 10}" y="${bottom + 20}" text-anchor="end">${run.steps} updates</text>`;
  svg += `<line x1="${left}" x2="${W - 10}" y1="${y(run.ngram)}" y2="${y(run.ngram)}" stroke="var(--ngram)" stroke-dasharray="6 4"/>`;
  svg += path(points, 'train') + path(evaluations.map(e => [e.step, e.val]), 'val');
  $('chart').innerHTML = svg;  // numbers only
  const last = evaluations.at(-1);
  $('chart').setAttribute('aria-label', `Loss after ${losses.length} of ${run.steps} updates: ` +
    (last ? `validation ${last.val.toFixed(3)} bits, n-grams ${run.ngram.toFixed(3)} bits` : 'none yet'));
}

function showNumber(n) {
  const rows = [['before', n.before], ['its gradient', n.gradient], ['the norm of all gradients', n.norm],
    ['learning rate', n.rate], ['change', n.after - n.before], ['after', n.after]];
  $('number').replaceChildren(...rows.map(([name, value]) => {
    const row = document.createElement('tr'), head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = value.toPrecision(6);
    return row;
  }));
}

function showHeads({tokens, heads}) {
  $('heads').replaceChildren(...heads.map((rows, h) => {
    const canvas = document.createElement('canvas'), n = rows.length;
    canvas.width = canvas.height = n;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Head ${h + 1} of ${heads.length}, ${n} tokens: the last, ` +
      `${JSON.stringify(tokens[n - 1])}, looks most at ${JSON.stringify(tokens[rows[n - 1].indexOf(Math.max(...rows[n - 1]))])}`);
    const context = canvas.getContext('2d'), pixels = context.createImageData(n, n);
    rows.flat().forEach((w, i) => pixels.data.set([31, 95, 168, Math.round(255 * Math.sqrt(w))], 4 * i));
    context.putImageData(pixels, 0, 0);
    return canvas;
  }));
}

const answers = {
  measured({seconds}) {
    seconds.forEach((s, i) => { $(`time${i}`).textContent = `: about ${duration(s)} for the fables`; });
    say('Ready.');
  },
  begun(data) {
    run = data;
    losses = [];
    evaluations = [];
    opened = false;
    since = Date.now();
    from = 0;
    $('samples').replaceChildren();
    $('model').textContent = `${data.tokens.toLocaleString('en')} tokens (${data.kind}, ${data.vocabulary} ` +
      `distinct); ${data.parameters.toLocaleString('en')} parameters: ${data.layers} layers of ` +
      `${data.channels} channels, ${data.heads} heads; ${data.steps} updates.`;
    $('command').textContent = `./gradus train FILE ${data.flags}`;
    set('training');
  },
  advanced(data) {
    losses.push(...data.losses);
    evaluations.push(...data.evaluations);
    if (data.number) showNumber(data.number);
    draw();
    const left = (data.steps - data.step) * (Date.now() - since) / 1000 / (losses.length - from);
    const last = evaluations.at(-1);
    say(data.step >= data.steps
      ? `Done: ${last.val.toFixed(3)} bits per ${run.unit}; n-grams: ${run.ngram.toFixed(3)}.`
      : data.training ? `Update ${data.step} of ${data.steps}, ${duration(left)} left.`
      : `Stopped at update ${data.step} of ${data.steps}.`);
    set(data.step >= data.steps ? 'done' : data.training ? 'training' : 'stopped');
  },
  stopped() {
    if (state !== 'training') return;
    say(`Stopped at update ${losses.length} of ${run.steps}.`);
    set('stopped');
  },
  sample({text}) {
    const pre = document.createElement('pre');
    pre.textContent = text;
    $('samples').prepend(pre);
    while ($('samples').children.length > 20) $('samples').lastChild.remove();
  },
  attention: showHeads,
  written({text}) { $('written').textContent = $('prompt').value + text; },
  saved({bytes}) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = 'model.safetensors';
    link.click();
    say('Saved as model.safetensors: ./gradus sample model.safetensors goes on with it.');
  },
  opened(data) {
    run = null;
    opened = true;
    say(`Opened a model of ${data.parameters.toLocaleString('en')} parameters (${data.kind}): it can write.`);
    set('idle');
    attend();
  },
};
worker.onmessage = ({data}) => {
  if (!data.error) return answers[data.name](data);
  say(data.error, true);
  set(run || opened ? (state === 'training' ? 'stopped' : state) : 'idle');
};
worker.onerror = () => say('The engine does not start: this browser may lack WebAssembly SIMD or exceptions.', true);

const attend = () => (run || opened) && send('attend', {prompt: $('prompt').value});
const fables = $('fables').textContent.slice(1, -1);
function showSize() {
  $('size').textContent = `${$('text').value.length.toLocaleString('en')} characters`;
}
$('text').value = fables;
showSize();
sizes.forEach(([name], i) => {
  const label = document.createElement('label'), radio = document.createElement('input'), time = document.createElement('span');
  Object.assign(radio, {type: 'radio', name: 'size', value: i, checked: i === 0});
  time.id = `time${i}`;
  label.append(radio, ` ${name}`, time);
  $('models').append(label);
});
$('text').oninput = showSize;
// Chromium takes seconds to paste 50 KB as if they were typed.
$('text').onpaste = event => {
  const pasted = event.clipboardData.getData('text'), area = $('text');
  if (pasted.length < 10000) return;
  event.preventDefault();
  area.setRangeText(pasted, area.selectionStart, area.selectionEnd, 'end');
  showSize();
};
$('text').ondragover = event => event.preventDefault();
$('text').ondrop = async event => {
  const file = event.dataTransfer.files[0];
  if (!file) return;
  event.preventDefault();
  $('text').value = await file.text();
  showSize();
};
$('train').onclick = () => {
  const [, flops] = sizes[document.querySelector('[name=size]:checked').value];
  say('Preparing the text.');
  send('begin', {text: $('text').value, flops, prompt: $('prompt').value});
};
$('stop').onclick = () => send('stop');
$('go').onclick = () => {
  since = Date.now();
  from = losses.length;
  set('training');
  send('go');
};
$('step').onclick = () => send('step');
$('prompt').oninput = attend;
$('temperature').oninput = () => { $('t').textContent = $('temperature').value; };
$('temperature').oninput();
$('write').onclick = () => send('write', {prompt: $('prompt').value, count: 200,
  temperature: +$('temperature').value, seed: Math.floor(Math.random() * 1e9)});
$('save').onclick = () => send('save');
$('open').onchange = async () => {
  const [file] = $('open').files;
  if (file) send('open', {bytes: new Uint8Array(await file.arrayBuffer())});
};
set('idle');
send('measure', {text: fables, flops: sizes.map(size => size[1])});
