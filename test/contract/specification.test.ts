import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import type { Route } from '../../rest-facade/route.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { effectiveScopes, type Scope } from '../../shared/auth/scopes.js';
import { describeUnless, lackOfShared } from '../support/needs.js';

// Compares the specification's table of routes with the served ones: method, path, scope. Without the specification the
// test is skipped with its reason.

const SPECIFICATION = repositoryFile('../shared/spec/api-specification.txt');

/** Areas without served routes. Rows of all other areas must be served. */
const AREAS_TO_COME = new Set<string>();

interface Row {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  readonly body: string;
}

function specifiedRoutes(): readonly Row[] {
  const rows: Row[] = [];
  for (const line of readFileSync(SPECIFICATION, 'utf8').split('\n')) {
    const [, method, path, scope, body = ''] =
      /^\| (GET|POST|PUT|PATCH|DELETE) \| (\S+) \| ([^|]+) \| ([^|]+) \|/.exec(line) ?? [];
    if (method && path && scope) {
      rows.push({ method, path: path.split('?')[0] ?? path, scope: scope.trim(), body: body.trim() });
    }
  }
  return rows;
}

const areaOf = ({ path }: Pick<Row, 'path'>): string => path.split('/')[2] ?? '';
const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const isHeldByAnyKey = (scope: Route['scope']): boolean => effectiveScopes([]).has(scope as Scope);

async function servedRoutes(): Promise<readonly Route[]> {
  return makeRoutes((await readContract(repositoryFile('rest-facade/contract.json'))).document);
}

const specified = describeUnless(lackOfShared('spec'));

specified('the specification', () => {
  it('has its routes served with their scopes, except in areas still to come', async () => {
    const served = await servedRoutes();
    const rows = specifiedRoutes();
    expect(rows.length).toBeGreaterThan(40);
    const misses = rows
      .filter((row) => !AREAS_TO_COME.has(areaOf(row)))
      .flatMap((row) => {
        const found = served.find(({ method, path }) => method === row.method && shapeOf(path) === shapeOf(row.path));
        if (!found) return [`${row.method} ${row.path} is not served`];
        const free =
          ['unspecified', 'none stated'].includes(row.scope) ||
          (row.scope === 'tenant or admin key' && isHeldByAnyKey(found.scope));
        return free || found.scope === row.scope ? [] : [`${row.method} ${row.path}: ${found.scope}, not ${row.scope}`];
      });
    expect(misses).toEqual([]);
  });

  it('has free-form bodies on exactly the routes where it says so', async () => {
    const rows = specifiedRoutes().filter(({ body }) => body.startsWith('free-form object'));
    expect(rows.length).toBeGreaterThan(10);
    const free = (await servedRoutes()).filter(({ freeForm }) => freeForm !== undefined);
    const named = (row: Pick<Row, 'method' | 'path'>) => `${row.method} ${shapeOf(row.path)}`;
    expect(free.map(named).sort()).toEqual(rows.map(named).sort());
  });

  it('lists no area as still to come that is already served', async () => {
    const served = new Set((await servedRoutes()).map(areaOf));
    const come = specifiedRoutes().filter((row) => AREAS_TO_COME.has(areaOf(row)) && served.has(areaOf(row)));
    expect(come).toEqual([]);
  });
});
