// The page: sends requests to the worker and shows its answers. It computes nothing itself, so it stays
// responsive whatever the engine does. Whatever comes from a text is set as textContent.
const $ = id => document.getElementById(id);
// Costs of training in floating-point operations (train/run/defaults.cpp has the models).
const sizes = [['Small', 1e12], ['Medium', 6e12], ['Large, the default of gradus train', 2e13]];
let run = null, size = 0, times = [], losses = [], evaluations = [], state = 'idle', opened = false;
let former = state;       // before a text that is being prepared, which may be too short
let unsaved = false;      // whether there are updates that only this page has
let since = 0, from = 0;  // when training last began, and after how many updates

// In a file of its own, the engine is in the page; in a site it is a file that other pages use too.
const source = new Blob([$('module').textContent, '\n', $('worker').textContent], {type: 'text/javascript'});
const worker = new Worker($('module').dataset.worker ?? URL.createObjectURL(source));
const send = (name, data = {}) => worker.postMessage({name, ...data});
function say(text, isError = false) {
  $('status').textContent = text;
  $('status').classList.toggle('error', isError);
}
function set(next) {  // idle, training, stopped, done
  const focused = document.activeElement;
  state = next;
  $('train').disabled = state === 'training';
  $('stop').disabled = state !== 'training';
  $('go').disabled = $('step').disabled = state !== 'stopped';
  $('write').disabled = $('save').disabled = !run && !opened;
  // A button that can no longer be pressed hands on the focus.
  if (focused.disabled) [$('stop'), $('go'), $('train')].find(button => !button.disabled).focus();
}
// The loss of what writes: at the end of the model which is kept, the best, on the whole validation text.
const writer = () => state === 'done' ? {step: run.best, val: run.kept} : evaluations.at(-1);
const bits = value => `${value.toFixed(3)} bits per ${run.unit}`;
const duration = s => s < 1.5 ? 'a second' : s < 90 ? `${Math.round(s)} seconds` : `${Math.round(s / 60)} minutes`;

// What a terminal advises by flags, in what this page has.
function advice(setting) {
  const said = {none: '', '': '.', learning_rate: 'more text may help.', dropout: `more text${size ? ' or a smaller model' : ''} may help.`}[setting];
  if (said !== undefined) return said;
  const [name] = sizes[size + 1] ?? [], larger = name && times[size + 1] > 1.5 * times[size] && `${name.split(',')[0]}${$(`time${size + 1}`).textContent.replace(': ', ' (')})`;
  if (setting === 'n_layer') return `more text${larger ? `, or the size ${larger},` : ''} may lower it further.`;
  return larger ? `A new run of the size ${larger} may lower it further.` : size < 2 ? 'More text may lower it further.' : 'In a terminal it can train for longer.';
}

const board = new Board(), finished = JSON.parse($('finished').textContent);
let chart = null, drawnAt = 0;
function draw() {
  drawnAt = Date.now();
  $('chart').classList.toggle('finished', !run);
  const spec = run ? chartOfRun(run, losses, evaluations) : chartOfRun(finished.run, finished.losses, finished.evaluations);
  if (chart) chart.update(spec); else chart = new Chart($('chart'), board, spec);
}
function showSample(caption, text) {
  $('samples').prepend(made('figure', {}, made('figcaption', {className: 'note', textContent: caption}), made('pre', {textContent: text})));
  while ($('samples').children.length > 20) $('samples').lastChild.remove();
}

function showNumber(n) {
  const rows = [['before', n.before], ['its gradient', n.gradient], ['the norm of all gradients', n.norm],
    ['learning rate', n.rate], ['change', n.after - n.before], ['after', n.after]];
  $('number').replaceChildren(...rows.map(([name, value]) => made('tr', {}, made('th', {scope: 'row', textContent: name}), made('td', {textContent: value.toPrecision(6)}))));
}

