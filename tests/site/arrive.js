// Arriving: one button, one model. The engine is fetched when the button is pressed.
const $ = id => document.getElementById(id);
// Floating-point operations of the whole run: some seconds.
const cost = 1e11;
const board = new Board();
let run = null, losses = [], evaluations = [], chart = null, drawnAt = 0, began = 0;

const fables = () => fetch('fables.txt').then(answer => answer.text());
function draw() {
  drawnAt = Date.now();
  const x = losses.map(([step]) => step), y = losses.map(([, loss]) => loss);
  const spec = {
    name: `Loss after ${losses.length} of ${run.steps} updates`, x: {name: 'update', whole: true, end: run.steps}, y: {name: `bits per ${run.unit}`, all: true},
    series: [{name: 'each update', hue: 28, kind: 'dots', x, y}, {name: 'training', hue: 28, dash: '9 3', x, y: smoothed(y, .02)},
      {name: 'validation', hue: 212, x: evaluations.map(e => e.step), y: evaluations.map(e => e.val)}],
    levels: [{name: 'n-grams', y: run.ngram}],
  };
  if (chart) return chart.update(spec);
  chart = new Chart($('chart'), board, spec);
  $('chart').scrollIntoView({block: 'nearest'});  // on a phone it would be below what is seen
}
Object.assign(engine.heard, {
  begun(data) {
    if (data.error) return engine.heard.failed(data);
    run = data;
    began = Date.now();
    $('chart').hidden = $('samples').hidden = false;
    $('samples').replaceChildren();
    $('status').textContent = `${run.parameters.toLocaleString('en')} weights, ${run.tokens.toLocaleString('en')} tokens, ${run.steps} updates.`;
  },
  advanced(data) {
    if (data.error) return engine.heard.failed(data);
    losses.push(...data.losses);
    evaluations.push(...data.evaluations);
    if (!data.training || Date.now() - drawnAt > 250) draw();
    const last = evaluations.at(-1);
    $('status').textContent = data.training || !last ? `Update ${data.step} of ${data.steps}.`
      : `Done. For each ${run.unit} of the last tenth of the fables, which it has not seen, the model needs ${last.val.toFixed(2)} bits; counting what follows what in the rest (n-grams) needs ${run.ngram.toFixed(2)}. Fewer is better. It has trained for only ${some(Math.round((Date.now() - began) / 1000), 'second')}: `;
    if (!data.training) $('status').append(made('a', {href: 'train/', textContent: 'a new model on the train page, trained ten times as much, passes the counting'}), ', and it takes your own text.');
    $('train').disabled = data.training;
    if (!data.training) $('train').textContent = 'Train it again';
  },
  sample({text}) {
    const pre = made('pre', {textContent: text}), caption = made('p', {className: 'before', textContent: `After ${some(losses.length, 'update')} it writes:`});
    $('samples').prepend(caption, pre);
    while ($('samples').children.length > 6) $('samples').lastChild.remove();
  },
  failed({error}) {
    $('status').textContent = error;
    $('train').disabled = false;
  },
});
$('train').disabled = false;
$('train').onclick = async () => {
  $('train').disabled = true;
  losses = [];
  evaluations = [];
  $('status').textContent = 'The engine is starting.';
  engine.send('begin', {text: await fables(), flops: cost, prompt: 'The Fox'});
};
