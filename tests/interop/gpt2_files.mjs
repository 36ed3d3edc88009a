// gpt2_files.mjs FOLDER: writes vocab.json and merges.txt of GPT-2's tokenizer, from the ranks in
// gpt-tokenizer, and the same as tokenizer.json, with merges as older and (pairs.json) as newer programs
// write them. The two parts of a merge are what the earlier merges leave of the token's bytes.
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
const end = names.length;
const vocab = Object.fromEntries([...rankOf, ['<|endoftext|>', end]]);
writeFileSync(`${folder}/vocab.json`, JSON.stringify(vocab));
const level = {type: 'ByteLevel', add_prefix_space: false, trim_offsets: true};
const tokenizer = (list) => JSON.stringify({
  version: '1.0', truncation: null, padding: null,
  added_tokens: [{id: end, special: true, content: '<|endoftext|>', single_word: false, lstrip: false, rstrip: false,
    normalized: true}],
  normalizer: null, pre_tokenizer: level, post_processor: {...level, add_prefix_space: true, trim_offsets: false},
  decoder: {...level, add_prefix_space: true},
  model: {dropout: null, unk_token: null, continuing_subword_prefix: '', end_of_word_suffix: '', fuse_unk: false, vocab,
    merges: list}});
writeFileSync(`${folder}/tokenizer.json`, tokenizer(merges));
writeFileSync(`${folder}/pairs.json`, tokenizer(merges.map((merge) => merge.split(' '))));
