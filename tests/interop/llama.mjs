// llama.mjs FOLDER NAME LIMIT [GREEDY]: llama.cpp loads FOLDER/NAME.gguf. The tokens of mixed.txt, the
// log-probabilities of the 50 likeliest tokens after each token of the prompt, and (GREEDY) the greedy
// continuation are gradus's, which are in mixed.ids, logits.f32 and greedy.ids. If there is a NAME_ggml.f32,
// logits computed with ggml's GELU, they are compared as well.
import {existsSync, readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {getLlama, LlamaLogLevel} from 'node-llama-cpp';
import {floats, ids} from './files.mjs';
import {close, same} from './report.mjs';

const [folder, name, limit, greedy] = process.argv.slice(2);
const who = `llama.cpp, ${basename(folder)} ${name}`;

const llama = await getLlama({gpu: false, build: 'never', skipDownload: true, logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: `${folder}/${name}.gguf`, useMmap: false});
// Keys and values in float32: by default they are rounded to float16.
const context = await model.createContext({contextSize: 256, batchSize: 256, threads: 1, flashAttention: false,
  experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32'});
const sequence = context.getSequence();

const text = readFileSync(`${folder}/mixed.txt`, 'utf8');
same(who, 'tokens of mixed text', model.tokenize(text, true), ids(`${folder}/mixed.ids`));

function logSumExp(values) {
  const max = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return max + Math.log(values.reduce((sum, x) => sum + Math.exp(x - max), 0));
}

const prompt = ids(`${folder}/prompt.ids`);
const results = await sequence.controlledEvaluate(prompt.map((id) => [id, {generateNext: {logits: true}}]));

function compare(logits, what, limit) {
  const size = logits.length / prompt.length;
  let worst = 0, count = 0;
  for (const [t, {next}] of results.entries()) {
    const expected = logits.subarray(t * size, (t + 1) * size), expectedSum = logSumExp(expected);
    const got = [...next.logits].sort((a, b) => b[1] - a[1]), sum = logSumExp([...next.logits.values()]);
    for (const [id, logit] of got.slice(0, 50)) {
      worst = Math.max(worst, Math.abs((logit - sum) - (expected[id] - expectedSum)));
      ++count;
    }
  }
  const complete = results[0].next.logits.size === size;
  close(who, `${count} log-probabilities${what}`, complete ? worst : Infinity, limit);
}
compare(floats(`${folder}/logits.f32`), '', limit);
if (existsSync(`${folder}/${name}_ggml.f32`))
  compare(floats(`${folder}/${name}_ggml.f32`), " and PyTorch's with GELU rounded as by ggml", 1e-3);

if (greedy) {
  const expected = ids(`${folder}/greedy.ids`), got = [];
  await sequence.clearHistory();
  for await (const token of sequence.evaluate(prompt.slice(0, 16), {temperature: 0, yieldEogToken: true})) {
    got.push(token);
    if (got.length === expected.length) break;
  }
  same(who, 'greedy tokens', got, expected);
}
await llama.dispose();
