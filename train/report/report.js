// The page of gradus report: what its data says, in sections; those without data are removed. Texts, names and tokens
// come from outside: they are set as text alone, and the page's policy lets no other script run.
const $ = id => document.getElementById(id);
let data = JSON.parse($('data').textContent);
const runs = () => data.runs, one = () => data.runs[0], isComparison = data.runs.length > 1;
const say = (id, text) => { $(id).textContent = text; return Boolean(text); };
const show = (id, shown) => { $(id).hidden = !shown; return shown; };
const plural = (n, name) => `${counted(n)} ${name}${n === 1 ? '' : 's'}`;
const inTwo = (n, large, small) => `${Math.floor(n / 60)} ${large} ${n % 60} ${small}`;
const duration = s => s < 10 ? `${s.toFixed(2)} s` : s < 90 ? `${Math.round(s)} s`
  : s < 5400 ? inTwo(Math.round(s), 'min', 's') : inTwo(Math.round(s / 60), 'h', 'min');
const percent = p => p > .995 ? 'over 99 %' : p >= .1 ? `${(100 * p).toFixed(0)} %` : p >= .001 ? `${(100 * p).toFixed(1)} %` : 'below 0.1 %';

// ---- The view: what the reader has chosen. It is kept in the address, so that it can be sent.
const board = new Board(), contextBoard = new Board();
const view = {over: 'step', unit: 'nats', smoothing: 2, sample: null, head: [0, 0], token: null};
function readAddress() {
  const address = new URLSearchParams(location.hash.slice(1)), number = key => address.has(key) ? Number(address.get(key)) : null,
    whole = key => Number.isInteger(number(key)) ? number(key) : null;
  if (![...address.values()].some(Boolean)) return;
  for (const key of ['over', 'unit']) if ([...$(key).options].some(option => option.value === address.get(key))) view[key] = address.get(key);
  const smoothing = number('smoothing'), head = (address.get('head') ?? '').split('.').map(Number);
  if (smoothing >= 0 && smoothing <= 20 && smoothing !== null) view.smoothing = smoothing;
  view.sample = whole('sample');
  view.token = whole('token');
  if (head.length === 2 && head.every(Number.isInteger)) view.head = head.map(i => i - 1);
  const [from, to, at] = ['from', 'to', 'at'].map(number);
  if (from !== null && to > from) Object.assign(board, {from, to});
  Object.assign(board, {at: Number.isFinite(at) ? at : null, logX: address.has('logx'), logY: address.has('logy'),
    hidden: new Set(address.getAll('hide'))});
}
let writing = 0;
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    const address = new URLSearchParams();
    const put = (key, value, usual) => { if (value !== null && value !== usual) address.append(key, value); };
    put('over', view.over, 'step');
    put('unit', view.unit, defaultUnit());
    put('smoothing', view.smoothing, 2);
    for (const key of ['from', 'to', 'at']) put(key, board[key] && Number(board[key].toPrecision(8)), null);
    put('logx', board.logX ? 1 : null);
    put('logy', board.logY ? 1 : null);
    for (const name of board.hidden) put('hide', name);
    put('sample', view.sample, null);
    put('head', view.head.map(i => i + 1).join('.'), '1.1');
    put('token', view.token, null);
    history.replaceState(null, '', `#${address}`);
  }, 200);
}
board.changed = writeAddress;

