import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { type FacadeKit, facadeKit, KEYS } from './facade-kit.js';

// What the contract accepts, the graph accepts: an integer beyond the graph's Int is a 400 and not a failure of the service.

let kit: FacadeKit;
beforeAll(async () => {
  kit = await facadeKit();
});
afterAll(() => kit.close());

const BEYOND = [2_147_483_648, -2_147_483_649];

interface Schema {
  readonly type?: unknown;
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Paths of integers without both bounds, below a schema of the contract. */
function unbounded(schema: Schema, path: string, seen: ReadonlySet<string> = new Set()): string[] {
  const { $ref, properties = {}, items, anyOf = [] } = schema;
  if ($ref !== undefined) {
    if (seen.has($ref)) return [];
    return unbounded(resolved($ref), path, new Set([...seen, $ref]));
  }
  const isOpen = schema.type === 'integer' && (schema.minimum === undefined || schema.maximum === undefined);
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(properties).flatMap(([name, member]) => unbounded(member, `${path}/${name}`, seen)),
    ...(items ? unbounded(items, `${path}/-`, seen) : []),
    ...anyOf.flatMap((choice) => unbounded(choice, path, seen)),
  ];
}

const resolved = (ref: string): Schema =>
  (kit.contract.document.components.schemas as Readonly<Record<string, Schema>>)[ref.split('/').at(-1) ?? ''] ?? {};

describe('integers of requests', () => {
  it('have the bounds of the graph in every argument', () => {
    const open = Object.entries(kit.contract.document.operations).flatMap(([field, { arguments: args }]) =>
      Object.entries(args).flatMap(([name, { schema }]) => unbounded(schema as Schema, `${field}/${name}`)),
    );
    expect(open).toEqual([]);
  });

  it('beyond them are a 400 that names the member, on every route with a revision', async () => {
    const routes = makeRoutes(kit.contract.document).filter(
      ({ body }) => body?.kind === 'json' && membersOf(body.schema as Schema).includes('revision'),
    );
    expect(routes.length).toBeGreaterThan(10);
    for (const { method, path } of routes) {
      for (const revision of BEYOND) {
        const url = path.replaceAll(/\{\w+\}/g, 'x');
        const headers = { 'x-api-key': KEYS.operator, 'x-tenant-id': 'acme', 'content-type': 'application/json' };
        const answer = await kit.inject({ method: method as 'PATCH', url, headers, payload: { revision } });
        const { errors = [] } = answer.json<{ errors?: { path: string }[] }>();
        expect([path, answer.statusCode, errors.map((each) => each.path).includes('/revision')]).toEqual([
          path,
          400,
          true,
        ]);
      }
    }
  });
});

const membersOf = (schema: Schema): string[] =>
  Object.keys((schema.$ref === undefined ? schema : resolved(schema.$ref)).properties ?? {});
