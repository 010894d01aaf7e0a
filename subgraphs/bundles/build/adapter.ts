import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { README_PATH, VERIFY_MJS_PATH, VERIFY_PY_PATH } from '../../../shared/evidence/bundle/entries.js';
import type { VerifierFile } from '../archive/index.js';

/** Returns the folder of package.json, from sources and from dist/. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json was not found above this file');
    folder = parent;
  }
  return folder;
}

/** Name and version of package.json, which manifests name as their generator. */
export function generatorFacts(): { readonly name: string; readonly version: string } {
  const facts: Readonly<Record<string, unknown>> = JSON.parse(
    readFileSync(join(packageFolder(), 'package.json'), 'utf8'),
  );
  const { name, version } = facts;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new Error('package.json lacks a name or a version');
  return { name, version };
}

/** Built files relative to package.json, in the order of the archive. */
const FILES = [
  [README_PATH, 'dist/verifier/README.txt'],
  [VERIFY_MJS_PATH, 'dist/verifier/verify.mjs'],
  [VERIFY_PY_PATH, 'dist/verifier/verify.py'],
] as const;

/** Loads the README and the verifiers of every bundle, once. */
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
