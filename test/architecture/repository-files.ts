import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFile } from '../../app/repository.js';
import { type Import, readSource, type SourceFile } from './source-file.js';

/** Folders with source; a new one at the top level must be named here and in the map. */
export const SOURCE_FOLDERS: readonly string[] = [
  'app',
  'bench',
  'client',
  'console',
  'embedded-mongo',
  'gateway',
  'rest-facade',
  'shared',
  'signer',
  'subgraphs',
  'test',
  'testing-kit',
  'verifier',
  'witness',
];

export function repositorySources(): SourceFile[] {
  const sources = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts') && !path.includes('/node_modules/'))
      .map((path) => readSource(path, readFileSync(repositoryFile(path), 'utf8'))),
  );
  const known = new Set(sources.map(({ path }) => path));
  return sources.map((source) => ({ ...source, imports: source.imports.map((it) => completed(it, known)) }));
}

/** The console's bundler finds a file by its name without an ending. */
function completed(found: Import, known: ReadonlySet<string>): Import {
  const { path } = found;
  if (path === null) return found;
  return { ...found, path: [path, `${path}.ts`, `${path}.tsx`].find((candidate) => known.has(candidate)) ?? path };
}

/** What the scripts of package.json start out of dist/. */
export function scriptedEntryPoints(): string[] {
  const manifest = JSON.parse(readFileSync(repositoryFile('package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const started = Object.values(manifest.scripts).flatMap((script) =>
    [...script.matchAll(/\bdist\/(\S+)\.js\b/g)].map((match) => `${match[1]}.ts`),
  );
  return [...new Set(started)].sort();
}
