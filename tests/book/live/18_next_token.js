// A bar for each of the likeliest tokens; what the filters leave out is grey.
live('18_next_token', figure => {
  figure.field('Beginning', 'text', {maxLength: 300});
  figure.slider('Temperature', 'temperature', {min: 0.1, max: 3, step: 0.1});
  figure.slider('top_k (0: off)', 'top_k', {min: 0, max: 30, step: 1});
  figure.slider('top_p', 'top_p', {min: 0.05, max: 1, step: 0.05});
  return ({next: {tokens}, readers}) => {
    const kept = tokens.filter(token => token.kept).length;
    const most = tokens[0].p, shown = tokens.slice(0, 20), svg = figure.svg(440, shown.length * 20 + 6, 'Probabilities of the next token');
    shown.forEach(({token, p, kept}, i) => {
      const y = 20 * i + 15;
      drawn(svg, 'text', {class: kept ? 'text' : 'text out', x: 0, y}, `“${[...token.replace(/ /g, '␣').replace(/\n/g, '⏎')].slice(0, 12).join('')}”`);
      drawn(svg, 'rect', {class: kept ? 'strong' : 'soft out', x: 110, y: y - 12, width: Math.max(0.5, 220 * p / most), height: 15});
      drawn(svg, 'text', {class: kept ? 'text' : 'text out', x: 340, y}, `${(100 * p).toFixed(1)} %${kept ? '' : ', out'}`);
    });
    figure.status.textContent = `${readers ? 'The model that you trained in chapter 16' : 'A model of 150 updates; train a better one in chapter 16'}: ${kept === 30 ? '30 or more tokens' : some(kept, 'token')} can be drawn.`;
  };
});
