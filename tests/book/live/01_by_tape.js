// The graph of a formula: a box for each value, forward from left to right; under it what is in its slot, as backward
// has left it after `ran` ops.
live('01_by_tape', figure => {
  let ran = 0;  // ops that backward has run
  figure.restart = () => { ran = 0; };
  figure.field('Formula', 'formula', {maxLength: 200}).addEventListener('input', figure.restart);
  const numbers = made('div', {className: 'numbers'}), rows = new Map();  // a name that comes back has its value
  const step = count => () => {
    ran = limited(count(), 0, figure.data.steps.length);
    figure.redraw();
    // The boxes that it added to come last: on a phone not all have room.
    for (const kind of ['.strong', '.added'])
      for (const box of figure.box.querySelectorAll(kind)) box.scrollIntoView({block: 'nearest', inline: 'nearest'});
  };
  // Never disabled: the focus would leave it, and the next Enter would press another.
  const one = figure.button('Backward: one op', step(() => ran + 1)), all = figure.button('All', step(() => figure.data.steps.length)),
    undo = figure.button('Undo one', step(() => ran - 1)), buttons = [one, all, undo];
  figure.moving.tabIndex = -1;  // a click on the picture gives the figure the focus
  figure.moving.addEventListener('keydown', event => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.target.matches('input')) return;  // there the keys move the cursor or the slider
    event.preventDefault();
    step(() => ran + by)();
  });
  figure.controls.append(made('span', {className: 'hint', textContent: 'or, after a click on a button or the picture, the keys ← and →'}));
  figure.controls.after(numbers);

  // A column further right than all inputs; a leaf stands just before its first use.
  function places(nodes) {
    const column = nodes.map(() => 0);
    nodes.forEach((node, i) => { if (node.op !== 'leaf') column[i] = 1 + Math.max(...node.inputs.map(input => column[input])); });
    nodes.forEach((node, i) => {
      const uses = nodes.flatMap((other, j) => other.inputs.includes(i) ? [column[j]] : []);
      if (node.op === 'leaf' && uses.length) column[i] = Math.min(...uses) - 1;
    });
    const filled = [];
    return nodes.map((_, i) => ({x: column[i], y: (filled[column[i]] = (filled[column[i]] ?? -1) + 1)}));
  }

  return ({nodes, steps}) => {
    const leaves = nodes.filter(node => node.op === 'leaf');
    for (const {name, value} of leaves) if (!rows.has(name)) rows.set(name, figure.slider(name, name, {min: -10, max: 10, step: 0.1, value}));
    const shown = leaves.map(({name}) => rows.get(name));
    if (shown.length !== numbers.children.length || shown.some((row, i) => row !== numbers.children[i])) numbers.replaceChildren(...shown);
    ran = Math.min(ran, steps.length);
    const at = places(nodes), wide = 152, high = 82, box = 126;
    const lines = Math.max(...at.map(place => place.y)) + 1, columns = Math.max(...at.map(place => place.x)) + 1;
    for (const place of at) {  // a column's boxes are in its middle
      const inColumn = at.filter(other => other.x === place.x).length;
      place.left = place.x * wide + 2;
      place.top = (place.y + (lines - inColumn) / 2) * high + 2;
    }
    const svg = figure.svg(columns * wide - wide + box + 4, lines * high, `The graph of the formula: ${leaves.length} leaves, ${some(steps.length, 'op')}`);
    const now = steps[ran - 1], slots = new Map();
    steps.slice(0, ran).forEach(({node, slots: added}) => {
      for (const slot of added) slots.set(slot.node, slot.sum);
      slots.delete(node);  // emptied when its op has run
    });
    if (ran === 0) slots.set(steps[0].node, 1);
    nodes.forEach((node, i) => node.inputs.forEach((input, n) => {
      const from = at[input], to = at[i], y = to.top + 20 + 12 * n;
      drawn(svg, 'path', {class: now?.node === i ? 'edge lit' : 'edge', d: `M${from.left + box} ${from.top + 26}C${from.left + box + 20} ${from.top + 26} ${to.left - 24} ${y} ${to.left} ${y}`});
    }));
    nodes.forEach((node, i) => {
      const {left, top} = at[i], added = now?.slots.find(slot => slot.node === i);
      drawn(svg, 'rect', {class: now?.node === i ? 'strong' : added ? 'soft added' : 'soft', x: left, y: top, width: box, height: 58, rx: 5});
      drawn(drawn(svg, 'text', {class: 'text', x: left + 7, y: top + 17}, fitted(node.name, box - 14)), 'title', {}, node.name);
      drawn(svg, 'text', {class: 'text number', x: left + box - 7, y: top + 36}, short(node.value));
      if (node.op !== 'leaf') drawn(svg, 'text', {class: 'text op', x: left + 7, y: top + 36}, node.op);
      if (slots.has(i)) drawn(svg, 'text', {class: added ? 'text slot lit' : 'text slot', x: left + box - 7, y: top + 53}, `slot ${short(slots.get(i))}`);
    });
    for (const button of buttons) button.setAttribute('aria-disabled', ran === (button === undo ? 0 : steps.length));
    figure.status.textContent = now
      ? `${nodes[now.node].op} ran backward with dy = ${short(now.dy)}; it added to ${now.slots.map(({node}) => nodes[node].name).join(' and ')}. ${ran} of ${some(steps.length, 'op')}.`
      : `Forward has recorded ${some(steps.length, 'op')}. Backward begins with the last one, and 1 in its slot.`;
  };
});
