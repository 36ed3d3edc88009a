// The valley from above, with the way of each optimizer, and the losses on a matrix.
live('12_descent', figure => {
  const hues = {SGD: 28, momentum: 280, AdamW: 212, Muon: 140}, dashes = {SGD: '', momentum: '9 3', AdamW: '3 3', Muon: '9 3 2 3'};
  figure.slider('Rate', 'rate', {min: -3, max: 0.5, step: 0.1}, ({rate}) => short(rate));  // its power of 10
  figure.slider('Momentum', 'momentum', {min: 0, max: 0.99, step: 0.01});
  const map = made('div'), legend = made('p', {className: 'keys'}), chart = made('figure', {}, made('figcaption', {textContent: 'The matrix: loss by update'}));
  let drawnChart = null;

  return ({heights, valley, matrix}) => {
    if (!map.isConnected) figure.box.replaceChildren(legend, map, chart);
    const width = limited(figure.box.clientWidth, 300, 640), cell = width / 40, svg = figure.svg(width, width / 2, 'The valley from above, and the ways down', map);
    const place = ([x, y]) => [(x + 10) * width / 20, (y + 2.5) * width / 10];  // the picture is from -10 to 10 and from -2.5 to 2.5
    legend.replaceChildren('The valley, from above: ');
    const shades = heights.flat(), most = Math.log(Math.max(...shades)), least = Math.log(Math.min(...shades));
    heights.forEach((row, i) => row.forEach((height, j) =>
      drawn(svg, 'rect', {class: 'height', x: j * cell, y: i * cell / 2, width: cell, height: cell / 2, 'fill-opacity': (0.35 * (Math.log(height) - least) / (most - least)).toFixed(2)})));
    valley.forEach(({name, places, diverged}) => {
      const at = places.map(([numbers]) => place(numbers).map(value => value.toFixed(1)));
      const key = made('span'), sign = drawn(key, 'svg', {viewBox: '0 0 28 10', 'aria-hidden': 'true'});
      for (const [picture, d] of [[svg, `M${at.join('L')}`], [sign, 'M1 5H27']])
        drawn(picture, 'path', {class: 'line way', 'stroke-dasharray': dashes[name] || 'none', d}).style.setProperty('--hue', hues[name]);
      key.append(diverged ? `${name}, diverged` : name);
      legend.append(key);
      drawn(svg, 'path', {class: 'line way ends', d: at.map(place => `M${place}h0`).join('')}).style.setProperty('--hue', hues[name]);
    });
    for (const [name, [x, y]] of [['start', place(valley[0].places[0][0])], ['lowest', place([0, 0])]]) {
      drawn(svg, 'path', {class: 'mark', d: `M${x - 6} ${y}h12M${x} ${y - 6}v12`});
      drawn(svg, 'text', {class: 'text', x: x + 8, y: y + 14}, name);
    }
    const lost = [['in the valley', valley], ['on the matrix', matrix]].map(([where, ways]) => [where, ways.filter(way => way.diverged).map(way => way.name)]).filter(([, names]) => names.length);
    figure.status.textContent = lost.length ? `Diverged: ${lost.map(([where, names]) => `${where} ${names.join(' and ')}`).join('; ')}. The loss has grown a hundredfold, and the line ends.` : '';
    const spec = {name: 'Losses on the matrix', x: {name: 'update', whole: true}, y: {name: 'loss', all: true},
      series: matrix.map(({name, losses}) => ({name, hue: hues[name], dash: dashes[name], kind: 'thin', x: losses.map((_, i) => i), y: losses}))};
    if (drawnChart) drawnChart.update(spec);
    else {
      const board = new Board();
      board.logY = true;
      drawnChart = new Chart(chart, board, spec);
    }
  };
});
