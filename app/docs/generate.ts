import { readFile, writeFile } from 'node:fs/promises';
import { SUBGRAPH_DEFINITIONS } from '../../gateway/subgraphs.js';
import { readContract } from '../../rest-facade/contract.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { repositoryFile } from '../repository.js';
import { configTable, errorTable, roleTable, routeTable, scopeTable, stateTables } from './tables.js';

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
  const { document } = await readContract(repositoryFile('rest-facade/contract.json'));
  const start = readme.indexOf(CONFIG_START);
  const end = readme.indexOf(CONFIG_END);
  if (start < 0 || end < start) throw new Error('README.md lost the marks of its configuration table');
  const withTable = `${readme.slice(0, start + CONFIG_START.length)}\n${configTable()}\n${readme.slice(end)}`;
  return [
    { path: 'README.md', content: withTable },
    { path: 'docs/errors.md', content: page('Error codes', ERRORS_INTRO, errorTable()) },
    { path: 'docs/routes.md', content: page('Routes', ROUTES_INTRO, routeTable(makeRoutes(document))) },
    { path: 'docs/scopes.md', content: page('Scopes', SCOPES_INTRO, scopesPage()) },
    { path: 'docs/states.md', content: page('States', STATES_INTRO, stateTables(MACHINES)) },
  ];
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
