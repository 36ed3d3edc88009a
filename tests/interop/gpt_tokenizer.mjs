// gpt_tokenizer.mjs FOLDER: gpt-tokenizer's GPT-2 gives gradus's tokens of mixed.txt, those in mixed.ids.
import {readFileSync} from 'node:fs';
import {encode} from 'gpt-tokenizer/encoding/gpt2';
import {ids} from './files.mjs';
import {same} from './report.mjs';

const [folder] = process.argv.slice(2);
const text = readFileSync(`${folder}/mixed.txt`, 'utf8');
same("gpt-tokenizer, GPT-2's merges", 'tokens of mixed text', encode(text, {allowedSpecial: 'all'}), ids(`${folder}/mixed.ids`));
