// The errors over the step, both axes logarithmic.
live('06_step', figure => {
  figure.field('f(x) =', 'formula', {maxLength: 200});
  figure.slider('x', 'x', {min: -4, max: 4, step: 0.1});
  const place = made('figure', {}, made('figcaption', {textContent: 'Error of the difference, by the step h'})), board = new Board();
  board.logX = board.logY = true;
  let chart = null;
  return ({derivative, steps, two, four}) => {
    if (!place.isConnected) figure.box.replaceChildren(place);
    const x = steps.toReversed(), of = errors => errors.toReversed().map(error => Math.max(error ?? 1e9, 1e-9));
    const spec = {name: 'Errors by step', x: {name: 'h'}, y: {name: 'error'},
      series: [{name: 'two points', hue: 28, x, y: of(two)}, {name: 'four points', hue: 212, dash: '9 3', x, y: of(four)}]};
    if (chart) chart.update(spec); else chart = new Chart(place, board, spec);
    figure.status.textContent = `By backward the derivative is ${short(derivative)}.`;
  };
});
