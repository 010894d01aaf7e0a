import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { makeRoutes } from '../../rest-facade/routes/index.js';
import { ALL_SCOPES } from '../../shared/auth/scopes.js';
import { ERROR_CODES } from '../../shared/errors/registry.js';
import { type FacadeKit, facadeKit } from './facade-kit.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is what the tests are about to judge.
type Json = any;

let kit: FacadeKit;
let document: Json;
beforeAll(async () => {
  kit = await facadeKit();
  document = (await kit.inject({ url: '/v1/openapi.json' })).json();
});
afterAll(() => kit.close());

const operations = (): { path: string; method: string; operation: Json }[] =>
  Object.entries<Json>(document['paths']).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
  );

describe('GET /v1/openapi.json', () => {
  it('describes API v1 as version 1.0.0 in OpenAPI 3.1', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      'x-api-version': 'v1',
      info: { version: '1.0.0', 'x-api-version': 'v1' },
    });
  });

  it('contains every route and no other, each with its required scope', () => {
    const routes = makeRoutes(kit.contract.document);
    const told = operations().map(({ path, method, operation }) => [method, path, operation['x-required-scope']]);
    const known = routes.map((route) => [route.method.toLowerCase(), route.path, route.scope ?? 'none']);
    expect(told.sort()).toEqual(known.sort());
    for (const [, , scope] of told) expect([...ALL_SCOPES, 'none', 'any key']).toContain(scope);
  });

  it('names a server, and the permitted callers of every operation and webhook', () => {
    expect(document.servers).toMatchObject([{ url: '/' }]);
    const called = Object.values<Json>(document.webhooks).map(({ post }) => post);
    expect(called.length).toBeGreaterThan(10);
    for (const operation of [...called, ...operations().map((it) => it.operation)]) {
      expect([operation.operationId, Array.isArray(operation.security)]).toEqual([operation.operationId, true]);
    }
  });

  it('lists the 401, 403 and 429 answers wherever a key is accepted, also on open routes', () => {
    const taking = operations().filter(({ operation }) => operation.security.some((way: Json) => 'ApiKey' in way));
    expect(taking.map(({ path }) => path)).toContain('/v1/signing-keys/jwks');
    for (const { path, operation } of taking) {
      const missing = ['401', '403', '429'].filter((status) => !(status in operation.responses));
      expect([path, missing]).toEqual([path, []]);
    }
    const { Error401, Error405, Error429 } = document.components.responses;
    expect(Object.keys({ ...Error401.headers, ...Error405.headers, ...Error429.headers })).toEqual(
      expect.arrayContaining(['WWW-Authenticate', 'Allow', 'Retry-After', 'RateLimit-Remaining', 'X-Request-Id']),
    );
  });

  it('describes the 409 that a read may return before the first proof exists', () => {
    for (const path of ['/v1/ledger/consistency', '/v1/events/{id}/proof']) {
      expect(Object.keys(document.paths[path].get.responses)).toContain('409');
    }
  });

  it('describes every operation, and names it after what it does', () => {
    for (const { path, operation } of operations()) {
      expect([path, operation.description?.length > 10]).toEqual([path, true]);
      expect(operation.description).not.toContain('null if');
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
    }
    const idOf = (path: string, method: string) => document.paths[path][method].operationId;
    expect(idOf('/v1/events/{id}', 'get')).toBe('getEvent');
    expect(idOf('/v1/appointments/{id}/check-in', 'post')).toBe('checkInAppointment');
    expect(idOf('/v1/legal-matters/{id}/members/{ref}', 'delete')).toBe('unlinkLegalMatterMembers');
  });

  it('has an example of each body, in every media type of every request and answer', () => {
    const isBare = (media: Json): boolean => media.example === undefined && media.examples === undefined;
    const bare = operations().flatMap(({ operation }) =>
      [operation.requestBody, ...Object.values<Json>(operation.responses)].flatMap((holder) =>
        Object.entries<Json>(holder?.content ?? {}).flatMap(([type, media]) =>
          isBare(media) ? [`${operation.operationId} ${type}`] : [],
        ),
      ),
    );
    expect(bare).toEqual([]);
  });

  it('lists for POST /v1/custody only the acts that callers may record', () => {
    const { enum: acts } = document.components.schemas.CustodyInput.properties.action;
    expect(acts).toContain('TRANSFERRED');
    expect(acts).not.toContain('DOWNLOAD_BUNDLE');
  });

  it('names each operation once', () => {
    const ids = operations().map(({ operation }) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('lists every code of the registry', () => {
    const error = document['components']?.['schemas']?.['Error'];
    expect(error?.['properties']?.['code']?.['enum']).toEqual([...ERROR_CODES]);
  });

  it('contains no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      const found = reference.split('/').reduce<Json>((at, name) => at?.[name], document);
      expect([reference, found === undefined]).toEqual([reference, false]);
    }
  });

  it('contains schemas that compile as draft 2020-12, and examples that fit them', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true });
    ajv.addKeyword('components');
    for (const format of ['date-time', 'date', 'uri', 'binary']) ajv.addFormat(format, true);
    ajv.addSchema({ $id: 'doc', components: { schemas: document['components']?.['schemas'] } });
    const validators = new Map<string, ReturnType<typeof ajv.compile>>();
    const compile = (schema: Json): ReturnType<typeof ajv.compile> => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"doc#/');
      const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
      validators.set(text, validate);
      return validate;
    };
    const check = (holder: Json): void => {
      for (const media of Object.values<Json>(holder?.content ?? {})) {
        const validate = compile(media.schema);
        const examples = [media.example, ...Object.values<Json>(media.examples ?? {}).map(({ value }) => value)];
        for (const example of examples.filter((it) => it !== undefined)) {
          expect([validate(example), validate.errors]).toEqual([true, null]);
        }
      }
    };
    for (const { operation } of operations()) {
      check(operation.requestBody);
      for (const response of Object.values<Json>(operation.responses)) check(response);
      for (const parameter of operation.parameters) compile(parameter.schema);
    }
    for (const response of Object.values<Json>(document.components.responses)) check(response);
    for (const name of Object.keys(document.components.schemas)) compile({ $ref: `#/components/schemas/${name}` });
    expect(validators.size).toBeGreaterThan(40);
  });

  it('contains examples that fit their own fields', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'x', components: { schemas: document.components.schemas } });
    let examples = 0;
    for (const schema of Object.values<Json>(document.components.schemas)) {
      for (const property of Object.values<Json>(schema.properties ?? {})) {
        for (const example of property.examples ?? []) {
          const { examples: _, $ref, ...rest } = property;
          if ($ref) continue;
          examples += 1;
          expect([example, ajv.validate(JSON.parse(JSON.stringify(rest).replaceAll('"#/', '"x#/')), example)]).toEqual([
            example,
            true,
          ]);
        }
      }
    }
    expect(examples).toBeGreaterThan(20);
  });

  it('contains schemas that fit real answers', async () => {
    const { contract } = kit;
    const answer = await kit.inject({ url: '/v1/events/evt_1', headers: { 'x-api-key': 'key-acme' } });
    expect(contract.validator('EventRecord')(answer.json())).toEqual([]);
  });
});
