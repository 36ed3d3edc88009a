// Bars for the bytes that are alive after each op, with the nodes on the tape.
live('03_memory', figure => {
  figure.slider('Points', 'rows', {min: 1, max: 1000, step: 1});
  figure.slider('Width', 'width', {min: 1, max: 256, step: 1});
  figure.check('relu in place of tanh', 'relu');
  return ({moments}) => {
    const most = Math.max(...moments.map(({bytes}) => bytes));
    figure.bars('Bytes alive after each op', moments.map(({what, op, nodes, bytes}) => ({
      name: `${what === 'forward' ? '→' : '←'} ${op}`, share: bytes / most, text: `${(bytes / 1000).toFixed(1)} KB, nodes ${nodes}`, kind: what === 'forward' ? 'soft' : 'strong'})), 120);
    figure.status.textContent = 'Forward, →, and then backward, ←: what is alive after each op.';
  };
});
