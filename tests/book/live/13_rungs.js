// A bar for each rung's speed.
live('13_rungs', figure => {
  figure.button('Measure again', () => figure.update());
  return ({rungs}) => {
    const most = Math.max(...rungs.map(({speed}) => speed)), svg = figure.svg(470, rungs.length * 26 + 6, 'Speed of each rung');
    rungs.forEach(({name, speed}, i) => {
      const y = 26 * i + 18;
      drawn(svg, 'text', {class: 'text', x: 0, y}, name);
      drawn(svg, 'rect', {class: 'strong', x: 150, y: y - 14, width: Math.max(1, 210 * speed / most), height: 18});
      drawn(svg, 'text', {class: 'text', x: 370, y}, `${speed.toPrecision(3)} GFLOP/s`);
    });
    figure.status.textContent = 'Products of 384 × 384 numbers on one thread of your computer, in WebAssembly’s vectors of four floats.';
  };
});
