// gguf_header.mjs FOLDER NAME: @huggingface/gguf reads the header of FOLDER/NAME.gguf.
import {basename} from 'node:path';
import {gguf} from '@huggingface/gguf';
import {check} from './report.mjs';

const [folder, name] = process.argv.slice(2);
const {metadata, tensorInfos} = await gguf(`${folder}/${name}.gguf`, {allowLocalFile: true});
const architecture = metadata['general.architecture'];
const tokens = metadata['tokenizer.ggml.tokens'].length;
const embedding = tensorInfos.find((tensor) => tensor.name === 'token_embd.weight');
const expected = [metadata[`${architecture}.embedding_length`], tokens];
check(`@huggingface/gguf, ${basename(folder)} ${name}`,
  `${architecture}, ${Object.keys(metadata).length} keys, ${tensorInfos.length} tensors, ${tokens} tokens`,
  embedding.shape.every((size, i) => Number(size) === expected[i]) && BigInt(tensorInfos.length) === metadata.tensor_count);
