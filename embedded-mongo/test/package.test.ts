import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

const folder = dirname(fileURLToPath(new URL('../package.json', import.meta.url)));
const manifestIn = (path: string): Manifest => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;

/** Names of the packages that the sources import or load. */
function importedPackages(): string[] {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/^(?:test|dist|node_modules)\//.test(path),
  );
  const names = sources.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/(?:from |\bload\()'([^.'][^']*)'/g)].map(([, name]) => name),
  );
  return [...new Set(names)].filter((name) => name !== undefined && !name.startsWith('node:')) as string[];
}

describe('package.json of the embedded database', () => {
  const { dependencies } = manifestIn(folder);

  it('lists each package that the sources import, and no other', () => {
    expect(importedPackages().sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('asks for the versions that the service asks for, because the service ships the compiled database', () => {
    expect(manifestIn(dirname(folder)).dependencies).toMatchObject(dependencies);
  });
});