// ---- Charts over the course of training.
const hue = i => (212 + 137 * i) % 360, trainingHue = 28;
const dashes = ['', '9 4', '3 3', '12 3 3 3', '1 4', '18 4'];
const defaultUnit = () => data.comparison && !data.comparison.same_tokens ? 'byte' : 'nats';
// A loss in nats per token in the unit that was chosen; null: the run's text is gone, or has no characters.
function inUnit(run, nats) {
  const each = view.unit === 'nats' ? null : view.unit === 'byte' ? run.text.bytes_per_token : run.text.characters_per_token;
  return view.unit === 'nats' ? nats : each ? nats / Math.LN2 / each : null;
}
const unitName = () => $('unit').selectedOptions[0].textContent;
// Short runs are drawn over seconds.
const longest = () => Math.max(0, ...runs().map(run => run.times.seconds.at(-1) ?? 0));
const timeUnit = () => longest() < 180 ? {name: 'seconds', seconds: 1} : {name: 'minutes', seconds: 60};
const overName = () => ({step: 'update', tokens: 'tokens read', time: `${timeUnit().name} of training`, flops: 'FLOPs'})[view.over];
// The time after `step` updates, interpolated between the recorded ones.
function timeAt({times}, step) {
  const i = upTo(times.step, step);
  if (i === 0) return null;
  const before = times.step[i - 1], after = times.step[Math.min(i, times.step.length - 1)];
  const share = after > before ? (step - before) / (after - before) : 0;
  return (times.seconds[i - 1] + share * (times.seconds[Math.min(i, times.step.length - 1)] - times.seconds[i - 1])) / timeUnit().seconds;
}
function along(run, step) {
  switch (view.over) {
    case 'tokens': return step * run.tokens_per_update;
    case 'flops': return step * run.flops_per_update;
    case 'time': return timeAt(run, step);
    default: return step;
  }
}
// The points that have a place on both axes.
function line(run, steps, values, about, asLoss = false) {
  const x = [], y = [];
  steps.forEach((step, i) => {
    const at = along(run, step), value = asLoss ? inUnit(run, values[i]) : values[i];
    if (at === null || value === null) return;
    x.push(at);
    y.push(value);
  });
  return {x, y, ...about};
}
const axis = () => ({name: overName(), whole: view.over === 'step' || view.over === 'tokens'});
const smoothing = () => view.smoothing / 100;

function lossSpec() {
  const series = [], levels = [], marks = [];
  runs().forEach((run, i) => {
    const {updates, evaluations} = run, about = {hue: hue(i), dash: isComparison ? dashes[i % dashes.length] : ''};
    const evaluated = (values, more) => series.push(line(run, evaluations.step, values, {...about, ...more}, true));
    if (isComparison) {
      const group = data.comparison.same_text ? '' : run.text.validation;
      evaluated(evaluations.val, {name: run.name, group});
      evaluated(evaluations.train, {name: `${run.name}, training`, kind: 'thin', group});
      return;
    }
    const mean = smoothed(updates.mean ?? updates.loss, smoothing());
    series.push(line(run, updates.step, updates.loss, {name: 'each update', hue: trainingHue, kind: 'dots'}, true),
      line(run, updates.step, mean, {name: 'training', hue: trainingHue, dash: '9 3'}, true));
    evaluated(evaluations.val, {name: 'validation'});
    const {losses, symbol} = run.ngrams;
    if (losses.length && symbol) levels.push({name: `${losses.indexOf(Math.min(...losses)) + 1}-grams`, y: inUnit(run, Math.min(...losses))});
    if (run.best?.step > 0 && run.best.step < run.step) marks.push({name: 'lowest', x: along(run, run.best.step)});
  });
  return {name: `Loss, ${unitName()}`, x: axis(), y: {name: `loss (${unitName()})`}, series: series.filter(one => one.x.length),
    levels: levels.filter(level => level.y !== null), marks: marks.filter(mark => mark.x !== null)};
}
// A line for each run of one of its records.
function recorded(key, values, name, y, more = {}) {
  const series = runs().map((run, i) => line(run, run[key].step, run[key][values],
    {name: isComparison ? run.name : name, hue: hue(i), dash: isComparison ? dashes[i % dashes.length] : ''}));
  return {name, x: axis(), y: {name: y, zero: true}, series: series.filter(one => one.x.length), ...more};
}
function gradientSpec() {
  const spec = recorded('gradient_norm', 'value', 'gradient norm', 'norm');
  if (isComparison || !spec.series.length) return spec;
  const [raw] = spec.series;
  spec.series = [{...raw, kind: 'dots'}, {...raw, y: smoothed(raw.y, smoothing()), name: 'smoothed norm'}];
  if (one().grad_clip > 0) spec.levels = [{name: 'clipped to', y: one().grad_clip}];
  return spec;
}
const specs = {
  'loss': lossSpec,
  'learning-rate': () => recorded('learning_rate', 'value', 'learning rate', 'learning rate'),
  'gradient-norm': gradientSpec,
  'speed': () => recorded('speed', 'tokens_per_second', 'tokens per second', 'tokens per second'),
};
const charts = {};
function drawCharts() {
  for (const [id, specOf] of Object.entries(specs)) {
    const spec = specOf();
    if (!show(id, spec.series.length)) continue;
    if (charts[id]) charts[id].update(spec); else charts[id] = new Chart($(id), board, spec);
  }
  $('smoothed').textContent = `${view.smoothing} %`;
}
const comparable = () => !data.comparison || (data.comparison.same_text && data.comparison.same_aim);

