// The pages of the site's book: the search over all of them, and where addresses of the one page lead.

// What had an id on the one page is on a chapter's page now. A section's id begins with the number that its chapter had.
const places = document.getElementById('places');
function forward() {
  const id = location.hash.slice(1), bare = one => one.replace(/^c[0-9A-Z]+-/, '');
  if (!places || !id || document.getElementById(id)) return;
  const all = Object.entries(JSON.parse(places.textContent)).flatMap(([page, ids]) => ids.map(one => [page, one]));
  const there = all.find(([, one]) => one === id) ?? all.find(([, one]) => bare(one) === bare(id));
  if (there) location.replace(there.join('#'));
}
addEventListener('hashchange', forward);
forward();

// Of each section its address, chapter, heading and text; of each idea these without a text. Fetched at the first search.
let sections = null;
const most = 20, contents = document.querySelector('#contents details');
const field = made('input', {type: 'search', placeholder: 'Search the book', ariaLabel: 'Search the book', autocomplete: 'off', spellcheck: false});
const told = made('p', {role: 'status'}), found = made('ol', {id: 'found'});
contents.before(field, told, found);
function made(name, properties, ...inside) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...inside);
  return element;
}

function entry([address, chapter, heading, text], wanted) {
  const link = made('a', {href: address}, heading ? `${chapter}: ${heading}` : chapter), item = made('li', {}, link);
  const small = text.toLowerCase(), term = small.includes(wanted.join(' ')) ? wanted.join(' ') : wanted[0], at = small.indexOf(term);
  if (at < 0) return item;
  // Browsers that can go to the words themselves.
  const words = text.slice(text.lastIndexOf(' ', at) + 1).match(/\S+( \S+){0,2}/)[0];
  if (document.fragmentDirective) link.href += `${link.hash ? '' : '#'}:~:text=${encodeURIComponent(words).replaceAll('-', '%2D')}`;
  const begin = text.lastIndexOf(' ', Math.max(0, at - 40)) + 1, end = at + term.length;
  item.append(made('p', {}, `${begin ? '… ' : ''}${text.slice(begin, at)}`, made('mark', {}, text.slice(at, end)), `${text.slice(end, end + 80)} …`));
  return item;
}
async function search() {
  const asked = field.value, wanted = asked.toLowerCase().split(/\s+/).filter(word => word);
  const has = text => wanted.every(word => text.toLowerCase().includes(word));
  const all = (await (sections ??= fetch('search.json').then(answer => answer.json()))).filter(one => wanted.length && has(one.slice(1).join(' ')));
  if (asked !== field.value) return;
  all.sort((a, b) => has(b[2]) - has(a[2]));  // first what has the words in its heading
  found.replaceChildren(...all.slice(0, most).map(one => entry(one, wanted)));
  told.textContent = !wanted.length ? '' : !all.length ? 'Nothing found.' : all.length > most ? `The first ${most} of ${all.length}:` : '';
  contents.hidden = wanted.length > 0;
}
field.addEventListener('input', search);
field.addEventListener('keydown', event => { if (event.key === 'Enter') found.querySelector('a')?.click(); });
document.addEventListener('keydown', event => {
  if (event.key !== '/' || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
  event.preventDefault();
  field.focus();
});
