// A bar for each of the likeliest tokens; what the filters leave out is gray.
live('18_next_token', figure => {
  figure.model('Model', 'printed, of 150 updates');
  figure.field('Beginning', 'text', {maxLength: 300});
  figure.slider('Temperature', 'temperature', {min: 0.1, max: 3, step: 0.1});
  figure.slider('top_k (0: off)', 'top_k', {min: 0, max: 30, step: 1});
  figure.slider('top_p', 'top_p', {min: 0.05, max: 1, step: 0.05});
  return ({next: {tokens, kept: left, of, left_out: unknown}, readers}) => {
    const most = tokens[0].p;
    figure.bars('Probabilities of the next token', tokens.slice(0, 20).map(({token, p, kept, drawn: q}) => ({
      name: `“${spelled(token)}”`, share: p / most, text: `${(100 * p).toFixed(1)} %${!kept ? ', out' : left < of ? ` → ${(100 * q).toFixed(1)} %` : ''}`, kind: kept ? 'strong' : 'soft', out: kept ? '' : 'out'})), 110);
    figure.status.textContent = `${readers ? 'The model that you trained in chapter 16' : 'The model of the printed figure'}: ${left} of its ${some(of, 'token')} can be drawn${left < of ? ', with the probability after the arrow' : ''}.${leftOut(unknown)}`;
  };
});
