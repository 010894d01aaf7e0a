import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { graphChanges } from '../../gateway/graph-changes.js';
import { loadedGraph } from '../../gateway/loaded-graph.js';
import { repositoryFile, repositoryRoot } from '../repository.js';

// `npm run graph:changes [-- REVISION]` lists the changes of the graph since a revision of git, HEAD by default: the changelog
// of the schema. It exits with 1 if a change breaks queries.

const SUPERGRAPH = 'gateway/supergraph.graphql';
const MAX_SUPERGRAPH_BYTES = 64 * 1024 * 1024;

async function main(): Promise<void> {
  const revision = process.argv[2] ?? 'HEAD';
  const run = promisify(execFile);
  const options = { cwd: repositoryRoot(), maxBuffer: MAX_SUPERGRAPH_BYTES };
  const { stdout: before } = await run('git', ['show', `${revision}:${SUPERGRAPH}`], options);
  const after = await readFile(repositoryFile(SUPERGRAPH), 'utf8');
  const { apiSchema: old } = await loadedGraph(before, []);
  const { apiSchema } = await loadedGraph(after, []);
  const changes = graphChanges(old, apiSchema);
  for (const { effect, text } of changes) process.stdout.write(`${effect} ${text}\n`);
  process.stdout.write(`${changes.length} changes of the graph since ${revision}\n`);
  if (changes.some(({ effect }) => effect === 'BREAKING')) process.exitCode = 1;
}

void main();
