import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, peopleOf } from '../../vault/redactions/redaction-kit.js';
import { appended, said } from '../analysis/analysis-kit.js';
import { appendedAll, connection, filtered, NPI_A, NPI_B } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const at = (day: number) => ({ event_effective_timestamp: `2026-03-${String(day).padStart(2, '0')}T12:00:00.000Z` });

const EVENTS = [
  said('denied', {
    outcome: 'DENIED',
    payload: {
      claim_id: 'C-1',
      carc: ['CO-50'],
      program: 'Medicare',
      providers: [{ npi: NPI_A }],
      amounts: { charge: '1500.00', paid: '0' },
    },
    ...at(1),
  }),
  said('back-pain', {
    outcome: 'PAID',
    payload: {
      claim_id: 'C-2',
      carc: ['97'],
      diagnosis_codes: ['M54.50'],
      jurisdiction: 'US-CA',
      amounts: { charge: '80', paid: '64.5' },
    },
    ...at(2),
  }),
  said('appeal', {
    event_family: 'appeal',
    event_type: 'appeal_decided',
    source_system: 'appeals',
    member_id: 'M-2',
    outcome: 'OVERTURNED',
    payload: { claim_id: 'C-1', program: 'medicare', carc: ['50'] },
    ...at(3),
  }),
  said('plain', {
    event_family: 'clinical',
    event_type: 'Visit.Finished',
    payload: { providers: [{ npi: NPI_B }] },
    ...at(4),
  }),
];

const FILTERS: readonly (readonly [string, object, readonly string[]])[] = [
  ['every event', {}, ['appeal', 'back-pain', 'denied', 'plain']],
  ['a code', { code: { is: 'carc:50' } }, ['appeal', 'denied']],
  ['a code, and no part of another', { code: { is: 'icd10:50' } }, []],
  ['one of several codes', { code: { in: ['carc:97', 'icd10:M5450', 'rarc:N1'] } }, ['back-pain']],
  ['a code system', { code: { system: 'icd10' } }, ['back-pain']],
  ['no code', { code: { exists: false } }, ['plain']],
  ['a provider and no outcome', { provider: { exists: true }, outcome: { exists: false } }, ['plain']],
  ['one of two providers', { provider: { in: [`npi:${NPI_A}`, `npi:${NPI_B}`] } }, ['denied', 'plain']],
  ['a program in any case', { program: { is: 'MEDICARE' } }, ['appeal', 'denied']],
  ['not a program', { not: { program: { is: 'medicare' } } }, ['back-pain', 'plain']],
  [
    'either of two conditions of other names',
    { or: [{ jurisdiction: { is: 'us-ca' } }, { member_id: { is: 'M-2' } }] },
    ['appeal', 'back-pain'],
  ],
  [
    'an or without a common key',
    { or: [{ jurisdiction: { is: 'us-ca' } }, { outcome: { exists: false } }] },
    ['back-pain', 'plain'],
  ],
  [
    'and of or and not',
    { and: [{ or: [{ code: { is: 'carc:50' } }, { code: { is: 'carc:97' } }] }, { not: { outcome: { is: 'paid' } } }] },
    ['appeal', 'denied'],
  ],
  ['a type in any case', { event_type: { is: 'visit.finished' } }, ['plain']],
  ['a source system and a claim', { source_system: { is: 'appeals' }, claim: { is: 'C-1' } }, ['appeal']],
  [
    'a span of time',
    { effective_at: { from: '2026-03-02T12:00:00Z', to: '2026-03-04T12:00:00Z' } },
    ['appeal', 'back-pain'],
  ],
  ['a range of billed amounts', { charge: { at_least: '80.00', less_than: '1500' } }, ['back-pain']],
  ['a paid amount of zero', { paid: { less_than: '0.01' }, event_family: { is: 'claim' } }, ['denied']],
  ['no billed amount', { charge: { exists: false } }, ['appeal', 'plain']],
  ['an empty list', { code: { in: [] } }, []],
  ['no branch', { or: [] }, []],
];

