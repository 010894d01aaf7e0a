import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { README_PATH, VERIFY_MJS_PATH, VERIFY_PY_PATH } from '../../../shared/evidence/bundle/entries.js';
import type { VerifierFile } from '../service/ports/archive.js';
import { packageFolder } from './package-facts.js';

/** Where the build leaves them below the folder of package.json, in the order of the archive. */
const FILES = [
  [README_PATH, 'dist/verifier/README.txt'],
  [VERIFY_MJS_PATH, 'dist/verifier/verify.mjs'],
  [VERIFY_PY_PATH, 'dist/verifier/verify.py'],
] as const;

/** README and verifiers as they travel in every bundle; read once. */
export function verifierFiles(): () => Promise<readonly VerifierFile[]> {
  let known: Promise<readonly VerifierFile[]> | undefined;
  return () => {
    known ??= readAll();
    return known;
  };
}

async function readAll(): Promise<readonly VerifierFile[]> {
  const root = packageFolder();
  return Promise.all(FILES.map(async ([path, file]) => ({ path, content: await readFile(join(root, file)) })));
}