// The gap between training and validation loss at the end, and whether it is overfitting.
function gapText(run) {
  const {best, evaluations: {step, train, val}, verdict} = run;
  if (!best || best.step === 0) return '';
  const risen = val.at(-1) - best.val;
  return `After update ${counted(step.at(-1))} the training loss is ${train.at(-1).toFixed(4)} and the validation loss ${val.at(-1).toFixed(4)}, ` +
    `a gap of ${Math.abs(val.at(-1) - train.at(-1)).toFixed(4)}. ` +
    (risen > 0 ? `Validation was lowest after update ${counted(best.step)}, ${risen.toFixed(4)} lower` : 'The validation loss is still falling.') +
    (verdict?.overfits ? ': since then the run overfits.'
      : risen > .01 * best.val ? '. The training loss has risen too, so this is not overfitting.'
      : risen > 0 ? ': too little to call it overfitting.' : '');
}
function thinningText(run) {
  const {updates: {count, step}} = run;
  return count > step.length ? ` Of ${counted(count)} updates ${counted(step.length)} are in this page: the lowest and the highest of each stretch.` : '';
}

function listen() {
  const choose = (id, change) => { $(id).oninput = () => { change($(id)); drawCharts(); drawResults(); writeAddress(); }; };
  choose('over', select => { view.over = select.value; board.at = null; board.whole(); });
  choose('unit', select => { view.unit = select.value; });
  choose('smoothing', slider => { view.smoothing = Number(slider.value); });
  $('log-x').oninput = () => board.set({logX: $('log-x').checked});
  $('log-y').oninput = () => board.set({logY: $('log-y').checked});
  $('whole').onclick = () => board.whole();
}
function fillTools() {
  const has = {byte: runs().every(run => run.text.bytes_per_token), character: runs().every(run => run.text.characters_per_token), nats: true};
  for (const option of $('unit').options) option.hidden = option.disabled = !has[option.value];
  if (!has[view.unit]) view.unit = 'nats';
  const timed = runs().some(run => run.times.step.length);
  for (const option of $('over').options) option.hidden = option.disabled = option.value === 'time' && !timed;
  $('over').value = view.over;
  $('unit').value = view.unit;
  $('smoothing').value = view.smoothing;
  $('log-x').checked = board.logX;
  $('log-y').checked = board.logY;
}

