// Finds the entries with all typed words as words of their names, or of PyTorch's for them (synonyms.txt), or else within
// these, or else in the text; F.cross_entropy and crossentropy too. / puts the cursor there.
'use strict';
const words = document.getElementById('words'), entries = [...document.querySelectorAll('article')];
const plain = text => text.toLowerCase().replaceAll('_', '');
const named = entries.map(({dataset: {name, also}}) => `${name} ${also} ${name.replaceAll('_', ' ')} ${also.replaceAll('.', ' ')}`.split(/ |::/).map(plain));
const names = named.map(all => all.join(' ')), texts = entries.map(entry => plain(entry.textContent));
const sections = [...document.querySelectorAll('section')];

function search() {
  const wanted = plain(words.value).split(/\s+/).map(word => word.replace(/^((torch|nn|f|functional|optim|engine)[.])+/, '')).filter(word => word);
  const found = [named, names, texts].map(where => entries.filter((_, i) => wanted.every(word => where[i].includes(word))));
  const shown = new Set(found.find(some => some.length));
  for (const entry of entries) entry.hidden = !shown.has(entry);
  for (const section of sections) {
    section.hidden = wanted.length > 0 && !section.querySelector('article:not([hidden])');
    section.querySelector('.opening').hidden = wanted.length > 0;
  }
  for (const house of document.querySelectorAll('.house')) house.hidden = !house.querySelector('section:not([hidden])');
  for (const link of document.querySelectorAll('#contents li')) link.hidden = wanted.length > 0 && !shown.has(document.getElementById(link.firstChild.hash.slice(1)));
  document.getElementById('found').textContent = !wanted.length ? '' : shown.size ? `${shown.size} of ${entries.length}` : 'Nothing found, in names, PyTorch\u2019s names, and comments.';
}
words.oninput = search;
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== words) {
    event.preventDefault();
    words.focus();
  }
});
document.querySelector('#contents details').open = matchMedia('(min-width: 68rem)').matches;
search();
