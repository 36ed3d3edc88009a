// Arriving: the picture of a finished run, until a button trains the visitor's own, and then a prompt. The engine is
// fetched when the button is pressed.
const $ = id => document.getElementById(id);
// Floating-point operations of the whole run: some seconds.
const cost = 1e11;
const board = new Board(), finished = JSON.parse($('finished').textContent);
let {run, losses, evaluations} = finished, drawnAt = 0, began = 0;
const chart = new Chart($('chart'), board, chartOfRun(run, losses, evaluations));

function show(caption, text) {
  $('samples').prepend(made('p', {className: 'note', textContent: caption}), made('pre', {textContent: text}));
  while ($('samples').children.length > 4) $('samples').lastChild.remove();
}
Object.assign(engine.heard, {
  begun(data) {
    if (data.error) return engine.heard.failed(data);
    run = data;
    began = Date.now();
    $('try').classList.remove('finished');
    $('samples').replaceChildren();
  },
  advanced(data) {
    if (data.error) return engine.heard.failed(data);
    losses.push(...data.losses);
    evaluations.push(...data.evaluations);
    if (!data.training || Date.now() - drawnAt > 250) {
      drawnAt = Date.now();
      chart.update(chartOfRun(run, losses, evaluations));
    }
    $('status').textContent = `Update ${data.step} of ${data.steps}: ${counted(run.parameters)} weights learn from ${counted(run.tokens)} tokens.`;
    if (data.training) return;
    const seconds = (Date.now() - began) / 1000, [first, last] = [evaluations[0], evaluations.at(-1)].map(e => e.val.toFixed(2));
    const longer = data.advice === 'max_iters' ? ` If the loss goes on falling like this, ${some(+data.value, 'update')} reach that, in about ${some(Math.ceil(data.value / run.steps * seconds), 'second')} here.` : '';
    $('status').textContent = `From ${first} to ${last} bits per ${run.unit} in ${some(Math.round(seconds), 'second')}, on a tenth of the fables that it has not seen. ` +
      `Counting what follows what (n-grams) reaches ${run.ngram.toFixed(2)}.${longer} `;
    $('status').append(made('a', {href: '#prompt', textContent: 'Give it a prompt'}), ', or ', made('a', {href: 'train/', textContent: 'train for longer, on your own text'}), '.');
    Object.assign($('train'), {disabled: false, textContent: 'Train it again'});
    $('write').hidden = false;
  },
  sample: ({text}) => show(`After ${some(losses.length, 'update')} it writes:`, text),
  written: ({text}) => show('After your prompt it writes:', $('prompt').value + text),
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
  engine.send('begin', {text: await fetch('fables.txt').then(answer => answer.text()), flops: cost, prompt: ''});
};
$('write').onsubmit = event => {
  event.preventDefault();
  engine.send('write', {prompt: $('prompt').value, count: 120, temperature: 0.8, seed: Date.now() % 1e6});
};
