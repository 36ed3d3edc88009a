// The worker: one thread that owns the engine. It trains in slices of a tenth of a second and reads its
// messages between them, so Stop, Step and Write are answered at once. Requests: {name, ...}; answers:
// {name, ...}, with `error`, one sentence, if it failed.
'use strict';
let engine, starting, training = false, sampled = 0, prompt = '', speed = 0;

const answer = (name, data) => postMessage({name, ...data});
const ask = (f, ...values) => JSON.parse(engine.UTF8ToString(engine['_' + f](...values)));
// Calls f(place, size, ...values) with a copy of the bytes in the engine's memory.
function withBytes(bytes, f, ...values) {
  const place = engine._malloc(bytes.length || 1);
  if (!place) return {error: 'There is not enough memory for this text.'};
  engine.HEAPU8.set(bytes, place);
  try { return ask(f, place, bytes.length, ...values); } finally { engine._free(place); }
}
const withText = (text, f, ...values) => withBytes(new TextEncoder().encode(text), f, ...values);

function sample() {
  sampled = Date.now();
  answer('sample', withText('', 'continue_text', 120, 0.8, sampled % 1e6));
  answer('attention', withText(prompt, 'attention'));
}
function slice(updates, seconds) {
  const result = ask('advance', updates, seconds);
  if (result.error || result.step >= result.steps) training = false;
  answer('advanced', {...result, training});
  if (!result.error && (Date.now() - sampled > 4000 || result.step >= result.steps)) sample();
}
function loop() {
  if (!training) return;
  slice(1 << 30, 0.1);
  setTimeout(loop);
}

const requests = {
  // The speed of a few updates, in floating-point operations per second.
  measure({text, flops}) {
    const {flops: update} = withText(text, 'begin', flops);
    ask('advance', 1, 9);  // with the first evaluation
    const before = performance.now();
    ask('advance', 4, 9);
    speed = 4 * update / (performance.now() - before) * 1000;
    answer('measured', {});
  },
  // The seconds that training on a text would take at each cost; none if it cannot be trained on.
  estimate({text, flops}) {
    const {costs} = withText(text, 'estimate', ...flops);
    answer('estimated', {seconds: costs?.map(cost => cost / speed)});
  },
  begin(request) {
    prompt = request.prompt;
    sampled = 0;
    const begun = withText(request.text, 'begin', request.flops);
    answer('begun', begun);
    if (!begun.error) requests.go();
  },
  go() { if (!training) { training = true; loop(); } },
  stop() { training = false; answer('stopped', {}); },
  step() { training = false; slice(1, 60); },
  attend(request) { prompt = request.prompt; answer('attention', withText(prompt, 'attention')); },
  write({prompt, count, temperature, seed}) {
    answer('written', withText(prompt, 'continue_text', count, temperature, seed));
  },
  save() {
    const saved = ask('save');
    answer('saved', saved.error ? saved : {bytes: engine.HEAPU8.slice(saved.at, saved.at + saved.size)});
  },
  open({bytes}) {
    const opened = withBytes(bytes, 'open_model');
    if (!opened.error) training = false;
    answer('opened', opened);
  },
};

onmessage = async ({data}) => {
  try {
    engine = await (starting ??= Gradus());
    requests[data.name](data);
  } catch (error) {
    training = false;
    answer('failed', {error: 'The engine stopped: ' + (error.message || error) + '. Reload the page.'});
  }
};
