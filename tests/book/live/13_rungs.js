// A bar for each rung's speed.
live('13_rungs', figure => {
  figure.returns = false;  // speeds are not printed: each computer has its own
  figure.extra = {turns: 5};
  const again = figure.button('Measure again', () => {
    figure.restart();
    figure.update();
  });
  figure.restart = () => {
    again.disabled = true;
    figure.status.textContent = 'Measuring …';
  };
  return ({rungs}) => {
    again.disabled = false;
    const most = Math.max(...rungs.map(({speed}) => speed));
    figure.bars('Speed of each rung', rungs.map(({name, speed}) => ({name, share: speed / most, text: `${speed.toPrecision(3)} GFLOP/s`})), 150);
    figure.status.textContent = 'Products of 384 × 384 numbers on one thread of your computer, in WebAssembly’s vectors of four floats.';
  };
});