// ---- The head of the page.
function summaryOf(run) {
  const {model, text} = run, tokens = n => n === null ? '' : `, ${plural(n, 'token')}`;
  return `A GPT of ${plural(model.layers, 'layer')}, ${plural(model.heads, 'head')} and ${plural(model.channels, 'channel')}, ` +
    `${plural(model.parameters, 'parameter')}, which reads ${plural(model.context, 'token')} at a time (${model.tokenizer}, ` +
    `${counted(model.vocabulary)} distinct). Trained on ${text.train}${tokens(text.train_tokens)}, validated on ${text.validation}` +
    `${tokens(text.validation_tokens)}, to update ${counted(run.step)} of ${counted(run.max_iters)}` +
    `${run.seconds === null ? '' : `, in ${run.from_the_start ? '' : 'at least '}${duration(run.seconds)}`}.` +
    (run.updates.count + run.evaluations.count ? '' : ' Nothing is recorded: log.csv is empty or missing.');
}
function drawHead() {
  const run = one();
  say('title', isComparison ? `Comparison of ${data.runs.length} runs` : run.name);
  say('summary', isComparison ? '' : summaryOf(run));
  show('missing', !isComparison && say('missing', run.missing && `This page leaves out what needs the text: ${run.missing}`));
  show('sessions', !isComparison && run.sessions.length);
  show('settings', !isComparison);
  if (isComparison) return;
  replaceTable('sessions', made('pre', {textContent: run.sessions.join('')}));
  replaceTable('settings', tableOf('Every setting of the run', ['setting', 'value'], run.settings));
}
function replaceTable(id, element) {
  const box = $(id);
  while (box.lastElementChild && box.lastElementChild.localName !== 'summary') box.lastElementChild.remove();
  box.append(element);
}
function drawVerdict() {
  const {best, verdict, resume} = one();
  if (!show('verdict', !isComparison && best)) return;
  const each = one().text.characters_per_token, bits = each ? `, ${(best.loss / Math.LN2 / each).toFixed(4)} bits per character,` : '';
  const where = `Validation loss ${best.loss.toFixed(4)} nats per token${bits} after update ${counted(best.step)}${one().step > best.step ? ', its lowest' : ''}. `;
  say('outcome', where + (resume ? `The run is at update ${counted(one().step)} of ${counted(one().max_iters)}.` : verdict?.text ?? ''));
  const command = resume || verdict?.command;
  show('next', command);
  say('next-time', resume ? ' further' : verdict?.seconds ? `, in about ${duration(verdict.seconds)}` : '');
  say('command', command);
}

// ---- Several runs.
// The lowest validation loss of a run up to a place on the x axis.
function lowestUpTo(run, place) {
  let lowest = null;
  run.evaluations.step.forEach((step, i) => {
    const at = along(run, step), loss = inUnit(run, run.evaluations.val[i]);
    if (at !== null && at <= place * (1 + 1e-9) && loss !== null && (lowest === null || loss < lowest)) lowest = loss;
  });
  return lowest;
}
function drawResults() {
  if (!show('results', isComparison)) return;
  const {same_text: sameText, same_tokens: sameTokens, same_aim: sameAim} = data.comparison;
  const warning = (!sameText ? 'The runs are validated on different texts: their losses cannot be compared.'
    : !sameTokens ? 'The runs cut their text into different tokens: losses per token cannot be compared, bits per byte can.' : '') +
    (sameAim ? '' : ' Where causal is false, the model sees the tokens that it predicts.');
  for (const id of ['warning', 'apart']) show(id, say(id, warning));
  const bits = run => run.best && run.text.bytes_per_token ? run.best.loss / Math.LN2 / run.text.bytes_per_token : Infinity;
  const ends = runs().map(run => along(run, run.evaluations.step.at(-1) ?? 0)).filter(end => end !== null);
  const common = Math.min(...ends), equal = run => lowestUpTo(run, common);
  const shown = view.over === 'step' || view.over === 'tokens' ? counted(common) : valueText(Number(common.toPrecision(4)));
  const isEqual = comparable() && ends.length === runs().length && common > 0;
  const order = run => (isEqual ? equal(run) : bits(run)) ?? Infinity;
  const sorted = comparable() ? [...runs()].sort((a, b) => order(a) - order(b)) : runs(), least = order(sorted[0]);
  const place = `${shown} ${view.over === 'step' ? 'updates' : overName()}`, ofBest = text => run => run.best ? text(run.best) : '–';
  const behind = loss => loss > least ? ` (+${(loss - least).toFixed(4)})` : '';
  const columns = [['run', run => run.name],
    ...isEqual ? [[`loss at ${place}`, run => equal(run) === null ? '–' : equal(run).toFixed(4) + behind(equal(run))]] : [],
    ['validation loss (nats)', ofBest(best => best.loss.toFixed(4))], ['after update', ofBest(best => counted(best.step))],
    ['bits per byte', run => bits(run) < Infinity ? bits(run).toFixed(4) : '–'], ['training loss (nats)', ofBest(best => best.train.toFixed(4))],
    ['tokens read', run => counted(run.step * run.tokens_per_update)],
    ['time', run => run.seconds === null ? '–' : (run.from_the_start ? '' : 'at least ') + duration(run.seconds)],
    ['parameters', run => counted(run.model.parameters)]];
  $('results-table').replaceChildren(tableOf('Results of the runs', columns.map(([name]) => name),
    sorted.map(run => columns.map(([, text]) => text(run))), {best: comparable() && sorted[0].best ? 0 : -1}));
  show('equal', isEqual && say('equal', `The second column compares the runs at ${place}, which all of them have reached: the lowest validation loss up to ` +
    `there, in ${unitName()}. Choose updates, tokens, time or FLOPs above the charts.`));
}
function drawDifferences() {
  if (!show('differences', isComparison)) return;
  const rows = one().settings.map(([name], i) => [name, ...runs().map(run => run.settings[i]?.[1] ?? '')]);
  const differs = row => row.some((value, i) => i > 1 && value !== row[1]), columns = ['setting', ...runs().map(run => run.name)];
  const different = rows.filter(differs);
  show('no-difference', !different.length);
  if (show('different', different.length)) $('different').replaceChildren(tableOf('Settings that differ', columns, different));
  replaceTable('same', tableOf('Settings that are the same', columns.slice(0, 2).map((name, i) => i ? 'value' : name),
    rows.filter(row => !differs(row)).map(row => row.slice(0, 2))));
}

