// Finds the entries with all typed words: at the beginning of their names, within them, or in the text. / puts the cursor there.
'use strict';
const words = document.getElementById('words'), entries = [...document.querySelectorAll('article')];
const texts = entries.map(entry => entry.textContent.toLowerCase());
const sections = [...document.querySelectorAll('section')];

function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(word => word);
  let byName = entries.filter(entry => wanted.every(word => entry.dataset.name.includes(word)));
  if (!byName.length) byName = entries.filter((_, i) => wanted.every(word => texts[i].includes(word)));
  const shown = new Set(byName);
  for (const entry of entries) entry.hidden = !shown.has(entry);
  for (const section of sections) {
    section.hidden = wanted.length > 0 && !section.querySelector('article:not([hidden])');
    section.querySelector('.opening').hidden = wanted.length > 0;
  }
  document.getElementById('files').hidden = wanted.length > 0;
  document.getElementById('found').textContent = wanted.length ? `${shown.size} of ${entries.length}` : '';
}
words.oninput = search;
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== words) {
    event.preventDefault();
    words.focus();
  }
});
search();
