// A bar for each rung's speed.
live('13_rungs', figure => {
  let measured = false;  // an answer was drawn
  figure.extra = {turns: 5};
  const again = figure.button('Measure again', () => {
    figure.restart();
    figure.update();
  });
  figure.restart = () => {
    again.disabled = true;
    figure.status.textContent = 'Measuring …';
  };
  return ({rungs, said, choices}) => {
    again.disabled = false;
    if (choices && measured) {  // As printed
      figure.box.replaceChildren(made('pre', {textContent: said}));
      figure.status.textContent = 'Speeds are not printed: each computer has its own.';
      return;
    }
    measured = true;
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
