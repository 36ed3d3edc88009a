// Names in listings: their declaration in a box, their own listing or their definition by a click.
'use strict';
// [[place, declaration, [[place, definition]...]]...]: of all names of the book, in the page or beside it.
const inside = document.getElementById('names');
let names = null;
async function known(name) {
  names ??= inside ? JSON.parse(inside.textContent) : fetch('names.json').then(answer => answer.json());
  return (await names)[name.dataset.k];
}
const box = document.getElementById('box');
let shown = null, timer = 0;

// Where a name leads, in words.
function destination(name) {
  if (!name.hasAttribute('href')) return 'its definition opens below';
  const [page, id] = name.getAttribute('href').split('#'), target = !page && document.getElementById(id), chapter = target && target.closest('article');
  if (chapter && chapter === name.closest('article')) return target.contains(name) ? 'in this listing' : 'to its listing in this chapter';
  const entry = document.querySelector(`#contents a[href="${page || `#${chapter.id}`}"]`).closest('li');
  return `to its listing in ${entry.parentElement.type === 'A' ? 'the appendix' : `chapter ${entry.value}`}`;
}

function hide() {
  clearTimeout(timer);
  box.hidden = true;
  if (shown) {
    shown.classList.remove('shown');
    shown.removeAttribute('aria-describedby');
  }
  shown = null;
}

async function show(name) {
  if (shown === name) return;
  hide();
  shown = name;
  const [place, text, definitions] = await known(name);
  if (shown !== name) return;
  box.innerHTML = `<p></p><pre>${text}</pre>`;
  box.firstChild.textContent = !name.hasAttribute('href') && !definitions.length ? place : `${place} · click or Enter: ${destination(name)}`;
  box.hidden = false;
  name.classList.add('shown');
  name.setAttribute('aria-describedby', 'box');
  const at = name.getBoundingClientRect(), size = box.getBoundingClientRect();
  const below = at.bottom + size.height + 8 <= innerHeight || at.top < size.height + 8;
  box.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8)) + scrollX}px`;
  box.style.top = `${(below ? at.bottom + 4 : at.top - size.height - 4) + scrollY}px`;
}

// A definition below the listing that names it; again: closes it.
async function open(name) {
  const listing = name.closest('figure'), id = `d${name.dataset.k}`;
  const [place, declaration, definitions] = await known(name);
  for (let next = listing.nextElementSibling; next && next.classList.contains('opened'); next = next.nextElementSibling)
    if (next.dataset.of === id) return next.querySelector('button').focus();
  const block = document.createElement('figure');
  block.className = 'listing opened';
  block.dataset.of = id;
  const caption = document.createElement('figcaption'), close = document.createElement('button');
  caption.innerHTML = '<code></code>';
  caption.firstChild.textContent = definitions.length ? definitions.map(([where]) => where).join(', ') : place;
  close.textContent = 'Close';
  close.onclick = () => { block.remove(); name.focus(); hide(); };
  caption.append(close);
  block.append(caption);
  for (const text of definitions.length ? definitions.map(([, text]) => text) : [declaration]) {
    const pre = document.createElement('pre');
    pre.innerHTML = text;
    block.append(pre);
  }
  listing.after(block);
  hide();
  close.focus({ preventScroll: true });
  block.scrollIntoView({ block: 'nearest' });
}

const nameAt = event => event.target.closest && event.target.closest('a.n');

// Tab stops at one name of a listing, the first or the last that was reached; arrow keys go on from there.
const beside = name => [...name.closest('figure').querySelectorAll('a.n')];
function stopAt(name) {
  for (const other of beside(name)) other.tabIndex = other === name ? 0 : -1;
}
for (const name of document.querySelectorAll('a.n:not([href])')) name.setAttribute('role', 'button');
for (const listing of document.querySelectorAll('.listing:has(a.n)')) stopAt(listing.querySelector('a.n'));

document.addEventListener('pointerover', event => {
  if (event.pointerType === 'touch') return;
  const name = nameAt(event);
  clearTimeout(timer);
  if (name) timer = setTimeout(show, 120, name);
  else if (shown && !box.contains(event.target)) timer = setTimeout(hide, 250);
});
document.addEventListener('focusin', event => {
  const name = nameAt(event);
  if (name) stopAt(name);
  if (name && name.matches(':focus-visible')) show(name);
  else if (shown && !box.contains(event.target)) hide();
});
// A finger shows first, and goes by the second touch.
document.addEventListener('click', event => {
  const name = nameAt(event);
  if (!name) {
    if (shown && !box.contains(event.target)) hide();
    return;
  }
  if (event.pointerType === 'touch' && shown !== name) {
    event.preventDefault();
    return show(name);
  }
  if (!name.hasAttribute('href')) return open(name);
  hide();
});
document.addEventListener('keydown', event => {
  const name = nameAt(event), opened = event.target.closest && event.target.closest('.opened');
  if (event.key === 'Escape') {
    if (shown) hide();
    else if (opened) opened.querySelector('button').click();
  } else if (name && !name.hasAttribute('href') && (event.key === 'Enter' || event.key === ' ')) {
    event.preventDefault();
    open(name);
  } else if (name && ['ArrowLeft', 'ArrowRight'].includes(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey) {
    const all = beside(name), next = all[all.indexOf(name) + (event.key === 'ArrowRight' ? 1 : -1)];
    event.preventDefault();
    if (next) next.focus();
  }
});

// The contents: closed on a small screen (from the start: make.py), and marked where the reader is.
const contents = document.querySelector('#contents details');
const wide = matchMedia('(min-width: 68rem)');
const settle = () => { contents.open = wide.matches || matchMedia('print').matches; };
wide.addEventListener('change', settle);
addEventListener('beforeprint', () => {
  hide();
  for (const fold of document.querySelectorAll('details')) fold.open = true;  // the contents, and the answers
});
// A link into a closed fold opens it.
const unfold = () => {
  const target = document.querySelector(':target');
  for (let at = target; at; at = at.parentElement) if (at.localName === 'details') at.open = true;
  if (target && target.closest('details')) target.scrollIntoView();
};
addEventListener('hashchange', unfold);
unfold();
const seen = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries)
    for (const link of document.querySelectorAll(`#contents a[href="#${target.id}"]`))
      if (isIntersecting) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
}, { rootMargin: '-10% 0px -89% 0px' });
for (const article of document.querySelectorAll('article')) seen.observe(article);
// A formula is made as small as it must be to fit, down to two thirds.
const formulas = document.querySelectorAll('math[display="block"]');
function fit() {
  for (const formula of formulas) formula.style.fontSize = '';
  for (const formula of formulas)
    if (formula.scrollWidth > formula.clientWidth)
      formula.style.fontSize = `${Math.max(0.66, 0.97 * formula.clientWidth / formula.scrollWidth)}em`;
}
addEventListener('resize', fit);
fit();
// What scrolls sideways can be scrolled by keys.
for (const part of document.querySelectorAll('pre, table'))
  if (!part.querySelector('a') && part.scrollWidth > part.clientWidth) part.tabIndex = 0;
