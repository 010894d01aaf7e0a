import { resolve } from 'node:path';
import { updateReadme } from './table.js';

// `npm run docs:db`: rewrites the README tables from the registries; run it in the repository root.
const path = resolve('embedded-mongo/README.md');
process.stdout.write(updateReadme(path) ? `rewritten: ${path}\n` : 'the tables are up to date\n');