// ---- Texts.
function drawSamples() {
  const {samples, kept_sample: kept} = one();
  show('samples', kept || runs().some(run => run.samples.count));
  show('kept', !isComparison && say('kept-text', kept));
  say('kept-from', (one().best ? `, after update ${counted(one().best.step)}` : '') + (one().prompt ? `, going on from “${one().prompt}”` : ''));
  $('each-sample').replaceChildren(...runs().filter(run => isComparison && run.samples.count).map(run => made('div', {},
    made('h3', {textContent: `${run.name}, after update ${counted(run.samples.step.at(-1))}`}), made('pre', {dir: 'auto', textContent: run.samples.text.at(-1)}))));
  if (!show('early', !isComparison && samples.count)) return;
  const last = samples.step.length - 1, slider = $('sample');
  slider.max = last;
  const choose = () => {
    const i = view.sample === null ? last : limited(upTo(samples.step, view.sample) - 1, 0, last), step = samples.step[i];
    const at = upTo(one().evaluations.step, step) - 1, loss = one().evaluations.val[at];
    slider.value = i;
    say('sample-step', `update ${counted(step)}${at >= 0 && one().evaluations.step[at] === step ? `, validation loss ${loss.toFixed(4)}` : ''}`);
    slider.setAttribute('aria-valuetext', `update ${counted(step)}`);
    say('sample-text', samples.text[i]);
  };
  slider.oninput = () => { view.sample = samples.step[slider.value]; choose(); writeAddress(); };
  choose();
  show('samples-note', say('samples-note', samples.count > last + 1 ? `${last + 1} of ${counted(samples.count)} samples.` : ''));
}

