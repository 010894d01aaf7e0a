import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { VerifyOptions } from '../../verifier/checks/context.js';
import type { Source } from '../../verifier/platform.js';
import type { Case, CaseOptions } from './cases.js';

const runs = (command: string, ...words: string[]): boolean => spawnSync(command, words).status === 0;

/** Python's verifier asks openssl for Ed25519, which it knows by `-rawin` since 3.0. */
const HAS_OPENSSL = runs('openssl', 'version');
export const HAS_PYTHON = HAS_OPENSSL && runs('python3', '--version');

export const sourceOf = (bytes: Uint8Array): Source => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => {
    if (offset < 0 || offset + length > bytes.length) throw new RangeError('read past the end of the source');
    return Uint8Array.from(bytes.subarray(offset, offset + length));
  },
});

export const optionsOf = (options: CaseOptions = {}): VerifyOptions => options;

/** The same options as arguments of a command, with their texts in files next to the bundle. */
export function wordsOf({ options = {} }: Case, path: string): string[] {
  const { keys = [], checkpointKeys = [], ...files } = options;
  const names = { keySet: '--keys', checkpoint: '--checkpoint', consistency: '--consistency' } as const;
  return [
    path,
    ...keys.flatMap((key) => ['--key', key]),
    ...checkpointKeys.flatMap((key) => ['--checkpoint-key', key]),
    ...Object.entries(files).flatMap(([name, text]) => {
      const file = `${path}.${name}`;
      writeFileSync(file, text);
      return [names[name as keyof typeof names], file];
    }),
  ];
}
