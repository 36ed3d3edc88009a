// gpt2_files.mjs FOLDER: writes vocab.json and merges.txt of GPT-2's tokenizer, from the ranks in
// gpt-tokenizer. A merge's two parts are what the token's bytes become by the merges before it.
import {mkdirSync, writeFileSync} from 'node:fs';
import ranks from 'gpt-tokenizer/bpeRanks/r50k_base';

const [folder] = process.argv.slice(2);
// GPT-2 writes the bytes that are no visible characters as U+0100 and on.
const visible = (b) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
const symbols = [];
for (let b = 0, next = 256; b < 256; ++b) symbols.push(String.fromCharCode(visible(b) ? b : next++));

const names = ranks.map((token) => [...Buffer.from(token)].map((b) => symbols[b]).join(''));
const rankOf = new Map(names.map((name, rank) => [name, rank]));
const merges = names.slice(256).map((name, i) => {
  let parts = [...name];
  while (parts.length > 2) {
    let least = 256 + i, at = -1;
    for (let j = 0; j + 1 < parts.length; ++j) {
      const rank = rankOf.get(parts[j] + parts[j + 1]);
      if (rank < least) [least, at] = [rank, j];
    }
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
  return parts.join(' ');
});
mkdirSync(folder, {recursive: true});
writeFileSync(`${folder}/merges.txt`, ['#version: 0.2', ...merges, ''].join('\n'));
writeFileSync(`${folder}/vocab.json`, JSON.stringify(Object.fromEntries([...rankOf, ['<|endoftext|>', names.length]])));