let seen = null;  // the last answer about attention
function showHeads(answer = seen) {
  seen = answer;
  const names = seen.tokens.map(token => token.replace(/ /g, '␣').replace(/\n/g, '⏎').replace(/\t/g, '⇥')), last = names.length - 1;
  if ($('head').length !== seen.heads.length)
    $('head').replaceChildren(...seen.heads.map((_, i) => made('option', {textContent: `${i + 1} of ${seen.heads.length}`})));
  const rows = seen.heads[$('head').selectedIndex], map = attentionMap(rows, names, `Attention of head ${$('head').value}`, choose), box = made('div', {}, map.svg);
  let at = [last, rows[last].indexOf(Math.max(...rows[last]))];
  function choose(row, column) {
    at = [limited(row, 0, last), limited(column, 0, last)];
    map.place(...at);
    $('looks').textContent = `“${names[at[0]]}” takes ${rows[at[0]][at[1]]} of what it reads from “${names[at[1]]}”.`;
  }
  map.svg.style.maxWidth = `${1.6 * map.svg.viewBox.baseVal.width}rem`;  // letters of a word's size at most
  explorable(box, 'Attention: the arrow keys read its weights', (columns, rows) => choose(at[0] + rows, at[1] + columns));
  const focused = $('heads').contains(document.activeElement);
  $('heads').replaceChildren(box);
  if (focused) box.focus();
  choose(...at);
}

