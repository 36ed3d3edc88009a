// Two shapes and what adding them gives: in words, and in numbers where they are few.
live('05_shapes', figure => {
  figure.field('Shape of a', 'a', {maxLength: 100});
  figure.field('Shape of b', 'b', {maxLength: 100});
  return ({said, a, b, y, da, db}) => {
    figure.box.replaceChildren(made('pre', {className: 'wrapped words', textContent: said}));
    const tables = made('div', {className: 'grids'}), numbers = {a, b, 'y = a + b': y, 'da, for dy = 1': da, 'db, for dy = 1': db};
    for (const [name, rows] of Object.entries(numbers))
      if (rows) tables.append(figure.grid(name, rows, {digits: 0}));
    figure.box.append(tables);
  };
});
