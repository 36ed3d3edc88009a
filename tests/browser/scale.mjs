// scale.mjs CHART.JS: every axis has marks enough to be read, and few enough not to touch.
import { readFileSync } from 'node:fs';
import { printed } from './open.mjs';

const source = readFileSync(process.argv[2], 'utf8'), begin = source.indexOf('function roundStep');
const end = source.indexOf('\n}\n', source.indexOf('function scale(')) + 3;
const scale = new Function(`${source.slice(begin, end)} return scale;`)();
const say = printed('chart'), wrong = [];
let axes = 0;
for (const wanted of [4, 5, 7])
  for (const whole of [false, true])
    for (let high = 1e-3; high < 1e13; high *= 1.07)
      for (const share of [0, 1e-6, 0.005, 0.3, 0.49, 0.51, 0.9, 0.999]) {
        const { ticks } = scale(share * high, high, { whole, wanted });
        ++axes;
        if (ticks.length < 2 || ticks.length > 2 * wanted) wrong.push(`${share * high} to ${high}, ${wanted} wanted: ${ticks}`);
      }
say(`${axes} axes have from two marks to twice as many as wanted`, !wrong.length, wrong);