const answers = {
  measured() {
    say('Ready.');
    estimate();
    attend();
  },
  estimated({seconds}) {
    times = seconds ?? [];
    sizes.forEach((_, i) => { $(`time${i}`).textContent = seconds ? `: about ${duration(seconds[i])}` : ''; });
  },
  begun(data) {
    run = data;
    size = +document.querySelector('[name=size]:checked').value;
    losses = [];
    evaluations = [];
    opened = false;
    board.at = null;
    board.whole();
    since = Date.now();
    from = 0;
    draw();
    $('samples').replaceChildren();
    $('written').textContent = $('left-out').textContent = '';
    $('model').textContent = `${data.tokens.toLocaleString('en')} tokens (${data.kind}, ${data.vocabulary} ` +
      `distinct); ${data.parameters.toLocaleString('en')} parameters: ${data.layers} layers of ` +
      `${data.channels} channels, ${data.heads} heads; ${data.steps} updates.`;
    $('command').textContent = `./gradus train FILE ${data.flags}`;
  },
  advanced(data) {
    losses.push(...data.losses);
    evaluations.push(...data.evaluations);
    opened = false;
    unsaved = true;
    Object.assign(run, {best: data.best, kept: data.kept});
    if (data.number) showNumber(data.number);
    // A few times a second: the page stays awake on a phone.
    if (!data.training || Date.now() - drawnAt > 300) draw();
    const left = (data.steps - data.step) * (Date.now() - since) / 1000 / (losses.length - from);
    say(data.verdict ? `Done. ${data.verdict}${advice(data.advice)}`
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
    const {step, val} = writer();
    showSample(state === 'done' ? `the kept model, of update ${step}, at ${bits(val)}`
      : `after update ${losses.length}; at update ${step} the validation loss was ${bits(val)}`, text);
  },
  attention: showHeads,
  written({text, left_out: leftOut}) {
    $('written').textContent = $('prompt').value + text;
    $('left-out').textContent = leftOut ? `Left out of the prompt, since the model knows none of them: ${[...leftOut].join(' ')}` : '';
  },
  saved({bytes}) {
    unsaved = unsaved && opened;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = 'model.safetensors';
    link.click();
    say('Saved as model.safetensors: ./gradus sample model.safetensors writes with it.');
  },
  opened(data) {
    opened = true;
    say(`Opened a model of ${data.parameters.toLocaleString('en')} parameters (${data.kind}): it can write.`);
    set(state === 'training' ? 'stopped' : state);
    attend();
  },
};
worker.onmessage = ({data}) => {
  if (!data.error) return answers[data.name](data);
  say(data.error, true);
  // A file that is wrong ends no run, and neither does a text.
  if (data.name === 'begun') set(former);
  else if (data.name !== 'opened') set(state === 'training' ? 'stopped' : state);
};
worker.onerror = () => say('The engine does not start: this browser may lack WebAssembly SIMD or exceptions.', true);

const attend = () => send('attend', {prompt: $('prompt').value});
const fables = $('fables').textContent.slice(1);  // behind the line of the tag
// The box has the fables without their last line feed: with it, Chromium takes half a second to replace them.
const text = () => $('text').value === fables.slice(0, -1) ? fables : $('text').value;
const estimate = () => send('estimate', {text: text(), flops: sizes.map(size => size[1])});
// A prompt from the text, until the reader has written one: how a sentence in its middle begins.
function suggest() {
  if ($('prompt').value !== suggested) return;
  const half = text().slice(text().length / 2, text().length / 2 + 2000);
  const words = half.match(/[.!?]["”]?\s+(\S+( \S+){1,3})/)?.[1] ?? half.trim();
  $('prompt').value = suggested = [...words].slice(0, 24).join('');
  if (seen) attend();
}
let waiting = 0, suggested = '';
function showSize() {
  let characters = 0;
  for (const _ of text()) ++characters;
  $('size').textContent = `${characters.toLocaleString('en')} characters`;
  suggest();
  clearTimeout(waiting);
  waiting = setTimeout(estimate, 500);
}
$('text').value = fables.slice(0, -1);
showSize();
$('models').append(...sizes.map(([name], i) => made('label', {}, made('input', {type: 'radio', name: 'size', value: i, checked: i === 0}), ` ${name}`, made('span', {id: `time${i}`}))));
$('text').oninput = showSize;
// Chromium takes seconds to paste 50 KB as if they were typed.
$('text').onpaste = event => {
  const pasted = event.clipboardData.getData('text'), area = $('text');
  if (pasted.length < 10000) return;
  event.preventDefault();
  area.setRangeText(pasted, area.selectionStart, area.selectionEnd, 'end');
  showSize();
};
// A file may be dropped anywhere: beside the box the browser would leave the page for it.
document.ondragover = event => event.preventDefault();
document.ondrop = event => {
  if (event.dataTransfer.files.length) event.preventDefault();
  openFile(event.dataTransfer.files[0]);
};
async function openFile(file) {
  if (file?.name.endsWith('.safetensors')) return send('open', {bytes: new Uint8Array(await file.arrayBuffer())});
  if (!file) return;
  $('text').value = await file.text();
  showSize();
}
$('open').onchange = () => {
  openFile($('open').files[0]);
  $('open').value = '';  // the same file may be opened again
};
for (const button of document.querySelectorAll('.open')) button.onclick = () => $('open').click();
window.onbeforeunload = event => { if (unsaved) event.preventDefault(); };
$('train').onclick = () => {
  const [, flops] = sizes[document.querySelector('[name=size]:checked').value];
  say('Preparing the text.');
  former = state;
  set('training');
  send('begin', {text: text(), flops, prompt: $('prompt').value});
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
$('head').onchange = () => showHeads();
$('temperature').oninput = () => { $('t').textContent = $('temperature').value; };
$('temperature').oninput();
$('write').onclick = () => send('write', {prompt: $('prompt').value, count: 200,
  temperature: +$('temperature').value, seed: Math.floor(Math.random() * 1e9)});
$('save').onclick = () => send('save');
$('copy').onclick = () => {  // works from file: too
  getSelection().selectAllChildren($('command'));
  document.execCommand('copy');
};
set('idle');
draw();
showSample(`A finished run wrote, after ${finished.run.steps} updates:`, finished.sample);
send('measure', {text: fables, flops: sizes[1][1]});
