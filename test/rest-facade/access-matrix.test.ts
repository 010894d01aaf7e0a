import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Method, type Route } from '../../rest-facade/route.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import type { Principal } from '../../shared/auth/context.js';
import { ALL_SCOPES, effectiveScopes, isGrantedScope } from '../../shared/auth/scopes.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { type FacadeKit, facadeKit } from './facade-kit.js';

// Who gets past the door of which route: each tenant, each scope, each route. `npm run matrix` writes every cell to a file.

/** Every scope is tried on every route where a file is asked for; else the route's own scope and all others together. */
const FILE = process.env['MATRIX_FILE'];

/** Keys of the kit: `TENANT|SCOPE SCOPE …`. */
const keyOf = (tenant: string, scopes: readonly string[]): string => `${tenant}|${scopes.join(' ')}`;

function principalOf(key: string): Principal | undefined {
  const [tenant = '', scopes = ''] = key.split('|');
  if (tenant === '') return undefined;
  const granted = scopes.split(' ').filter(isGrantedScope);
  return {
    keyId: 'key_matrix',
    keyName: 'matrix',
    actorId: null,
    tenantId: tenant as TenantId,
    grantedScopes: granted,
    scopes: effectiveScopes(granted),
  };
}

let kit: FacadeKit;
let routes: readonly Route[];
beforeAll(async () => {
  kit = await facadeKit(
    { SERVICE_RATE_LIMIT_PER_MINUTE: '0' },
    { keys: { authenticate: async (key) => principalOf(key) } },
  );
  routes = makeRoutes(kit.contract.document).filter(({ scope, tenant }) => scope !== null && tenant === 'required');
});
afterAll(() => kit.close());

const BODY: ReadonlySet<Method> = new Set(['POST', 'PUT', 'PATCH']);

/** The code of a refusal at the door, or PASSED: what comes after it is another matter. */
async function knock({ method, path }: Route, key: string, tenant: string): Promise<string> {
  const answer = await kit.inject({
    method,
    url: path.replaceAll(/\{\w+\}/g, 'x'),
    headers: {
      'x-api-key': key,
      'x-tenant-id': tenant,
      ...(BODY.has(method) ? { 'content-type': 'application/json' } : {}),
    },
    ...(BODY.has(method) ? { payload: '{}' } : {}),
  });
  if (answer.statusCode !== 401 && answer.statusCode !== 403) return 'PASSED';
  return answer.json<{ code: string }>().code;
}

const opens = ({ scope }: Route, held: readonly string[]): boolean =>
  scope === null || scope === 'any key' || effectiveScopes(held.filter(isGrantedScope)).has(scope);

describe('the door of a route', () => {
  it('opens for its own scope and for those that imply it, and for no other', async () => {
    const rows: string[] = [];
    for (const route of routes) {
      const closing = ALL_SCOPES.filter((scope) => !opens(route, [scope]));
      const tried = FILE === undefined ? [[String(route.scope)], closing] : [[], ...ALL_SCOPES.map((scope) => [scope])];
      for (const scopes of tried) {
        const outcome = await knock(route, keyOf('acme', scopes), 'acme');
        const expected = opens(route, scopes) ? 'PASSED' : 'FORBIDDEN';
        expect([route.method, route.path, scopes, outcome]).toEqual([route.method, route.path, scopes, expected]);
        rows.push(['own', scopes.join(' ') || '-', route.method, route.path, outcome].join('\t'));
      }
      for (const [name, tenant, asked, code] of [
        ['other', 'acme', 'other', 'TENANT_MISMATCH'],
        ['suspended', 'sleepy', 'sleepy', 'TENANT_SUSPENDED'],
      ] as const) {
        const outcome = await knock(route, keyOf(tenant, [...ALL_SCOPES]), asked);
        expect([route.method, route.path, name, outcome]).toEqual([route.method, route.path, name, code]);
        rows.push([name, 'every scope', route.method, route.path, outcome].join('\t'));
      }
      expect(await knock(route, '', 'acme')).toBe('UNAUTHENTICATED');
    }
    if (FILE !== undefined) await writeFile(FILE, `tenant\tscope\tmethod\troute\toutcome\n${rows.join('\n')}\n`);
  }, 600_000);
});
