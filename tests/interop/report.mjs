// As report.py: a line of make interop for each check; the program's status is 1 if one failed.
export function check(who, what, passed) {
  if (!passed) process.exitCode = 1;
  console.log(`interop: ${who}: ${passed ? '' : 'DIFFERS: '}${what}`);
}

export function close(who, what, difference, limit) {
  check(who, `${what}: largest difference ${difference.toExponential(1)} (limit ${limit})`, difference <= limit);
}

export function same(who, what, a, b) {
  let where = 0;
  while (where < a.length && where < b.length && a[where] === b[where]) ++where;
  if (a.length === b.length && where === a.length)
    return check(who, `${a.length.toLocaleString('en')} ${what} equal`, where > 0);
  check(who, `${what}: ${a.length} and ${b.length}, the first difference at ${where}: ` +
    `${JSON.stringify(a.slice(where, where + 8))}, expected ${JSON.stringify(b.slice(where, where + 8))}`, false);
}
