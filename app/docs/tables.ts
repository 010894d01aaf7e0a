import type { Route } from '../../rest-facade/route.js';
import { BUILT_IN_ROLES } from '../../shared/auth/roles.js';
import { effectiveScopes, FINER_SCOPES, PUBLISHED_SCOPES, type Scope } from '../../shared/auth/scopes.js';
import type { ConfigEntry } from '../../shared/config/entry.js';
import { CONFIG_TABLE } from '../../shared/config/schema.js';
import { CUSTODY_ACTIONS } from '../../shared/contracts/custody.js';
import { EXCEPTION_KINDS } from '../../shared/contracts/exceptions.js';
import { ERROR_REGISTRY, type ErrorEntry } from '../../shared/errors/registry.js';
import { EVENT_KIND_NAMES, EVENT_KINDS } from '../../shared/outbox/event-kinds.js';
import type { StateMachine } from '../../shared/state-machine/state-machine.js';
import { EXCEPTION_TABLE } from '../../subgraphs/ledger/index.js';

// Tables of the documentation that are printed from the code, so that they cannot say something else.

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

const code = (text: string): string => `\`${text}\``;

export function configTable(): string {
  const rows = Object.entries<ConfigEntry>(CONFIG_TABLE).map(([name, entry]) => [
    code(name),
    entry.default === null ? '–' : code(entry.default),
    entry.meaning,
  ]);
  return table(['Variable', 'Default', 'Meaning'], rows);
}

export function errorTable(): string {
  const rows = Object.entries<ErrorEntry>(ERROR_REGISTRY).map(([name, entry]) => [
    code(name),
    String(entry.status),
    entry.publicText,
  ]);
  return table(['Code', 'Status', 'When'], rows);
}

export const roleTable = (): string =>
  table(
    ['Role', 'For', 'Scopes'],
    BUILT_IN_ROLES.map(({ role_id, description, scopes }) => [code(role_id), description, scopes.map(code).join(', ')]),
  );

export function scopeTable(): string {
  const anyKey = effectiveScopes([]);
  const impliedBy = (scope: Scope): string[] =>
    [...effectiveScopes([scope])].filter((implied) => implied !== scope && !anyKey.has(implied)).map(code);
  const describe = (scope: Scope): string => {
    if (scope === 'admin') return 'everything inside its tenant but `documents:unredacted`';
    return impliedBy(scope).join(', ') || '–';
  };
  const rows = [...PUBLISHED_SCOPES, ...FINER_SCOPES].map((scope) => [
    code(scope),
    anyKey.has(scope) ? 'held by any key of the tenant' : describe(scope),
  ]);
  return table(['Scope', 'Implies'], [...rows, [code('*'), 'the platform operator: everything, in any tenant']]);
}

/** One table for each kind of record that has a life, in the order given. */
export function stateTables(machines: readonly StateMachine[]): string {
  return machines
    .map(({ name, rows }) => {
      const cells = rows.map(({ from, action, to, scope, emits }) => [
        from === null ? '–' : code(from),
        code(action),
        code(to),
        code(scope),
        emits.map(code).join(', ') || '–',
      ]);
      return `## ${name}\n\n${table(['From', 'Action', 'To', 'Scope', 'Ledger entries'], cells)}`;
    })
    .join('\n\n');
}

/** Every route with its scope and what runs behind it, area by area as the table of routes has them. */
export function routeTable(routes: readonly Route[]): string {
  const rows = routes.map(({ method, path, scope, operation, summary }) => [
    code(method),
    code(path),
    scope === null ? '–' : code(scope),
    operation === null ? '–' : code(operation.name),
    operation === null ? '–' : code(operation.field),
    summary,
  ]);
  return table(['Method', 'Path', 'Scope', 'Operation', 'Root field', 'What it does'], rows);
}

/** Every kind of exception, with what an operator does about it and what the detail holds. */
export const exceptionTable = (): string =>
  table(
    ['Kind', 'Severity', 'What has happened', 'What to do', '`detail`'],
    EXCEPTION_KINDS.map((kind) => {
      const { severity, meaning, advice, detail } = EXCEPTION_TABLE[kind];
      return [code(kind), severity, meaning, advice, detail.map(code).join(', ')];
    }),
  );

export const custodyTable = (): string =>
  table(
    ['Act', 'Recorded', 'What it says'],
    Object.entries(CUSTODY_ACTIONS).map(([action, { recorded, description }]) => [code(action), recorded, description]),
  );

/** The catalogue of platform events, with the members of `data`. */
export const eventKindTable = (): string =>
  table(
    ['Kind', 'Area', 'What has happened', 'Members of `data`'],
    EVENT_KIND_NAMES.map((kind) => {
      const { area, description, data } = EVENT_KINDS[kind];
      return [code(kind), area, description, Object.keys(data).map(code).join(', ')];
    }),
  );
