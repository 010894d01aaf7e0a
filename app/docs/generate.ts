import { readFile, writeFile } from 'node:fs/promises';
import { repositoryFile } from '../repository.js';
import { configTable, errorTable, scopeTable } from './tables.js';

/** A file of the repository and what it must contain. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

const CONFIG_START = '<!-- config-table -->';
const CONFIG_END = '<!-- /config-table -->';

/** Every generated page as it should be; `npm run docs` writes them, a test compares them with what is committed. */
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const readme = await readFile(repositoryFile('README.md'), 'utf8');
  const start = readme.indexOf(CONFIG_START);
  const end = readme.indexOf(CONFIG_END);
  if (start < 0 || end < start) throw new Error('README.md lost the marks of its configuration table');
  const withTable = `${readme.slice(0, start + CONFIG_START.length)}\n${configTable()}\n${readme.slice(end)}`;
  return [
    { path: 'README.md', content: withTable },
    { path: 'docs/errors.md', content: page('Error codes', ERRORS_INTRO, errorTable()) },
    { path: 'docs/scopes.md', content: page('Scopes', SCOPES_INTRO, scopeTable()) },
  ];
}

const ERRORS_INTRO =
  'Every error is one object: `{ code, message, status, request_id, errors?, type, title }`. Clients decide by `code`.';
const SCOPES_INTRO =
  'A key holds a list of scopes; some imply others. `x-required-scope` in the OpenAPI document names what a route needs.';

const page = (title: string, intro: string, body: string): string =>
  `# ${title}\n\n${intro}\nThis page is printed from the code by \`npm run docs\`.\n\n${body}\n`;

/** @returns the paths that were rewritten. */
export async function writeGeneratedFiles(): Promise<string[]> {
  const changed: string[] = [];
  for (const file of await generatedFiles()) {
    const path = repositoryFile(file.path);
    const present = await readFile(path, 'utf8').catch(() => undefined);
    if (present === file.content) continue;
    await writeFile(path, file.content);
    changed.push(file.path);
  }
  return changed;
}