describe('the field eventConnection', () => {
  let http: Http;

  beforeAll(async () => {
    ({ http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']));
    await appended(http, EVENTS);
  });

  it.each(FILTERS)('finds the events with %s', async (_name, filter, expected) => {
    expect(await filtered(http, filter)).toEqual(expected);
  });

  it.each([
    [{ code: { is: 'drg:470' } }, '/filter/code/is'],
    [{ provider: { in: [`npi:${NPI_A}`, 'npi:1234567890'] } }, '/filter/provider/in/1'],
    [{ or: [{ program: { is: ' ' } }] }, '/filter/or/0/program/is'],
    [{ not: { charge: { at_least: 'much' } } }, '/filter/not/charge/at_least'],
    [{ code: { system: 'drg' } }, '/filter/code/system'],
    [{ effective_at: { from: 'yesterday' } }, '/filter/effective_at/from'],
    [
      { not: { effective_at: { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' } } },
      '/filter/not/effective_at/from',
    ],
    [{ paid: { at_least: '10.00', less_than: '10.00' } }, '/filter/paid/at_least'],
    [{ not: { not: { not: { not: { not: {} } } } } }, '/filter/not/not/not/not/not'],
    [
      { or: ['a', 'b', 'c'].map((text) => ({ claim: { in: Array.from({ length: 40 }, () => text) } })) },
      '/filter/or/2',
    ],
  ])('answers VALIDATION_ERROR to %j with the pointer %s', async (filter, path) => {
    const query =
      'query Q($filter: EventFilterInput) { eventConnection(first: 1, filter: $filter) { nodes { event_id } } }';
    const { json } = await http.post('/graphql', { query, variables: { filter } });
    expect(json.errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(json.errors[0].extensions.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it("shows nothing of another tenant, not even by the other tenant's cursor", async () => {
    const { http: other } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    await appended(other, [said('own', { payload: { carc: ['50'] } })]);
    expect(await filtered(other, {})).toEqual(['own']);
    expect(await filtered(other, { code: { is: 'carc:50' } })).toEqual(['own']);
    const { pageInfo } = await connection(http, { first: 1 });
    const { nodes } = await connection(other, { after: pageInfo.endCursor });
    expect(nodes.every(({ source_record_id }: { source_record_id: string }) => source_record_id === 'own')).toBe(true);
  });

  it('needs events:read', async () => {
    const { http: closed } = await freshTenant(service.operator, ['graph:query']);
    const { json } = await closed.post('/graphql', { query: '{ eventConnection(first: 1) { nodes { event_id } } }' });
    expect(json.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('pages of the field eventConnection', () => {
  const MANY = Array.from({ length: 23 }, (_, i) =>
    said(`e-${i}`, { payload: { carc: [i % 2 === 0 ? '50' : '97'] }, ...at(1 + (i % 3)) }),
  );
  const FILTER_KINDS: readonly (readonly [string, object])[] = [
    ['one key', { event_family: { is: 'claim' } }],
    ['several keys', { code: { in: ['carc:50', 'carc:97'] } }],
    ['no key', { not: { outcome: { is: 'paid' } } }],
  ];

  it.each(FILTER_KINDS)('have no gap and no repetition in both orders, with %s', async (_name, filter) => {
    const { http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    const ids = await appended(http, MANY);
    const byTime = [...MANY].sort((a, b) => {
      const [x, y] = [a, b].map((one) => `${one['event_effective_timestamp']} ${ids[String(one['source_record_id'])]}`);
      return String(x) < String(y) ? -1 : 1;
    });
    const expected = byTime.map((one) => one['source_record_id']);
    for (const orderBy of ['EFFECTIVE_AT_ASC', 'EFFECTIVE_AT_DESC']) {
      const seen: string[] = [];
      let after: string | undefined;
      for (let page = 0; page < 10; page++) {
        const found = await connection(http, { filter, orderBy, first: 5, after });
        expect(found).toMatchObject({ totalCount: 23, totalCountIsExact: true });
        expect(found.edges.map(({ node }: { node: object }) => node)).toEqual(found.nodes);
        expect(found.pageInfo.hasPreviousPage).toBe(page > 0);
        expect(found.pageInfo.endCursor).toBe(found.edges.at(-1).cursor);
        seen.push(...found.nodes.map(({ source_record_id }: { source_record_id: string }) => source_record_id));
        after = found.pageInfo.endCursor;
        if (!found.pageInfo.hasNextPage) break;
      }
      expect(seen).toEqual(orderBy === 'EFFECTIVE_AT_ASC' ? expected : [...expected].reverse());
    }
  });

  it('say that the count is a lower estimate beyond the events that a count examines', async () => {
    const { http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    await appendedAll(
      http,
      Array.from({ length: 1_350 }, (_, i) => said(`e-${i}`, { payload: { carc: ['50'] } })),
    );
    const found = await connection(http, { first: 1, filter: { code: { is: 'carc:50' } } });
    expect(found.totalCountIsExact).toBe(false);
    expect(found.totalCount).toBeGreaterThanOrEqual(1_000);
    expect(found.totalCount).toBeLessThanOrEqual(1_350);
  });

  it('end early and go on after the events that one page examines', async () => {
    const { http } = await freshTenant(service.operator, ['events:read', 'events:write', 'graph:query']);
    await appendedAll(http, [
      said('old', { outcome: 'PAID', payload: { program: 'X', carc: ['50'] }, ...at(1) }),
      ...Array.from({ length: 2_250 }, (_, i) => said(`e-${i}`, { payload: { carc: ['50'] }, ...at(2) })),
    ]);
    const filter = { code: { is: 'carc:50' }, program: { exists: true } };
    const query = `query Q($filter: EventFilterInput, $after: String) {
      eventConnection(filter: $filter, first: 1, after: $after) { nodes { source_record_id } pageInfo { hasNextPage endCursor } }
    }`;
    const ask = async (after?: string) =>
      (await http.post('/graphql', { query, variables: { filter, after } })).json.data;
    const first = (await ask()).eventConnection;
    expect(first).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } });
    const second = (await ask(first.pageInfo.endCursor)).eventConnection;
    expect(second).toMatchObject({ nodes: [{ source_record_id: 'old' }], pageInfo: { hasNextPage: false } });
  });
});

describe('the field eventConnection and hidden content', () => {
  it('finds, excludes and counts an event by its visible values alone', async () => {
    const all = await peopleOf(service.operator);
    const keyOf = async (scopes: readonly string[]): Promise<Http> => {
      const made = await service.operator.post('/v1/api-keys', { tenant_id: all.tenantId, name: 'analyst', scopes });
      return service.operator.as(made.json.api_key);
    };
    const analyst = await keyOf(['events:read', 'graph:query']);
    const trusted = await keyOf(['events:read', 'graph:query', 'documents:unredacted']);
    const ids = await appended(all.clerk, [
      said('secret', { payload: { carc: ['50', '97'], amounts: { charge: '1500' }, program: 'Medicare' } }),
      said('open', { payload: { carc: ['50'], program: 'Medicare' } }),
    ]);
    await applied(all, {
      subject: { kind: 'EVENT', id: ids['secret'] },
      pointers: ['/payload/carc/0', '/payload/amounts/charge'],
    });
    const program = { program: { is: 'medicare' } };
    expect(await filtered(analyst, { code: { is: 'carc:50' } })).toEqual(['open']);
    expect(await filtered(analyst, { code: { is: 'carc:97' } })).toEqual(['secret']);
    expect(await filtered(analyst, { ...program, not: { code: { is: 'carc:50' } } })).toEqual(['secret']);
    expect(await filtered(analyst, { ...program, charge: { exists: true } })).toEqual([]);
    expect(await filtered(trusted, { ...program, not: { code: { is: 'carc:50' } } })).toEqual([]);
    expect(await filtered(trusted, { not: { charge: { exists: true } } })).toEqual(['open']);
  });

  it('withholds what consent withholds for a stated purpose, in pages and in the count', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await appended(http, [
      said('private', { payload: { carc: ['50'], sensitivity: ['42CFR2'] } }),
      said('plain', { payload: { carc: ['50'] } }),
    ]);
    const filter = { code: { is: 'carc:50' } };
    const open = await connection(http, { filter, purpose: 'MARKETING' });
    expect(open.nodes).toEqual([{ source_record_id: 'plain' }]);
    expect(open).toMatchObject({ totalCount: 1, totalCountIsExact: true, withheld: { count: 1, reason: '42CFR2' } });
    expect((await connection(http, { filter })).totalCount).toBe(2);
  });
});
