// The errors over the step, both axes logarithmic.
live('06_step', figure => {
  figure.field('f(x) =', 'formula', {maxLength: 200});
  figure.slider('x', 'x', {min: -4, max: 4, step: 0.1});
  const place = made('figure', {}, made('figcaption', {textContent: 'Absolute error of the difference, by the step h'})), board = new Board();
  board.logX = board.logY = true;
  let chart = null;
  return ({value, derivative, steps, two, four}) => {
    if (!place.isConnected) figure.box.replaceChildren(place);
    const x = steps.toReversed();
    const spec = {name: 'Errors by step', x: {name: 'h'}, y: {name: 'absolute error'},
      series: [{name: 'two points', hue: 28, x, y: two.toReversed()}, {name: 'four points', hue: 212, dash: '9 3', x, y: four.toReversed()}]};
    if (chart) chart.update(spec); else chart = new Chart(place, board, spec);
    const all = [...two, ...four], lost = [['not finite', null], ['exactly 0', 0]].map(([what, is]) => [what, all.filter(error => error === is).length]).filter(([, count]) => count);
    figure.status.textContent = `${value === null ? 'f(x) is not finite at this x: it does not exist there, or is too large for float.' : `By backward the derivative is ${short(derivative)}.`}${
      lost.length ? ` Not in the picture, only in its numbers: ${lost.map(([what, count]) => `${some(count, 'error')} ${count === 1 ? 'that is' : 'that are'} ${what}`).join(' and ')}.` : ''}`;
  };
});
