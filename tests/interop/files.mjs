// What tests/interop/probe.cpp writes: raw float32 numbers, and ids one a line.
import {readFileSync} from 'node:fs';

export function floats(path) {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

export const ids = (path) => readFileSync(path, 'utf8').trim().split('\n').map(Number);
