// Attention step by step: a grid for each step of a head, a cell for each query (row) and key (column).
live('08_heads', figure => {
  figure.field('Sentence', 'text', {maxLength: 200});
  figure.check('divide by √D', 'scale');
  figure.check('mask', 'mask');
  figure.slider('Seed', 'seed', {min: 0, max: 50, step: 1});
  let head = 0;
  const which = made('select', {}, ...[1, 2].map(n => made('option', {textContent: `head ${n}`})));
  which.setAttribute('aria-label', 'Head');
  which.onchange = () => { head = which.selectedIndex; figure.redraw(); };
  figure.controls.append(which);

  return ({words, heads}) => {
    const {scores, masked, weights, result} = heads[head];
    const names = {rowNames: words, columnNames: words};
    figure.box.replaceChildren(made('div', {className: 'grids'}, figure.grid('Scores', scores, names), figure.grid('After the mask', masked, names),
      figure.grid('Weights: softmax of each row', weights, {...names, most: 1}),
      figure.grid('Result: a mean of the values', result, {rowNames: words, columnNames: result[0].map((_, i) => i + 1)})));
  };
});
