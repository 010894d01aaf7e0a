import { writeFile } from 'node:fs/promises';
import { composedFiles } from './composed-files.js';

// `npm run compose`: writes what follows from the classes of the graph. The files are committed; a test fails on drift.
for (const { path, content } of await composedFiles()) {
  await writeFile(path, content);
  process.stdout.write(`${path}\n`);
}
