import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { parseStrictJson } from '../../../shared/json/strict-json.js';

// Tables in our own words, which come with the service: subgraphs/advocacy/codes/. They are read at the start, once.

const FOLDER = join('subgraphs', 'advocacy', 'codes');
/** Below dist/ there is one folder more above this file. */
const BUILT = 'dist';

const folder = (() => {
  const own = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
  return join(own.endsWith(BUILT) ? dirname(own) : own, FOLDER);
})();

/** A file of the folder, such as `carc.tsv`. */
export const readCodeFile = (name: string): Buffer => readFileSync(join(folder, name));

/** The same, as the JSON that it holds. */
export const readCodeJson = (name: string): JsonValue => parseStrictJson(readCodeFile(name));
