import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { seeded } from '../../support/random.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let http: Http;

const DEADLINE_MS = 150_000;

beforeAll(async () => {
  service = await startWholeService();
  ({ http } = await freshTenant(service.operator, ['events:read', 'events:write']));
  await post(http, EVENTS);
}, 180_000);

afterAll(() => service.stop());

const event = (n: string, over: Readonly<Record<string, unknown>>, payload: Readonly<Record<string, unknown>>) =>
  envelope(n, { ...over, payload });

const EVENTS = [
  event(
    'knee',
    { event_type: 'prior_auth.denied', outcome: 'DENIED', source_record_id: 'PA-2026-0001', member_id: 'M-1001' },
    { rationale: 'The MRI was not medically necessary: no conservative care was tried.', diagnosis_codes: ['M25.561'] },
  ),
  event(
    'appeal',
    { event_type: 'appeal.received', outcome: 'SUBMITTED', source_record_id: 'AP-7', source_system: 'appeals' },
    { rationale: 'Appeal of the denial. Care is necessary, says José the physician; medically it was not tried.' },
  ),
  event(
    'claim',
    {
      event_family: 'claim',
      event_type: 'claim_submitted',
      source_system: 'claims',
      source_record_id: '7101/0001/CLM-2',
    },
    { diagnosis_codes: ['M25561'], note: 'Knee knee knee', lines: [{ procedure: '99213', charge: '180.00' }] },
  ),
  event(
    'old',
    { event_effective_timestamp: '2024-05-02T00:00:00Z', source_record_id: 'PA-2024-0009', outcome: 'Denied' },
    { rationale: 'Denied as not covered.', raw: { part_sha256: 'abcdefabcdef', whole: 'unreadword' } },
  ),
];

/** Posts events and waits until the search has them all. */
async function post(client: Http, events: readonly unknown[]): Promise<string[]> {
  const answer = await client.post('/v1/events', { events });
  expect(answer.json.rejected).toBe(0);
  await indexed(client);
  return answer.json.results.map((result: { event_id: string }) => result.event_id);
}

