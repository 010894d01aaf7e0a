import { resolve } from 'node:path';
import { updateReadme } from './readme.js';

// `npm run docs:db`: rewrites the tables of the README from the registries; run from the repository's root.
const path = resolve('embedded-mongo/README.md');
process.stdout.write(updateReadme(path) ? `rewritten: ${path}\n` : 'the tables are up to date\n');
