// Attention step by step: a grid for each step of a head, a cell for each query (row) and key (column). Or, in
// their place, the heads of the model that the reader has trained.
live('08_heads', figure => {
  figure.field('Sentence', 'text', {maxLength: 200});
  figure.model('Weights', 'drawn from the seed');
  figure.check('divide by √D', 'scale');
  figure.check('mask', 'mask');
  figure.slider('Seed', 'seed', {min: 0, max: 50, step: 1});
  let head = 0;
  const which = made('select', {}, ...[1, 2].map(n => made('option', {textContent: `head ${n}`})));
  which.setAttribute('aria-label', 'Head');
  figure.restart = () => { which.selectedIndex = head = 0; };
  which.onchange = () => { head = which.selectedIndex; figure.redraw(); };
  figure.controls.append(which);

  function trainedMaps({tokens, layer, heads, left_out: unknown}) {
    figure.status.textContent = `The last layer of the model that you trained, at the sentence’s first ${some(tokens.length, 'token')}: each row shows how much a token takes from the tokens up to it.${leftOut(unknown)}`;
    return heads.map((rows, n) => {
      const title = `Layer ${layer}, head ${n + 1}`, {svg} = attentionMap(rows, tokens.map(spelled), `${title} of the trained model`);
      svg.style.width = `${14 * svg.viewBox.baseVal.width}px`;  // letters of 11 points
      svg.style.maxWidth = 'none';
      return made('div', {className: 'scrolls'}, made('p', {className: 'title', textContent: title}), svg);
    });
  }
  function steps({words, heads}) {
    const {scores, masked, weights, result} = heads[head], names = {rowNames: words, columnNames: words};
    return [figure.grid('Scores', scores, names), figure.grid('After the mask', masked, names), figure.grid('Weights: softmax of each row', weights, {...names, most: 1}),
      figure.grid('Result: a mean of the values', result, {rowNames: words, columnNames: result[0].map((_, i) => i + 1)})];
  }
  return data => {
    figure.apply(['scale', 'mask', 'seed'], !data.trained);
    which.disabled = Boolean(data.trained);
    figure.box.replaceChildren(made('div', {className: 'grids'}, ...data.trained ? trainedMaps(data.trained) : steps(data)));
  };
});
