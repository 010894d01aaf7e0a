import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { parseStrictJson } from '../../../shared/json/strict-json.js';

// Tables that ship with the service, in our own words: subgraphs/advocacy/corpus/tables/. Read once at start.

const FOLDER = join('subgraphs', 'advocacy', 'corpus', 'tables');
/** The compiled file is one folder deeper, below dist/. */
const BUILT = 'dist';

const folder = (() => {
  const own = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
  return join(own.endsWith(BUILT) ? dirname(own) : own, FOLDER);
})();

/** Reads a file of the folder, such as `carc.json`. */
export const readCodeFile = (name: string): Buffer => readFileSync(join(folder, name));

/** Reads a JSON file of the folder. */
export const readCodeJson = (name: string): JsonValue => parseStrictJson(readCodeFile(name));
