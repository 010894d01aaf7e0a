import { writeGeneratedFiles } from './generate.js';

// `npm run docs`: rewrites the pages and tables that are printed from the code.

const changed = await writeGeneratedFiles();
process.stdout.write(changed.length > 0 ? `rewritten: ${changed.join(', ')}\n` : 'everything is up to date\n');
