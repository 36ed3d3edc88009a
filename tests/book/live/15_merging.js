// The text in its tokens, each with a color of its id.
live('15_merging', figure => {
  figure.area('Text', {maxLength: 20000, rows: 3});
  const slider = figure.slider('Merges', 'merges', {min: 0, max: 400, step: 1}).querySelector('input');
  return ({merges, possible, last, tokens, ids, characters, bits}) => {
    slider.max = possible;  // of this text
    const shownTokens = made('p', {className: 'tokens'});
    tokens.slice(0, 2000).forEach((token, i) => {
      const part = made('span', {textContent: token.replace(/\n/g, '⏎'), title: `token ${ids[i]}`});
      part.style.setProperty('--hue', ids[i] * 137.5 % 360);
      shownTokens.append(part);
    });
    figure.box.replaceChildren(shownTokens);
    figure.status.textContent = `${some(merges, 'merge')}${merges === possible && possible < 400 ? ', after which no pair occurs twice' : ''}, the last: ${last.replace(/ (?=\S* \+ )/, '␣')}. ${some(characters, 'character')}, ${some(tokens.length, 'token')}, ${bits.toFixed(3)} bits a character, by how often each token occurs; the table of merges would come on top.`;
  };
});
