import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { repositoryFile, repositoryRoot } from '../repository.js';
import { DESCRIPTION_PATH, descriptionText, markedTypes, TYPES_PATH } from './generated-client.js';
import { pythonFiles } from './python/index.js';

// `npm run client`: rewrites the description and the typed clients. The generator of TypeScript asks for TypeScript 5, which cannot be
// installed next to ours, so npm fetches both for this run.

const GENERATOR = ['--package=typescript@5.9.3', '--package=openapi-typescript@7.13.0'];

const description = await descriptionText();
await writeFile(repositoryFile(DESCRIPTION_PATH), description);
const raw = repositoryFile(`${TYPES_PATH}.tmp`);
await promisify(execFile)(
  'npm',
  ['exec', '--yes', ...GENERATOR, '--', 'openapi-typescript', DESCRIPTION_PATH, '--output', raw],
  { cwd: repositoryRoot() },
);
await writeFile(repositoryFile(TYPES_PATH), markedTypes(description, await readFile(raw, 'utf8')));
await rm(raw);
const python = pythonFiles(description);
for (const [path, text] of Object.entries(python)) await writeFile(repositoryFile(path), text);
process.stdout.write(`rewritten: ${[DESCRIPTION_PATH, TYPES_PATH, ...Object.keys(python)].join(', ')}\n`);
