// Finds the entries with all typed words in their names, or else in the text; PyTorch's F.cross_entropy and crossentropy
// too. / puts the cursor there.
'use strict';
const words = document.getElementById('words'), entries = [...document.querySelectorAll('article')];
const plain = text => text.toLowerCase().replaceAll('_', '');
const texts = entries.map(entry => plain(entry.textContent)), names = entries.map(entry => plain(entry.dataset.name));
const sections = [...document.querySelectorAll('section')];

function search() {
  const wanted = plain(words.value).split(/\s+/).map(word => word.replace(/^(torch|nn|f|functional)[.]/, '')).filter(word => word);
  let byName = entries.filter((_, i) => wanted.every(word => names[i].includes(word)));
  if (!byName.length) byName = entries.filter((_, i) => wanted.every(word => texts[i].includes(word)));
  const shown = new Set(byName);
  for (const entry of entries) entry.hidden = !shown.has(entry);
  for (const section of sections) {
    section.hidden = wanted.length > 0 && !section.querySelector('article:not([hidden])');
    section.querySelector('.opening').hidden = wanted.length > 0;
  }
  document.getElementById('files').hidden = wanted.length > 0;
  document.getElementById('found').textContent = !wanted.length ? '' : shown.size ? `${shown.size} of ${entries.length}` : 'nothing found';
}
words.oninput = search;
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== words) {
    event.preventDefault();
    words.focus();
  }
});
search();
