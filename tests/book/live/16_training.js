// A run on the reader's text, some updates an answer; between them the worker listens.
live('16_training', figure => {
  const area = figure.area('Text', {rows: 5});
  area.addEventListener('input', () => { figure.status.textContent = 'Press Train to use this text.'; });
  figure.restart = () => { training = false; };
  let training = false, losses = [], evaluations = [];
  const train = figure.button('Train', async () => {
    training = true;
    losses = [];
    evaluations = [];
    train.disabled = true;
    const text = area.querySelector('textarea').value;
    for (let start = 1; training; start = 0) {
      figure.extra = {start, updates: 1000, seconds: 0.25};
      const data = await figure.ask();
      if (!data.error) figure.engine.keep({text, updates: data.advanced.step});
      if (data.error || data.advanced.step >= data.advanced.steps) training = false;
      stop.disabled = !training;
    }
    train.disabled = false;
  });
  const stop = figure.button('Stop', figure.restart);
  stop.disabled = true;
  const chart = made('figure', {}, made('figcaption', {textContent: 'Bits that the model needs for a character'}));
  const sample = made('pre', {className: 'wrapped words'}), board = new Board();
  let lines = null;
  figure.quiet = true;  // a text that is typed trains nothing until the button is pressed

  return ({begun, advanced, sample: written, choices}) => {
    if (choices) {
      losses = [];
      evaluations = [];
      board.whole();
    }
    if (!chart.isConnected) figure.box.replaceChildren(chart, sample);
    losses.push(...advanced.losses);
    evaluations.push(...advanced.evaluations);
    const x = losses.map(([step]) => step), y = losses.map(([, loss]) => loss);
    const spec = {name: `Loss after ${losses.length} updates`, x: {name: 'update', whole: true}, y: {name: `bits per ${begun.unit}`, all: true},
      series: [{name: 'training', hue: 28, kind: 'dots', x, y}, {name: 'validation', hue: 212, x: evaluations.map(e => e.step), y: evaluations.map(e => e.val)}]};
    if (lines) lines.update(spec); else lines = new Chart(chart, board, spec);
    sample.textContent = written;
    figure.status.textContent = `${counted(begun.parameters)} weights, ${begun.layers} layers of ${begun.channels} channels, ${counted(begun.tokens)} ${begun.kind} tokens: update ${advanced.step} of ${advanced.steps}${advanced.step < advanced.steps ? '' : ', done'}.`;
  };
});