function drawCard() {
  const {card, estimated, best, model} = one();
  if (!show('card', !isComparison && card.length)) return;
  const fixed = (value, digits) => value === null ? '–' : value.toFixed(digits);
  const size = bytes => bytes === null ? '–' : bytes < 1e5 ? `${counted(bytes)} bytes` : bytes < 1e7 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const columns = [['predicted by', row => row.name], ['nats per token', row => fixed(row.loss, 4)], ['perplexity', row => fixed(row.perplexity, 2)],
    ['bits per character', row => fixed(row.bits_per_character, 4), 'bits_per_character'], ['bits per byte', row => fixed(row.bits_per_byte, 4), 'bits_per_byte'],
    ['validation text, coded so', row => size(row.bytes), 'bytes']].filter(([, , key]) => !key || card.some(row => row[key] !== null));
  $('card-table').replaceChildren(tableOf('Losses beside those of others', columns.map(([name]) => name), card.map(row => columns.map(([, text]) => text(row))), {best: 0}));
  show('coded', card.some(row => row.bytes !== null));
  show('sees', !model.causal);
  say('estimated', !estimated ? '' : ` In the log and the charts the losses are of ${estimated.batches ? `${plural(estimated.batches, 'random batch').replace('batchs', 'batches')} of` : 'a part of'} ` +
    `the validation text; ${best.measured_on ? `here the model is measured on ${plural(best.measured_on, 'token')} of it.` : 'so is the loss here, the lowest of them.'}`);
}

// Tints grow with the loss, by 0.6 nats each: the last is for a probability below 1 in 220.
const tints = 10, tint = (color, share) => `color-mix(in srgb, var(--${color}) ${share}%, transparent)`;
function drawSurprise() {
  const {surprise} = one();
  if (!show('surprise', surprise)) return;
  const scaleSigns = Array.from({length: tints}, (_, i) => {
    const last = i + 1 === tints, sign = made('span', {textContent: (last ? 'below ' : '') + percent(Math.exp(-.6 * (i + (last ? 0 : .5))))});
    sign.style.background = tint('warm', 7 * i);
    return sign;
  });
  $('surprise-scale').replaceChildren('Probability given to what came: ', ...scaleSigns.flatMap(sign => [sign, ' ']));
  const label = text => text.replace(/ /g, '␣').replace(/\n/g, '⏎').replace(/\t/g, '⇥');
  const rows = surprise.words.map(([text, tokens, loss, choices]) => [label(text) + (tokens > 1 ? ` (${tokens} tokens)` : ''), loss.toFixed(2), percent(Math.exp(-loss)),
    choices.flatMap((choice, i) => i % 2 ? [] : [`“${choice}” ${percent(choices[i + 1])}`]).join(', ')]);
  const words = surprise.words.map(([text, , loss]) => {
    const word = made('span', {textContent: text.replace(/\n/g, '⏎\n')});
    word.style.background = tint('warm', 7 * limited(Math.floor(loss / .6), 0, tints - 1));
    return word;
  });
  const readout = made('output', {className: 'value'}), box = made('div', {className: 'surprise'}, made('div', {dir: 'auto'}, surprise.first, ...words));
  readout.setAttribute('aria-live', 'polite');
  let at = -1;
  const choose = i => {
    words[at]?.classList.remove('on');
    at = limited(i, 0, words.length - 1);
    words[at].classList.add('on');
    const [token, loss, probability, expected] = rows[at];
    readout.textContent = `${token}: ${loss} nats, probability ${probability}; expected: ${expected}`;
  };
  explorable(box, 'Text colored by surprise: the arrow keys read what was expected', dx => choose(at + dx));
  box.onpointermove = box.onpointerdown = event => { if (words.includes(event.target)) choose(words.indexOf(event.target)); };
  $('surprise-text').replaceChildren(box, readout);
  const columns = ['token', 'loss (nats)', 'probability', 'expected'];
  replaceTable('surprising', tableOf('The ten least expected', columns, [...rows].sort((a, b) => b[1] - a[1]).slice(0, 10)));
  replaceTable('surprise-table', tableOf('Every token', columns, rows));
}

