import { readFile, writeFile } from 'node:fs/promises';
import { SUBGRAPH_DEFINITIONS } from '../../gateway/subgraphs.js';
import { readContract } from '../../rest-facade/contract.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { repositoryFile } from '../repository.js';
import {
  configTable,
  custodyTable,
  errorTable,
  eventKindTable,
  exceptionTable,
  roleTable,
  routeTable,
  scopeTable,
  stateTables,
} from './tables.js';

/** A file of the repository and what it must contain. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** Every generated page as it should be; `npm run docs` writes them, a test compares them with what is committed. */
export async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const { document } = await readContract(repositoryFile('rest-facade/contract.json'));
  return [
    await withTable('README.md', 'config-table', configTable()),
    await withTable('docs/custody.md', 'custody-table', custodyTable()),
    await withTable('docs/exceptions.md', 'exception-table', exceptionTable()),
    await withTable('docs/webhooks.md', 'event-kind-table', eventKindTable()),
    { path: 'docs/errors.md', content: page('Error codes', ERRORS_INTRO, errorTable()) },
    { path: 'docs/routes.md', content: page('Routes', ROUTES_INTRO, routeTable(makeRoutes(document))) },
    { path: 'docs/scopes.md', content: page('Scopes', SCOPES_INTRO, scopesPage()) },
    { path: 'docs/states.md', content: page('States', STATES_INTRO, stateTables(MACHINES)) },
  ];
}

/** A page that is written by hand but for one table, which stands between two marks. */
async function withTable(path: string, mark: string, printed: string): Promise<GeneratedFile> {
  const [first, last] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const present = await readFile(repositoryFile(path), 'utf8');
  const start = present.indexOf(first);
  const end = present.indexOf(last);
  if (start < 0 || end < start) throw new Error(`${path} lost the marks of its ${mark}`);
  return { path, content: `${present.slice(0, start + first.length)}\n${printed}\n${present.slice(end)}` };
}

const MACHINES = SUBGRAPH_DEFINITIONS.flatMap(({ stateMachines = [] }) => stateMachines);

const ROUTES_INTRO =
  'Every route, the scope that it needs (`any key`: a key is enough), the named operation that it runs, and the root field\n' +
  'of the graph that this asks. Operations that read are trusted documents: `POST /graphql {"operationName": "ListEvents",\n' +
  '"variables": {"limit": 10}}` runs one for any key that may read its fields; a query of your own needs `graph:query`.';
const ERRORS_INTRO =
  'Every error is one object: `{ code, message, status, request_id, errors?, type, title }`. Clients decide by `code`.';
const SCOPES_INTRO =
  'A key holds a list of scopes; some imply others. `x-required-scope` in the OpenAPI document names what a route needs.';
const STATES_INTRO =
  'What a record may do from where it stands; anything else is 409 `INVALID_TRANSITION`, naming what is `allowed`.';

const ROLES_INTRO = `Roles are named sets of scopes. These stand in every deployment, under their names; a tenant makes its own at
\`POST /v1/roles\`. What a key with roles and an actor amounts to: [api-keys.md](api-keys.md).`;

const scopesPage = (): string => `${scopeTable()}\n\n## Built-in roles\n\n${ROLES_INTRO}\n\n${roleTable()}`;

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
