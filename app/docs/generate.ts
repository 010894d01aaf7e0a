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
interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

/** Generates every page and table. */
async function generatedFiles(): Promise<readonly GeneratedFile[]> {
  const { document } = await readContract(repositoryFile('rest-facade/contract.json'));
  return [
    { path: 'docs/configuration.md', content: page('Configuration', CONFIGURATION_INTRO, configTable()) },
    await withTable('docs/custody.md', 'custody-table', custodyTable()),
    await withTable('docs/exceptions.md', 'exception-table', exceptionTable()),
    await withTable('docs/webhooks.md', 'event-kind-table', eventKindTable()),
    { path: 'docs/errors.md', content: page('Error codes', ERRORS_INTRO, errorTable()) },
    { path: 'docs/routes.md', content: page('Routes', ROUTES_INTRO, routeTable(makeRoutes(document))) },
    { path: 'docs/scopes.md', content: page('Scopes', SCOPES_INTRO, scopesPage()) },
    { path: 'docs/states.md', content: page('States', STATES_INTRO, stateTables(MACHINES)) },
  ];
}

/** Replaces the table between two marks of a hand-written page. */
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
  'For integrators: every route, with the scope that it needs (`any key`: a key is enough) and the graph operation that it\n' +
  'runs. Operations that read are trusted documents: `POST /graphql {"operationName": "ListEvents", "variables": {"limit": 10}}`\n' +
  'runs one for any key that may read its fields. A query that you write yourself needs the scope `graph:query`.';
const CONFIGURATION_INTRO =
  'For operators: every environment variable that the service reads. It reads them once, at its start. An unknown\n' +
  '`SERVICE_*` name or an invalid value stops the start. A secret may come from a file: `SERVICE_MASTER_KEY_FILE` names the\n' +
  'file of `SERVICE_MASTER_KEY`, and so for each secret.';
const ERRORS_INTRO =
  'For integrators: every error code. An error is one object: `{ code, message, status, request_id, errors?, type, title }`.\n' +
  'Decide by `code`; the message may change.';
const SCOPES_INTRO =
  'For operators: every scope and role. A key holds a list of scopes; some scopes include others. `x-required-scope` in the\n' +
  'OpenAPI document names the scope of a route.';
const STATES_INTRO =
  'For integrators: the actions that each status of a record allows. Any other action returns 409 `INVALID_TRANSITION`, and\n' +
  'the error lists the `allowed` actions.';

const ROLES_INTRO = `A role is a named set of scopes. Every deployment has these roles; a tenant creates others at
\`POST /v1/roles\`. [api-keys.md](api-keys.md) explains which scopes a key with roles and an actor holds.`;

const scopesPage = (): string => `${scopeTable()}\n\n## Built-in roles\n\n${ROLES_INTRO}\n\n${roleTable()}`;

const page = (title: string, intro: string, body: string): string =>
  `# ${title}\n\n${intro}\n\`npm run docs\` writes this page from the code.\n\n${body}\n`;

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
