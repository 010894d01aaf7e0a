import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationOf } from '../../rest-facade/graph-route.js';
import { operationDocument } from '../../rest-facade/operations.js';
import type { Route } from '../../rest-facade/route.js';
import { type Answer, Http } from '../support/http.js';
import { ruleOf } from '../support/records.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import type { Case } from './case-kinds.js';
import { ENTITY_CASES, NO_REFERENCES, REST_CASES } from './cases.js';
import { GRAPH_ONLY_FIELDS } from './graph-cases.js';
import {
  contract,
  entityTypes,
  fill,
  isList,
  nameOf,
  paramsOf,
  type RootField,
  referenceMembers,
  rootFields,
  routes,
} from './matrix.js';
import { leaksOf, makeWorld, SAME, type World } from './world.js';

let service: WholeService;
let a: World;
let b: World;
let tried = 0;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_CODE_IN_RESPONSE: 'true' });
  // Most of a world is waiting: for checkpoints, scans and seals.
  const world = (marker: string): Promise<World> => makeWorld(service.operator, marker);
  [a, b] = await Promise.all([world('alpha-mark'), world('bravo-mark')]);
}, 300_000);

afterAll(async () => {
  await service.stop();
  process.stdout.write(`isolation: ${routes.length} routes, ${rootFields.length} fields, ${tried} cases\n`);
});

const REQUEST_ID = 'the-same-for-both';

/** The answer without what the service itself changes meanwhile: the time of a check, the deliveries of a webhook. */
const unmoved = ({ text }: { readonly text: string }): string =>
  text.replaceAll(/"(?:listed_at":"[^"]*"|health":\{[^}]*\})/g, '');
