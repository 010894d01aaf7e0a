import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import type { Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, type People, peopleOf } from '../../vault/redactions/redaction-kit.js';

// A member with a denial, a payment, a decision of a model and a hold.

const PROVIDERS = [{ npi: '1234567893' }];
const DENIAL = { carc: ['50'], providers: PROVIDERS };
const PATH = '/v1/members/T-said/timeline';

let service: WholeService;
let people: People;

interface Entry {
  readonly kind: string;
  readonly type: string;
  readonly at: string;
}

const event = (n: string, day: number, over: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  envelope(n, { member_id: 'T-said', event_type: n, event_effective_timestamp: `2026-02-0${day}T08:00:00Z`, ...over });

/** Waits until the index of what events say has followed. */
const settled = (http: Http): Promise<unknown> =>
  eventually(
    () => http.post('/v1/search', { query: 'anything', kinds: ['event'] }),
    ({ json }) => json.freshness.behind === 0 && json.freshness.indexed > 0,
  );

/** Reads the whole timeline in pages of one. */
async function walked(http: Http, path: string): Promise<readonly Entry[]> {
  const items: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await http.get(`${path}&limit=1${from}`);
    if (answer.status !== 200) throw new Error(answer.text);
    items.push(...answer.json.items);
    cursor = answer.json.next_cursor;
  }
  return items;
}

beforeAll(async () => {
  service = await startWholeService();
  people = await peopleOf(service.operator);
  const { clerk } = people;
  await clerk.post('/v1/events', [
    event('denied', 3, { outcome: 'DENIED', payload: DENIAL }),
    event('paid', 4, { outcome: 'PAID', payload: { providers: PROVIDERS } }),
    event('hidden', 5, { member_id: 'T-hidden', payload: DENIAL }),
  ]);
  await clerk.post('/v1/legal-holds', { name: 'h', reason: 'r', scope: { member_ids: ['T-said'] } });
  await settled(clerk);
});
afterAll(() => service.stop());

describe('a timeline by content', () => {
  it.each([
    ['code=carc:50', ['denied']],
    ['code=CARC:CO50&outcome=denied', ['denied']],
    ['provider=npi:1234567893', ['denied', 'paid']],
    ['provider=npi:1234567893&outcome=Paid', ['paid']],
    ['provider=npi:1234567893&order=desc', ['paid', 'denied']],
    ['provider=npi:1234567893&from=2026-02-04T00:00:00Z', ['paid']],
    ['outcome=denied', ['denied']],
    ['code=carc:5', []],
    ['code=carc:50&kinds=DOCUMENT,HOLD', []],
  ])('has only the entries of %s', async (query, expected) => {
    const items = await walked(people.reader, `${PATH}?${query}`);
    expect(items.map(({ type }) => type)).toEqual(expected);
  });

  it.each(['code=50', 'code=', 'provider=npi:1234567890', 'outcome='])('rejects %s with its name', async (query) => {
    const answer = await people.reader.get(`${PATH}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json.errors[0].path).toBe(`/${query.split('=')[0]}`);
  });

  it('is recorded in custody with its conditions', async () => {
    await people.reader.get(`${PATH}?code=carc:50&outcome=DENIED`);
    const { items } = (await people.clerk.get('/v1/custody?subject_kind=MEMBER&subject_id=T-said&limit=500')).json;
    expect(items.map(({ detail }: { detail: unknown }) => detail)).toContainEqual({
      code: 'carc:50',
      outcome: 'DENIED',
    });
  });

  it('does not find an event by a code that a redaction hides', async () => {
    const path = '/v1/members/T-hidden/timeline?code=carc:50';
    expect(await walked(people.reader, path)).toHaveLength(1);
    const { items } = (await people.clerk.get('/v1/events?member_id=T-hidden')).json;
    const body = { subject: { kind: 'EVENT', id: items[0].event_id }, pointers: ['/payload/carc'] };
    expect((await applied(people, body)).status).toBe(200);
    expect(await walked(people.reader, path)).toEqual([]);
  });
});