async function indexed(client: Http): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; Date.now() < end; ) {
    const answer = await client.post('/v1/search', { query: 'anything' });
    expect(answer.status).toBe(200);
    if (answer.json.freshness.behind === 0 && answer.json.freshness.indexed > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the index was not brought up to date');
}

const find = (query: string, more: object = {}, client = http): Promise<Answer> =>
  client.post('/v1/search', { query, ...more });

const records = ({ json }: Answer): string[] =>
  json.items.map((item: { source_record_id: string }) => item.source_record_id);

describe('POST /v1/search', () => {
  it.each([
    ['a word', 'conservative', ['PA-2026-0001']],
    ['another form of a word, in another case', 'DENIES', ['PA-2024-0009', 'PA-2026-0001', 'AP-7']],
    ['all words, wherever they stand', 'tried necessary', ['PA-2026-0001', 'AP-7']],
    ['a word without its marks', 'jose', ['AP-7']],
    ['a phrase, in just that form', '"not medically necessary"', ['PA-2026-0001']],
    ['a phrase whose words stand in another order', '"medically not necessary"', []],
    ['a phrase over the end of a text', '"tried M25.561"', []],
    ['an excluded word', 'necessary -physician', ['PA-2026-0001']],
    ['an excluded phrase', 'necessary -"not medically"', ['AP-7']],
    ['an excluded code', 'knee -M25561', []],
    ['a code with its point', 'M25.561', ['PA-2026-0001', '7101/0001/CLM-2']],
    ['a code without its point', 'm25561', ['PA-2026-0001', '7101/0001/CLM-2']],
    ['a part of a code', 'M25', ['PA-2026-0001']],
    ['a shorter code', 'M25.56', []],
    ['an identifier', 'PA-2026-0001', ['PA-2026-0001']],
    ['a part of an identifier', 'CLM-2', ['7101/0001/CLM-2']],
    ['a whole identifier of parts', '7101/0001/clm-2', ['7101/0001/CLM-2']],
    ['the beginning of identifiers', 'PA-202*', ['PA-2024-0009', 'PA-2026-0001']],
    ['the beginning of words beside a word', 'medic* physician', ['AP-7']],
    ['a type', 'prior_auth.denied', ['PA-2026-0001']],
    ['a number', '180.00', ['7101/0001/CLM-2']],
    ['what no event holds', 'zebra', []],
    ['a common word beside one that counts', 'the physician', ['AP-7']],
    ['hashes of what was read', 'unreadword', []],
  ])('finds %s', async (_what, query, expected) => {
    const answer = await find(query);
    expect(answer.status).toBe(200);
    expect(records(answer).sort()).toEqual([...expected].sort());
    expect(answer.json).toMatchObject({ total: expected.length, truncated: false, next_cursor: null });
  });

  it.each([
    [{ outcome: 'denied' }, ['PA-2026-0001', 'PA-2024-0009']],
    [{ outcome: 'denied', from: '2025-01-01T00:00:00Z' }, ['PA-2026-0001']],
    [{ to: '2025-01-01T00:00:00Z' }, ['PA-2024-0009']],
    [{ event_type: 'APPEAL.received' }, ['AP-7']],
    [{ event_family: 'claim' }, []],
    [{ source_system: 'appeals' }, ['AP-7']],
    [{ member_id: 'M-1001' }, ['PA-2026-0001']],
    [{ member_id: 'm-1001' }, []],
  ])('filters by %j', async (filters, expected) => {
    expect(records(await find('not', { filters })).sort()).toEqual([...expected].sort());
  });

  it('returns zero hits and counts for filters that no event matches', async () => {
    const filters = { outcome: 'denied', matter_id: 'CASE-1' };
    expect(await find('not', { filters })).toMatchObject({
      status: 200,
      json: { items: [], total: 0, facets: { source_system: [], month: [] } },
    });
  });

  it('shows matches and their places', async () => {
    const { json } = await find('"medically necessary" M25.561');
    expect(json.items).toHaveLength(1);
    const [hit] = json.items;
    expect(hit).toMatchObject({
      kind: 'event',
      event_type: 'prior_auth.denied',
      outcome: 'DENIED',
      member_id: 'M-1001',
      source_system: 'um-core',
    });
    expect(hit.id).toMatch(/^evt_/);
    expect(hit.score).toBeGreaterThan(0);
    expect(hit.score).toBeLessThan(1);
    const shown = hit.highlights.map(
      ({
        pointer,
        snippet,
        matches,
      }: {
        pointer: string;
        snippet: string;
        matches: { start: number; end: number }[];
      }) => [pointer, ...matches.map(({ start, end }) => snippet.slice(start, end))],
    );
    expect(shown).toEqual([
      ['/payload/diagnosis_codes/0', 'M25.561'],
      ['/payload/rationale', 'medically necessary'],
    ]);
  });

  it('sorts by relevance: rare words and many matches count most', async () => {
    const { json } = await find('knee');
    expect(records({ json } as Answer)).toEqual(['7101/0001/CLM-2']);
    const both = (await find('not tried')).json.items;
    expect(both[0].score).toBeGreaterThanOrEqual(both[1].score);
  });

  it('counts over all hits, on any page', async () => {
    const { json } = await find('not', { limit: 1 });
    expect(json.items).toHaveLength(1);
    expect(json.total).toBe(3);
    expect(json.facets.outcome).toEqual([
      { value: 'denied', count: 2 },
      { value: 'submitted', count: 1 },
    ]);
    expect(json.facets.month).toEqual([
      { value: '2026-03', count: 2 },
      { value: '2024-05', count: 1 },
    ]);
    expect(json.facets.source_system).toEqual([
      { value: 'um-core', count: 2 },
      { value: 'appeals', count: 1 },
    ]);
  });

  it.each([
    ['nothing to look for', { query: 'the of' }, '/query'],
    ['only what is excluded', { query: '-denied' }, '/query'],
    ['a prefix of one letter', { query: 'a*' }, '/query'],
    ['too many parts', { query: Array.from({ length: 33 }, (_, n) => `w${n}`).join(' ') }, '/query'],
    ['no query', {}, '/query'],
    ['a kind that is not searched', { query: 'x1', kinds: ['member'] }, '/kinds/0'],
    ['a time that is none', { query: 'x1', filters: { from: 'yesterday' } }, '/filters/from'],
    ['an unknown filter', { query: 'x1', filters: { colour: 'red' } }, '/filters/colour'],
    ['a cursor of nobody', { query: 'x1', cursor: 'bm8' }, '/cursor'],
  ])('rejects %s', async (_what, body, path) => {
    const answer = await http.post('/v1/search', body);
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(answer.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('requires the scope search:read', async () => {
    const { http: writer } = await freshTenant(service.operator, ['events:write']);
    expect((await find('denied', {}, writer)).json.code).toBe('FORBIDDEN');
    const { http: reader } = await freshTenant(service.operator, ['search:read']);
    expect((await find('denied', {}, reader)).json).toMatchObject({ items: [], total: 0 });
  });
});

describe('pages of a search', () => {
  it('contain every hit once, in falling order of score, while events are added', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const random = seeded(5);
    const words = (n: number) => Array.from({ length: n }, () => `w${Math.floor(random() * 30)}`).join(' ');
    const make = (n: number) =>
      envelope(n, { payload: { rationale: `common ${'again '.repeat(n % 4)} ${words(n % 17)}` } });
    await post(
      own,
      Array.from({ length: 120 }, (_, n) => make(n)),
    );
    const seen: { id: string; score: number }[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 20; page++) {
      const { json, status } = await find('common again', { limit: 17, ...(cursor ? { cursor } : {}) }, own);
      expect(status).toBe(200);
      seen.push(...json.items);
      if (json.next_cursor === null) break;
      cursor = json.next_cursor;
      if (page === 1)
        await post(
          own,
          Array.from({ length: 10 }, (_, n) => make(1_000 + 4 * n)),
        );
    }
    const scores = seen.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    expect(seen.length).toBe(90);
    expect((await find('common', { cursor }, own)).json.errors[0].path).toBe('/cursor');
  });
});

describe('system partitions', () => {
  it('are searched only by name', async () => {
    const { http: own, tenantId } = await freshTenant(service.operator, ['admin']);
    await post(own, EVENTS.slice(0, 1));
    await service.operator.post('/v1/signing-keys', { tenant_id: tenantId, purpose: 'BUNDLE' });
    for (const end = Date.now() + DEADLINE_MS; ; ) {
      const { json } = await find('bundle', { filters: { source_system: '_system' } }, own);
      if (json.total > 0) break;
      if (Date.now() > end) throw new Error('the entry was not found');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await find('bundle', {}, own)).json.total).toBe(0);
  });
});

describe('other callers of the same search', () => {
  it('include an analyst who searches the graph', async () => {
    const { http: analyst } = await freshTenant(service.operator, ['search:read', 'graph:query', 'events:write']);
    await post(analyst, EVENTS.slice(0, 2));
    const query = '{ searchEvents(query: "physician", limit: 5) { total items { id score source_record_id } } }';
    const { status, json } = await analyst.post('/graphql', { query });
    expect(status).toBe(200);
    expect(json).toMatchObject({ data: { searchEvents: { total: 1, items: [{ source_record_id: 'AP-7' }] } } });
  });

  it('are made again for a repeated key, and show nothing of another tenant', async () => {
    const { http: other } = await freshTenant(service.operator, ['admin']);
    const key = { 'idempotency-key': '01JQ3ZK5V0000000000000000A' };
    const first = await http.post('/v1/search', { query: 'conservative' }, key);
    const again = await http.post('/v1/search', { query: 'conservative' }, key);
    expect(again.json.items).toEqual(first.json.items);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    const { json } = await http.post('/v1/search', { query: 'not', limit: 1 });
    expect((await find('conservative', {}, other)).json).toMatchObject({ items: [], total: 0 });
    // A cursor names a place in a search, not a right.
    expect((await find('not', { limit: 1, cursor: json.next_cursor }, other)).json).toMatchObject({
      items: [],
      total: 0,
    });
  });
});