/** Of the connection and of the moment, not of the answer. */
const PASSING = new Set(['date', 'keep-alive', 'connection', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit']);

/** An answer whole, with the id that was asked for named alike. */
function whole({ status, headers, text }: Answer, asked: string): string {
  const kept = [...headers].filter(([name]) => !PASSING.has(name) && name !== 'content-length');
  return JSON.stringify([status, kept.sort(), text]).replaceAll(asked, '<asked>');
}

function send(as: Http, route: Route, path: string, body?: unknown, mediaType?: string): Promise<Answer> {
  tried += 1;
  const headers = { 'x-request-id': REQUEST_ID, ...(mediaType === undefined ? {} : { 'content-type': mediaType }) };
  return as.call(path, { method: route.method, headers, ...(body === undefined ? {} : { body }) });
}

const casesOf = (route: Route): readonly Case[] => REST_CASES[nameOf(route)] ?? [];
const routesWith = (kind: Case['kind']): [string, Route][] =>
  routes.filter((route) => casesOf(route).some((one) => one.kind === kind)).map((route) => [nameOf(route), route]);
const casesLike = <K extends Case['kind']>(route: Route, kind: K): Extract<Case, { kind: K }>[] =>
  casesOf(route).filter((one): one is Extract<Case, { kind: K }> => one.kind === kind);

describe('the cases of the REST routes', () => {
  it.each(routes.map((route) => [nameOf(route), route] as const))('cover %s', (name, route) => {
    expect(casesOf(route).map((one) => one.kind)).not.toEqual([]);
    const judged = casesOf(route).flatMap((one) => (one.kind === 'record' ? [one.param] : []));
    const ownKeys = casesOf(route).some((one) => one.kind === 'own' && one.params !== undefined);
    if (!ownKeys) expect(paramsOf(route).filter((param) => !judged.includes(param))).toEqual([]);
    if (isList(route) && paramsOf(route).length === 0) {
      expect(`${name}: ${casesOf(route).some((one) => one.kind === 'list' || one.kind === 'own')}`).toBe(
        `${name}: true`,
      );
    }
    const references = casesOf(route).flatMap((one) => (one.kind === 'reference' ? [one.member] : []));
    const unknown = referenceMembers(route).filter((member) => !references.includes(member) && !NO_REFERENCES[member]);
    expect(unknown).toEqual([]);
  });

  it('cover no route that no longer exists', () => {
    const known = new Set(routes.map(nameOf));
    expect(Object.keys(REST_CASES).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe("GET of another tenant's record", () => {
  it.each(routesWith('record'))('%s returns the same bytes as for a missing record', async (_name, route) => {
    for (const one of casesLike(route, 'record')) {
      const [theirs, missing] = [a.ids[one.record], one.missing];
      const given = one.own?.(b) ?? {};
      const asked = (one.query ?? []).map((name) => `${name}=${given[name]}`).join('&');
      const at = (id: string): string =>
        [fill(route.path, { ...given, [one.param]: id }), one.asks?.(id) ?? asked].filter(Boolean).join('?');
      const readAt = one.readAt === null ? null : fill(one.readAt, { [one.param]: theirs });
      const before = readAt === null ? null : await a.http.get(readAt);
      if (before) expect(before.status).toBe(200);
      const [foreign, never] = [
        await send(b.http, route, at(theirs), one.body),
        await send(b.http, route, at(missing), one.body),
      ];
      expect(foreign.status).toBe(one.status ?? 404);
      expect(whole(foreign, theirs)).toBe(whole(never, missing));
      expect(leaksOf(a, foreign.text.replaceAll(theirs, ''))).toEqual([]);
      if (before && readAt) expect(unmoved(await a.http.get(readAt))).toBe(unmoved(before));
    }
  });
});

describe('lists', () => {
  it.each(routesWith('list'))('%s returns no record of another tenant', async (_name, route) => {
    for (const one of casesLike(route, 'list')) {
      const path = (w: World, more: string): string =>
        `${fill(route.path, one.params?.(w) ?? {})}?${[one.query, more].filter(Boolean).join('&')}`;
      const [own, foreign] = [
        await send(a.http, route, path(a, 'limit=500')),
        await send(b.http, route, path(b, 'limit=500')),
      ];
      expect([own.status, foreign.status]).toEqual([200, 200]);
      expect(own.text).toContain(a.ids[one.holds]);
      expect(foreign.text).toContain(b.ids[one.holds]);
      expect(leaksOf(a, foreign.text)).toEqual([]);
      const cursor = (await send(a.http, route, path(a, 'limit=1'))).json.next_cursor as string | null;
      if (cursor === null) continue;
      const continued = await send(b.http, route, path(b, `limit=500&cursor=${encodeURIComponent(cursor)}`));
      expect([200, 400]).toContain(continued.status);
      expect(leaksOf(a, continued.text)).toEqual([]);
    }
  });
});

describe("a reference to another tenant's record", () => {
  it.each(routesWith('reference'))('%s rejects it like a reference to a missing record', async (_name, route) => {
    for (const one of casesLike(route, 'reference')) {
      const path = fill(route.path, one.params?.(b) ?? {});
      const [theirs, missing] = [a.ids[one.record], one.missing];
      const [foreign, never] = [
        await send(b.http, route, path, one.body(theirs)),
        await send(b.http, route, path, one.body(missing)),
      ];
      expect(`${one.member} ${foreign.status >= 400 && foreign.status < 500}`).toBe(`${one.member} true`);
      expect(whole(foreign, theirs)).toBe(whole(never, missing));
    }
  });
});

describe('a route without a reference', () => {
  it.each(routesWith('own'))('%s shows and changes nothing of another tenant', async (_name, route) => {
    for (const one of casesLike(route, 'own')) {
      const params = one.params?.(a) ?? {};
      const readAt = one.readAt?.(a);
      const before = readAt === undefined ? null : await a.http.get(readAt);
      if (before) expect(before.status).toBe(200);
      const answer = await send(b.http, route, fill(route.path, params), one.body, one.mediaType);
      const asked = Object.values(params);
      const shown = asked.reduce((text, name) => text.replaceAll(name, ''), answer.text);
      expect(answer.status).toBeLessThan(500);
      expect(leaksOf(a, shown)).toEqual([]);
      if (before && readAt) expect(unmoved(await a.http.get(readAt))).toBe(unmoved(before));
    }
  });
});

describe('a request that names another tenant', () => {
  const keyed = routes.filter((route) => route.scope !== null);

  it.each(keyed.map((route) => [nameOf(route), route] as const))(
    '%s returns TENANT_MISMATCH, whether the tenant exists or not',
    async (_name, route) => {
      const path = fill(route.path, Object.fromEntries(paramsOf(route).map((name) => [name, 'x'])));
      const naming = async (tenantId: string): Promise<Answer[]> => {
        tried += 2;
        const common = { 'x-request-id': REQUEST_ID };
        return [
          await b.http.call(path, { method: route.method, headers: { ...common, 'x-tenant-id': tenantId } }),
          await b.http.call(`${path}?tenant_id=${tenantId}`, { method: route.method, headers: common }),
        ];
      };
      const [there, gone] = [await naming(a.tenantId), await naming('never-made')];
      for (const answer of there) expect(answer).toMatchObject({ status: 403, json: { code: 'TENANT_MISMATCH' } });
      expect(there.map((answer) => whole(answer, a.tenantId))).toEqual(
        gone.map((answer) => whole(answer, 'never-made')),
      );
    },
  );
});

/** Root fields that a route runs. */
const fieldsOf = ({ operation, furtherOperations = [] }: Route): string[] => [
  ...(operation === null ? [] : [operation.field]),
  ...furtherOperations.map(({ field }) => field),
];

describe('the graph', () => {
  const byField = new Map(routes.flatMap((route) => fieldsOf(route).map((field) => [field, route] as const)));
  const inApi = rootFields.filter((field) => !field.inaccessible);

  it.each(inApi.map((field) => [`${field.kind} ${field.name}`, field] as const))('%s has a case', (_name, field) => {
    const route = byField.get(field.name);
    expect(route !== undefined || GRAPH_ONLY_FIELDS[field.name] !== undefined).toBe(true);
    if (route) expect(casesOf(route)).not.toEqual([]);
  });

  const ask = (as: Http, document: string, variables: object): Promise<Answer> => {
    tried += 1;
    return as.post('/graphql', { query: document, variables }, { 'x-request-id': REQUEST_ID });
  };
  const documentOf = (field: string): string => operationDocument('Probe', field, operationOf(contract, field));
  /** A page that is asked for ad hoc must say how long it may be; one of 100 with every member of a row costs too much. */
  const pageOf = (field: string): object => ('limit' in operationOf(contract, field).arguments ? { limit: 20 } : {});
  const isNumber = (field: string, argument: string): boolean =>
    operationOf(contract, field).arguments[argument]?.type.startsWith('Int') === true;
  /** Parameters of the path and of the query as the arguments that they are. */
  const argumentsOf = (field: string, route: Route, params: Readonly<Record<string, string>>): object =>
    Object.fromEntries(
      Object.entries(params)
        .map(([name, value]) => [route.params?.[name] ?? name, value] as const)
        .map(([argument, value]) => [argument, isNumber(field, argument) ? Number(value) : value]),
    );
  const queries = inApi.filter((field) => field.kind === 'query' && byField.has(field.name));

  it.each(queries.map((field) => [field.name, field] as const))(
    'query %s returns nothing of another tenant',
    async (name) => {
      const document = documentOf(name);
      for (const route of routes.filter((one) => fieldsOf(one).includes(name))) {
        for (const one of casesLike(route, 'record')) {
          const argument = route.params?.[one.param] ?? one.param;
          // An identifier is no number: it is refused before anything is looked for.
          if (isNumber(name, argument)) continue;
          const [theirs, missing] = [a.ids[one.record], one.missing];
          const given = (w: World, id: string): object => ({
            ...pageOf(name),
            ...argumentsOf(name, route, one.own?.(w) ?? {}),
            ...(one.asks
              ? argumentsOf(name, route, Object.fromEntries(new URLSearchParams(one.asks(id))))
              : { [argument]: id }),
          });
          const foreign = await ask(b.http, document, given(b, theirs));
          const never = await ask(b.http, document, given(b, missing));
          expect(whole(foreign, theirs)).toBe(whole(never, missing));
          expect(leaksOf(a, foreign.text.replaceAll(theirs, ''))).toEqual([]);
          const mine = await ask(a.http, document, given(a, theirs));
          const none = NOT_MADE_HERE[name];
          // The owner reads the reason for the absence; a stranger does not.
          if (none !== undefined)
            expect([mine.json.errors?.[0].message, foreign.text.includes(none)]).toEqual([none, false]);
          else expect([mine.json.errors, Boolean(mine.json.data?.[name])]).toEqual([undefined, true]);
        }
        for (const one of [...casesLike(route, 'list'), ...casesLike(route, 'own')]) {
          const within = 'params' in one ? argumentsOf(name, route, one.params?.(b) ?? {}) : {};
          const answer = await ask(b.http, document, { ...pageOf(name), ...within, ...VARIABLES[name] });
          expect(answer.status).toBe(200);
          expect(answer.json.errors?.[0].message).toBe(NOT_MADE_HERE[name]);
          expect(leaksOf(a, answer.text)).toEqual([]);
        }
      }
    },
  );

  const changes = rootFields.filter((field) => field.kind === 'mutation' && !field.inaccessible);
  it.each(changes.map((field) => [field.name]))('mutation %s is rejected by POST /graphql', async (name) => {
    const answer = await ask(b.http, `mutation { ${name} { __typename } }`, {});
    expect(answer.status).toBe(400);
    expect(leaksOf(a, answer.text)).toEqual([]);
  });

  const inner = rootFields.filter((field) => field.inaccessible);
  it.each(inner.map((field): [string, RootField] => [field.name, field]))(
    '%s is in no API schema',
    async (name, field) => {
      for (const key of [b.http, service.operator]) {
        const answer = await ask(key, `${field.kind} { ${name} }`, {});
        expect(answer.status).toBe(400);
        expect(answer.json.data).toBeUndefined();
      }
    },
  );

  it('has a case for every entity, and rejects clients that ask for entities', async () => {
    expect(entityTypes.filter((name) => !ENTITY_CASES[name])).toEqual([]);
    expect(Object.keys(ENTITY_CASES).filter((name) => !entityTypes.includes(name))).toEqual([]);
    for (const query of ['{ _entities(representations: []) { __typename } }', '{ _service { sdl } }']) {
      expect((await ask(service.operator, query, {})).status).toBe(400);
    }
  });
});

/** Records that need an outside service or an actor, which this suite does not have, and the answer instead. */
const NOT_MADE_HERE: Readonly<Record<string, string>> = {
  bundleTimestamp: 'This bundle was sealed without a request for a time-stamp.',
  checkpointTimestamp: 'No time-stamp was asked for this checkpoint.',
  operatorProof: "The operator's log does not cover this ledger yet.",
  ownHoldNotices: 'Only an actor has notices, and this key has none.',
};

/** Arguments that a list or an own field needs. */
const VARIABLES: Readonly<Record<string, object>> = {
  validateEvent: { item: {} },
  previewRaw: { content: Buffer.from('MSH|^~\\&|').toString('base64') },
  evaluateFlags: { key: SAME.flag },
  searchEvents: { query: SAME.sourceRecord },
  searchMembers: { q: 'Sameson' },
  matchMember: { record: { name: { family: 'Sameson', given: ['Sam'] } } },
  searchDocuments: { query: SAME.sourceRecord },
  checkConsent: { input: { member_id: SAME.member, purpose: 'MARKETING' } },
  signingKeySet: {},
  rulePreview: { rule: ruleOf('tried') },
};

describe("a token for one member's record", () => {
  let member: Http;

  beforeAll(async () => {
    const asked = { member_id: a.ids.person, purpose: 'APPEAL_SUPPORT', requested_by: 'isolation' };
    const { request_id, code } = (await a.http.post('/v1/ava-access/request', asked)).json;
    const opened = await a.http.post('/v1/ava-access/verify', { request_id, code });
    expect(opened.status).toBe(200);
    member = a.http.as(opened.json.access_token);
  });

  const closed = routes.filter((route) => route.scope !== null && route.members === undefined);
  it.each(closed.map((route) => [nameOf(route), route] as const))('does not open %s', async (_name, route) => {
    const path = fill(route.path, Object.fromEntries(paramsOf(route).map((name) => [name, 'x'])));
    expect(await send(member, route, path)).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
  });

  const reads = routes.filter((route) => route.members !== undefined && route.method === 'GET');
  it.each(reads.map((route) => [nameOf(route), route] as const))(
    'returns no data of other members from %s',
    async (_name, route) => {
      const others = { events: a.ids.event, documents: a.ids.document }[route.area] ?? 'M-somebody-else';
      const path = fill(route.path, Object.fromEntries(paramsOf(route).map((name) => [name, others])));
      const answer = await send(member, route, path);
      expect(paramsOf(route).length === 0 ? [200] : [403, 404]).toContain(answer.status);
      expect(answer.text.replaceAll(others, '')).not.toContain(a.marker);
    },
  );
});

describe('names that both tenants use', () => {
  it('identify a separate flag in each tenant', async () => {
    for (const [mine, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const read = await mine.http.get(`/v1/feature-flags/${SAME.flag}`);
      expect(read.json.variants).toEqual({ v: mine.marker });
      expect(leaksOf(other, read.text)).toEqual([]);
      const evaluated = await mine.http.post('/v1/feature-flags/evaluate', { key: SAME.flag });
      expect(evaluated.json.value).toBe(mine.marker);
    }
  });

  it('identify separate source records and members, each with its own events', async () => {
    for (const [mine, other] of [
      [a, b],
      [b, a],
    ] as const) {
      for (const query of [`source_record_id=${SAME.sourceRecord}`, `member_id=${SAME.member}`]) {
        const read = await mine.http.get(`/v1/events?${query}`);
        expect(read.text).toContain(mine.ids.event);
        expect(leaksOf(other, read.text)).toEqual([]);
      }
    }
  });

  it('may be equal Idempotency-Keys: no answer is replayed to the other tenant', async () => {
    const key = { 'idempotency-key': '01JQ0000000000000000000007' };
    const body = { lead_type: 'PROSPECT', summary: 'keyed' };
    const [first, second] = [await a.http.post('/v1/leads', body, key), await b.http.post('/v1/leads', body, key)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json.tenant_id).toBe(b.tenantId);
    expect(second.json.lead_id).not.toBe(first.json.lead_id);
    expect(second.headers.get('idempotency-replayed')).toBeNull();
  });

  it("yield only the public signing keys of the caller's tenant", async () => {
    const answer = await b.http.get('/v1/signing-keys/jwks');
    expect(answer.status).toBe(200);
    expect(leaksOf(a, answer.text)).toEqual([]);
    expect((await b.http.get(`/v1/signing-keys/jwks?tenant_id=${a.tenantId}`)).status).toBe(403);
  });
});
