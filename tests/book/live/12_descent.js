// The valley from above, with the way of each optimizer, and the losses on a matrix.
live('12_descent', figure => {
  const hues = {SGD: 28, momentum: 280, AdamW: 212, Muon: 140}, dashes = {SGD: '', momentum: '9 3', AdamW: '3 3', Muon: '9 3 2 3'};
  figure.slider('Rate, as a power of 10', 'rate', {min: -3, max: 0.5, step: 0.1});
  figure.slider('Momentum', 'momentum', {min: 0, max: 0.99, step: 0.01});
  const map = made('div'), legend = made('p', {className: 'keys'}), chart = made('figure', {}, made('figcaption', {textContent: 'The matrix: loss by update'}));
  let drawnChart = null;

  return ({heights, valley, matrix}) => {
    if (!map.isConnected) figure.box.replaceChildren(legend, map, chart);
    const svg = figure.svg(640, 320, 'The valley from above, and the ways down', map);
    svg.style.minWidth = 0;  // no words in it
    legend.replaceChildren('The valley, from above: ');
    const shades = heights.flat(), most = Math.log(Math.max(...shades)), least = Math.log(Math.min(...shades));
    heights.forEach((row, i) => row.forEach((height, j) =>
      drawn(svg, 'rect', {class: 'height', x: j * 16, y: i * 16, width: 16, height: 16, 'fill-opacity': (0.35 * (Math.log(height) - least) / (most - least)).toFixed(2)})));
    valley.forEach(({name, places}) => {
      const at = places.map(([[x, y]]) => [(x + 10) * 32, (y + 2.5) * 64].map(value => limited(value ?? 1e4, -1e4, 1e4).toFixed(1)));
      const key = made('span'), sign = drawn(key, 'svg', {viewBox: '0 0 28 10', 'aria-hidden': 'true'});
      for (const [picture, d] of [[svg, `M${at.join('L')}`], [sign, 'M1 5H27']])
        drawn(picture, 'path', {class: 'line way', 'stroke-dasharray': dashes[name] || 'none', d}).style.setProperty('--hue', hues[name]);
      key.append(name);
      legend.append(key);
      drawn(svg, 'path', {class: 'line way ends', d: at.map(place => `M${place}h0`).join('')}).style.setProperty('--hue', hues[name]);
    });
    const spec = {name: 'Losses on the matrix', x: {name: 'update', whole: true}, y: {name: 'loss'},
      series: matrix.map(({name, losses}) => ({name, hue: hues[name], dash: dashes[name], kind: 'thin', x: losses.map((_, i) => i), y: losses.map(loss => limited(loss ?? 1e9, 1e-9, 1e9))}))};
    if (drawnChart) drawnChart.update(spec);
    else {
      const board = new Board();
      board.logY = true;
      drawnChart = new Chart(chart, board, spec);
    }
  };
});
