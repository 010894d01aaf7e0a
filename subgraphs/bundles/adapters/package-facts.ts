import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, above this file whether it runs as source or from dist/. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json was not found above this file');
    folder = parent;
  }
  return folder;
}

/** What a manifest names as the program that made it, as package.json says. */
export function generatorFacts(): { readonly name: string; readonly version: string } {
  const facts = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version } = facts;
  if (typeof name !== 'string' || typeof version !== 'string') throw new Error('package.json names no program');
  return { name, version };
}
