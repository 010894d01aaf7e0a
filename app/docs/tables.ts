import type { Route } from '../../rest-facade/route.js';
import { BUILT_IN_ROLES } from '../../shared/auth/roles.js';
import { effectiveScopes, FINER_SCOPES, PUBLISHED_SCOPES, type Scope } from '../../shared/auth/scopes.js';
import { CONFIG_TABLE, type ConfigEntry } from '../../shared/config/schema.js';
import { ERROR_REGISTRY, type ErrorEntry } from '../../shared/errors/registry.js';
import type { StateMachine } from '../../shared/state-machine/state-machine.js';

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
