import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, peopleOf } from '../../vault/redactions/redaction-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const NPI = 'npi:1234567893';
const OTHER_NPI = 'npi:1999999984';

const event = (id: string, payload: Record<string, unknown>, over: Record<string, unknown> = {}) => ({
  event_family: 'claim',
  event_type: 'claim_adjudicated',
  member_id: 'M-1',
  source_system: 'claims',
  source_record_id: id,
  event_effective_timestamp: '2026-03-02T14:11:09.123Z',
  outcome: 'DENIED',
  payload,
  ...over,
});

/** Appends events and waits until the index has followed. */
async function append(http: Http, events: readonly Record<string, unknown>[]): Promise<readonly string[]> {
  const answer = await http.post('/v1/events', events);
  expect(answer.json).toMatchObject({ accepted: events.length });
  await settled(http);
  return answer.json.results.map(({ event_id }: { event_id: string }) => event_id);
}

const settled = async (http: Http): Promise<void> => {
  const look = () => http.post('/v1/search', { query: 'anything', kinds: ['event'] });
  await eventually(look, ({ json }) => json.freshness.behind === 0 && json.freshness.indexed > 0);
};

const ids = ({ json }: Answer): string[] =>
  json.items.map(({ source_record_id }: { source_record_id: string }) => source_record_id).sort();
const listed = async (http: Http, query: string): Promise<string[]> => ids(await http.get(`/v1/events?${query}`));
const found = async (http: Http, query: string): Promise<string[]> =>
  ids(await http.post('/v1/search', { query, limit: 100 }));

const EVENTS = [
  event('carc-50', { carc: ['CO-50'], program: 'Medicare', providers: [{ npi: '1234567893' }], claim_id: 'C-1' }),
  event('back-pain', { diagnosis_codes: ['M54.50'], carc: ['97'], jurisdiction: 'US-CA' }),
  event('approved-50', { carc: ['50'], program: 'medicare' }, { outcome: 'APPROVED', event_family: 'appeal' }),
  event('other', { note: 'carc 50 was discussed', providers: [{ npi: '1999999984' }], procedure_codes: ['73721'] }),
];

