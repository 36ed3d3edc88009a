// gpt_tokenizer.mjs FOLDER MODEL: gpt-tokenizer's GPT-2 gives gradus's tokens of mixed_js.txt by MODEL, which
// are in mixed_js.ids.
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {encode} from 'gpt-tokenizer/encoding/gpt2';
import {ids} from './files.mjs';
import {same} from './report.mjs';

const [folder, model] = process.argv.slice(2);
const text = readFileSync(`${folder}/mixed_js.txt`, 'utf8');
same(`gpt-tokenizer, ${basename(folder)} ${model}`, 'tokens of mixed text', encode(text, {allowedSpecial: 'all'}), ids(`${folder}/mixed_js.ids`));
