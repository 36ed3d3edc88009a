// Attention step by step: a grid for each step of a head, a cell for each query (row) and key (column). Or, in
// their place, the heads of the model that the page has trained.
live('08_heads', figure => {
  figure.field('Sentence', 'text', {maxLength: 200});
  figure.check('divide by √D', 'scale');
  figure.check('mask', 'mask');
  figure.slider('Seed', 'seed', {min: 0, max: 50, step: 1});
  let head = 0;
  const which = made('select', {}, ...[1, 2].map(n => made('option', {textContent: `head ${n}`})));
  which.setAttribute('aria-label', 'Head');
  figure.restart = () => { which.selectedIndex = head = 0; };
  which.onchange = () => { head = which.selectedIndex; figure.redraw(); };
  figure.controls.append(which);
  const learned = figure.button('', () => figure.engine.send('attend', {prompt: figure.value('text')}));
  figure.engine.heard.trained = () => {
    learned.disabled = !figure.engine.trained;
    learned.textContent = learned.disabled ? 'The trained model: train in chapter 16 first' : 'The model that you trained in chapter 16';
  };
  figure.engine.heard.trained();
  figure.engine.heard.attention = ({error, tokens, heads = []}) => {
    figure.status.textContent = error ?? `The last layer of the model that you trained, at the sentence’s first ${some(tokens.length, 'token')}: each row shows how much a token takes from the tokens up to it. Any change leads back to random matrices.`;
    if (error) return;
    figure.box.replaceChildren(made('div', {className: 'grids'}, ...heads.map((rows, n) => {
      const {svg} = attentionMap(rows, tokens.map(token => token.replace(/\s/g, '␣')), `Head ${n + 1} of the trained model`);
      svg.style.width = '15rem';
      return svg;
    })));
  };

  return ({words, heads}) => {
    const {scores, masked, weights, result} = heads[head], names = {rowNames: words, columnNames: words};
    figure.box.replaceChildren(made('div', {className: 'grids'}, figure.grid('Scores', scores, names), figure.grid('After the mask', masked, names),
      figure.grid('Weights: softmax of each row', weights, {...names, most: 1}),
      figure.grid('Result: a mean of the values', result, {rowNames: words, columnNames: result[0].map((_, i) => i + 1)})));
  };
});
