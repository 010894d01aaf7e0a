import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @returns the folder of package.json, for source files and compiled files alike. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json was not found above this file');
    folder = parent;
  }
  return folder;
}

export const repositoryFile = (path: string): string => join(repositoryRoot(), path);
