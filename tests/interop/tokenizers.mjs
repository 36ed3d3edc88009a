// tokenizers.mjs FOLDER: @huggingface/tokenizers with FOLDER/hf/tokenizer.json gives gradus's tokens of
// mixed_js.txt, which are in mixed_js.ids, and their text.
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {Tokenizer} from '@huggingface/tokenizers';
import {ids} from './files.mjs';
import {check, same} from './report.mjs';

const [folder] = process.argv.slice(2);
const who = `@huggingface/tokenizers, ${basename(folder)}`;
const read = (name) => JSON.parse(readFileSync(`${folder}/hf/${name}`, 'utf8'));
const tokenizer = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
const text = readFileSync(`${folder}/mixed_js.txt`, 'utf8');
const got = tokenizer.encode(text, {add_special_tokens: false}).ids;
same(who, 'tokens of mixed text', got, ids(`${folder}/mixed_js.ids`));
const options = {skip_special_tokens: false, clean_up_tokenization_spaces: false};
check(who, 'their text equal', tokenizer.decode(got, options) === text);
