import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { readContract } from '../../rest-facade/contract.js';
import type { Route } from '../../rest-facade/route.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { effectiveScopes, type Scope } from '../../shared/auth/scopes.js';

// The specification's own table of routes beside ours: method, path, scope. Where the specification is not at hand the
// test is skipped by name.

const SPECIFICATION = repositoryFile('../shared/spec/api-specification.txt');

/** Areas whose routes are not built yet; a row of another area must be served. */
const AREAS_TO_COME = new Set<string>();

interface Row {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
}

function specifiedRoutes(): readonly Row[] {
  const rows: Row[] = [];
  for (const line of readFileSync(SPECIFICATION, 'utf8').split('\n')) {
    const [, method, path, scope] = /^\| (GET|POST|PUT|PATCH|DELETE) \| (\S+) \| ([^|]+) \|/.exec(line) ?? [];
    if (method && path && scope) rows.push({ method, path: path.split('?')[0] ?? path, scope: scope.trim() });
  }
  return rows;
}

const areaOf = ({ path }: Pick<Row, 'path'>): string => path.split('/')[2] ?? '';
const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const isHeldByAnyKey = (scope: Route['scope']): boolean => effectiveScopes([]).has(scope as Scope);

async function servedRoutes(): Promise<readonly Route[]> {
  return makeRoutes((await readContract(repositoryFile('rest-facade/contract.json'))).document);
}

const specified = existsSync(SPECIFICATION) ? describe : describe.skip;

specified('the specification', () => {
  test('has its routes served, with the scopes that it names, where their area is built', async () => {
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

  test('names no area that is said to come and is served already', async () => {
    const served = new Set((await servedRoutes()).map(areaOf));
    const come = specifiedRoutes().filter((row) => AREAS_TO_COME.has(areaOf(row)) && served.has(areaOf(row)));
    expect(come).toEqual([]);
  });
});