function drawContext() {
  const {context} = one();
  if (!show('context', context && context.from.length)) return;
  const middle = context.from.map((from, i) => (from + context.to[i]) / 2);
  const series = [{name: 'this model', hue: hue(0), x: middle, y: context.loss}];
  if (context.ngrams.length) series.push({name: 'n-grams', hue: trainingHue, dash: '6 4', x: context.ngrams.map((_, i) => i + 1), y: context.ngrams});
  const spec = {name: 'Loss by the length of the context', x: {name: 'tokens of context', log: true}, y: {name: 'loss (nats per token)'}, series};
  if (charts.context) charts.context.update(spec); else charts.context = new Chart($('position-loss'), contextBoard, spec);
}

// ---- Attention: rows of weights for each head; a map of the one that is chosen; what a token looks at.
const rowsOf = text => text.split(';').map(row => row.split(' ').map(Number));
function drawThumbnail(canvas, rows) {
  canvas.width = canvas.height = rows.length;
  const context = canvas.getContext('2d');
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--shade');
  rows.forEach((row, i) => row.forEach((weight, j) => {
    context.globalAlpha = shade(weight);
    context.fillRect(j, i, 1, 1);
  }));
}
// Where a head's tokens look, on average over those that could look there.
function habits(rows, causal) {
  const mean = pick => rows.slice(1).reduce((sum, row, i) => sum + (pick(row, i + 1) ?? 0), 0) / (rows.length - 1);
  const places = [['itself', mean((row, i) => row[i])], ['the token before', mean((row, i) => row[i - 1])],
    ['the first token', mean(row => row[0])], ['two tokens before', mean((row, i) => i > 1 ? row[i - 2] : 0)]];
  if (!causal) places.push(['the token after', mean((row, i) => row[i + 1])]);
  return places.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([name, weight]) => `${name} ${percent(weight)}`).join(', ');
}
const entropy = rows => rows.reduce((sum, row) => sum - row.reduce((part, w) => part + (w > 0 ? w * Math.log(w) : 0), 0), 0) / rows.length;

function drawHeads(layers) {
  const width = Math.max(...layers.map(heads => heads.length)), buttons = layers.map(() => []);
  const choose = (layer, head) => {
    view.head = [layer, head];
    buttons.flat().forEach(button => { button.setAttribute('aria-checked', false); button.tabIndex = -1; });
    buttons[layer][head].setAttribute('aria-checked', true);
    buttons[layer][head].tabIndex = 0;
    drawChosenHead(layers);
    writeAddress();
  };
  $('heads').style.gridTemplateColumns = `repeat(${width}, minmax(4.5rem, 9rem))`;
  $('heads').replaceChildren(...layers.flatMap((heads, layer) => heads.map((text, head) => {
    const canvas = made('canvas'), name = `layer ${layer + 1}, head ${head + 1}`;
    const button = made('button', {type: 'button', onclick: () => choose(layer, head)}, canvas, name);
    button.setAttribute('role', 'radio');
    button.onkeydown = event => {
      const [dx, dy] = arrows[event.key] ?? [];
      if (dx === undefined) return;
      event.preventDefault();
      const l = limited(layer + dy, 0, layers.length - 1), h = limited(head + dx, 0, layers[l].length - 1);
      choose(l, h);
      buttons[l][h].focus();
    };
    buttons[layer][head] = button;
    drawThumbnail(canvas, rowsOf(text));
    return button;
  })));
  choose(limited(view.head[0], 0, layers.length - 1), limited(view.head[1], 0, width - 1));
}
function drawChosenHead(layers) {
  const {attention, model} = one(), {tokens} = attention, [layer, head] = view.head, rows = rowsOf(layers[layer][head]);
  say('head', `Layer ${layer + 1}, head ${head + 1}`);
  say('looks', `On average over the tokens it looks at ${habits(rows, model.causal)}. Entropy ${entropy(rows).toFixed(2)} nats: 0 if each token looks at one only, ` +
    `${(rows.reduce((sum, row) => sum + Math.log(row.length), 0) / rows.length).toFixed(2)} if each looks at all equally.`);
  const readout = made('output', {className: 'value'}), box = made('div');
  readout.setAttribute('aria-live', 'polite');
  let at = [limited(view.token === null ? tokens.length - 1 : view.token - 1, 0, tokens.length - 1), 0];
  const choose = (row, column, isChosen = true) => {
    at = [limited(row, 0, rows.length - 1), 0];
    at[1] = limited(column, 0, rows[at[0]].length - 1);
    if (isChosen) view.token = at[0] + 1;
    map.place(...at);
    readout.textContent = `${tokens[at[0]]} (token ${at[0] + 1}) looks at ${tokens[at[1]]} (${at[1] + 1}): ${rows[at[0]][at[1]].toFixed(4)}`;
    shown.forEach((token, i) => {
      const weight = rows[at[0]][i] ?? 0;
      token.classList.toggle('on', i === at[0]);
      token.style.background = tint('shade', Math.round(60 * shade(weight)));
      token.title = `${weight.toFixed(4)}`;
      token.setAttribute('aria-label', `${tokens[i]}, token ${i + 1}, weight ${weight.toFixed(2)}`);
    });
    if (isChosen) writeAddress();
  };
  const map = attentionMap(rows, tokens, `Attention of layer ${layer + 1}, head ${head + 1}`, choose);
  const shown = tokens.map((token, i) => made('button', {type: 'button', textContent: token, onclick: () => choose(i, i)}));
  map.svg.style.setProperty('--width', map.svg.viewBox.baseVal.width);
  box.append(map.svg);
  explorable(box, `Layer ${layer + 1}, head ${head + 1}: the arrow keys read its weights`, (dx, dy) => choose(at[0] + dy, at[1] + dx));
  $('map').replaceChildren(box, readout);
  $('tokens').replaceChildren(...shown);
  choose(at[0], rows[at[0]].indexOf(Math.max(...rows[at[0]])), false);
}
function drawAttention() {
  const {attention} = one();
  if (!show('attention', !isComparison && attention)) return;
  say('attended', attention.text);
  drawHeads(attention.layers);
}