describe('exact filters of events', () => {
  it('list by code, provider, program, jurisdiction and claim, and never by part of a code', async () => {
    const { http } = await freshTenant(service.operator);
    await append(http, EVENTS);
    expect(await listed(http, 'code=carc:50')).toEqual(['approved-50', 'carc-50']);
    expect(await listed(http, 'code=carc:CO50&outcome=denied')).toEqual(['carc-50']);
    expect(await listed(http, 'code=icd10:m5450')).toEqual(['back-pain']);
    expect(await listed(http, 'code=icd10:50')).toEqual([]);
    expect(await listed(http, `provider=${NPI}`)).toEqual(['carc-50']);
    expect(await listed(http, `provider=${OTHER_NPI}&code=cpt:73721`)).toEqual(['other']);
    expect(await listed(http, 'program=MEDICARE')).toEqual(['approved-50', 'carc-50']);
    expect(await listed(http, 'program=medicare&event_family=Appeal')).toEqual(['approved-50']);
    expect(await listed(http, 'jurisdiction=us-ca&member_id=M-1&event_type=CLAIM_adjudicated')).toEqual(['back-pain']);
    expect(await listed(http, 'jurisdiction=us-ca&member_id=M-2')).toEqual([]);
    expect(await listed(http, 'claim=C-1&source_system=claims')).toEqual(['carc-50']);
    expect(await listed(http, 'claim=C-1&source_system=elsewhere')).toEqual([]);
    expect(await listed(http, 'code=carc:50&source_record_id=carc-50')).toEqual(['carc-50']);
    expect(await listed(http, 'code=carc:50&source_record_id=other')).toEqual([]);
  });

  it('search by the same names, included and excluded', async () => {
    const { http } = await freshTenant(service.operator);
    await append(http, EVENTS);
    expect(await found(http, 'carc:50')).toEqual(['approved-50', 'carc-50']);
    expect(await found(http, 'carc:50 -outcome:approved')).toEqual(['carc-50']);
    expect(await found(http, `carc:50 ${NPI} -outcome:approved`)).toEqual(['carc-50']);
    expect(await found(http, 'discussed -carc:50')).toEqual(['other']);
    expect(await found(http, 'program:"Medicare" family:appeal')).toEqual(['approved-50']);
    expect(await found(http, 'icd10:M54.50')).toEqual(['back-pain']);
    expect(await found(http, 'unheard:50')).toEqual([]);
  });

  it('page in both directions without a gap or a repetition among equal times', async () => {
    const { http } = await freshTenant(service.operator);
    const many = Array.from({ length: 9 }, (_, i) => event(`e-${i}`, { carc: ['50'] }));
    await append(http, many);
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { json } = await http.get(`/v1/events?code=carc:50&limit=4&order=${order}${cursor}`);
        seen.push(...json.items.map(({ event_id }: { event_id: string }) => event_id));
        cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
      } while (cursor !== '');
      expect(seen).toHaveLength(9);
      expect(seen).toEqual(order === 'asc' ? [...seen].sort() : [...seen].sort().reverse());
      expect(new Set(seen).size).toBe(9);
    }
  });

  it.each([
    ['code=drg:470', '/code'],
    ['code=carc:', '/code'],
    ['code=', '/code'],
    ['provider=npi:1234567890', '/provider'],
    ['program=', '/program'],
    ['claim=', '/claim'],
  ])('answer 400 to %s with the name of the parameter', async (query, path) => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.get(`/v1/events?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toMatchObject([{ path }]);
    const graph = await freshTenant(service.operator, ['events:read', 'graph:query']);
    const [name, value] = query.split('=');
    const asked = { query: `{ events(limit: 5, ${name}: ${JSON.stringify(value)}) { items { event_id } } }` };
    expect((await graph.http.post('/graphql', asked)).json.errors[0].extensions.errors).toMatchObject([{ path }]);
  });

  it.each(['carc:', 'npi:12', 'outcome:', '-program:'])('answer 400 to a search for %s', async (query) => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post('/v1/search', { query: `word ${query}` });
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toMatchObject([{ path: '/query' }]);
  });

  it('never find an event by a code that a redaction hides', async () => {
    const all = await peopleOf(service.operator);
    const [id = ''] = await append(all.clerk, [event('secret', { carc: ['50', '97'], program: 'Medicare' })]);
    await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/carc/0'] });
    expect(await listed(all.reader, 'code=carc:50')).toEqual([]);
    expect(await found(all.reader, 'carc:50')).toEqual([]);
    expect(await listed(all.reader, 'code=carc:97')).toEqual(['secret']);
    const { json } = await all.reader.get('/v1/events?program=medicare');
    expect(json.items).toMatchObject([{ state: 'REDACTED', payload: { carc: [null, '97'] } }]);
  });

  it('withhold what consent withholds for a stated purpose, and count it', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    await append(http, [event('private', { carc: ['50'], sensitivity: ['42CFR2'] }), event('plain', { carc: ['50'] })]);
    const answer = await http.get('/v1/events?code=carc:50&purpose=MARKETING');
    expect(ids(answer)).not.toContain('private');
    expect(answer.json.withheld.count).toBeGreaterThan(0);
  });

  it("never show another tenant's events", async () => {
    const [a, b] = [await freshTenant(service.operator), await freshTenant(service.operator)];
    await append(a.http, EVENTS);
    await append(b.http, [event('own', { carc: ['50'] })]);
    expect(await listed(b.http, 'code=carc:50')).toEqual(['own']);
    expect(await found(b.http, 'carc:50')).toEqual(['own']);
    expect(await listed(b.http, `provider=${NPI}`)).toEqual([]);
  });
});
