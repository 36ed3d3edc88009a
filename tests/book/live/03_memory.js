// Bars for the bytes that are alive after each op, with the nodes on the tape.
live('03_memory', figure => {
  figure.slider('Points', 'rows', {min: 1, max: 1000, step: 1});
  figure.slider('Width', 'width', {min: 1, max: 256, step: 1});
  figure.check('relu in place of tanh', 'relu');
  return ({moments}) => {
    const most = Math.max(...moments.map(({bytes}) => bytes)), svg = figure.svg(500, moments.length * 22 + 8, 'Bytes alive after each op');
    moments.forEach(({what, op, nodes, bytes}, i) => {
      const y = 22 * i + 16;
      drawn(svg, 'text', {class: 'text', x: 0, y}, `${what} ${op}`);
      drawn(svg, 'rect', {class: what === 'forward' ? 'soft' : 'strong', x: 175, y: y - 13, width: Math.max(1, 165 * bytes / most), height: 16});
      drawn(svg, 'text', {class: 'text', x: 350, y}, `${(bytes / 1000).toFixed(1)} KB, nodes ${nodes}`);
    });
  };
});