// ---- The whole page.
function drawAll() {
  fillTools();
  drawHead();
  drawVerdict();
  drawResults();
  drawDifferences();
  show('curves', runs().some(run => run.updates.count || run.evaluations.count));
  drawCharts();
  show('gap', !isComparison && say('gap', gapText(one()) + thinningText(one())));
  show('planned', runs().some(run => run.sessions.some(session => session.includes('--minutes'))));
  for (const draw of [drawSamples, drawCard, drawSurprise, drawContext, drawAttention]) draw();
  const sections = [...document.querySelectorAll('main > section')].filter(section => !section.hidden);
  $('links').replaceChildren(...sections.map(section => made('li', {}, made('a', {href: `#${section.id}`, textContent: section.querySelector('h2').textContent,
    onclick: event => {  // the address keeps the view
      event.preventDefault();
      section.scrollIntoView();
      Object.assign(section.querySelector('h2'), {tabIndex: -1}).focus();
    }}))));
}
// A page that is written again while its run goes on reads itself in a frame, and draws what is new.
function watch() {
  const frame = made('iframe', {hidden: true, title: 'the newest data'});
  addEventListener('message', event => {
    if (event.source !== frame.contentWindow) return;
    frame.remove();
    data = JSON.parse(event.data);
    drawAll();
    if (data.watched) setTimeout(watch, 2000);
  }, {once: true});
  frame.src = `${location.href.split('#')[0]}#data`;
  document.body.append(frame);
}
if (parent !== window && location.hash === '#data') {
  parent.postMessage($('data').textContent, '*');
} else {
  $('page').hidden = false;
  view.unit = defaultUnit();
  readAddress();
  addEventListener('hashchange', () => {  // a view that was sent is pasted into the open page
    if (!location.hash.includes('=')) return;
    readAddress();
    drawAll();
    board.set({from: board.from});
  });
  listen();
  drawAll();
  if (data.watched) setTimeout(watch, 2000);
}
