import { writeFile } from 'node:fs/promises';
import { composedFiles } from './composed-files.js';
import { composeGraph } from './composition.js';
import { SUBGRAPH_DEFINITIONS } from './subgraphs.js';

// `npm run compose`: writes the supergraph and the REST contract; both are committed, and a test fails on drift.
for (const { path, content } of composedFiles(await composeGraph(SUBGRAPH_DEFINITIONS))) {
  await writeFile(path, content);
  process.stdout.write(`${path}\n`);
}
