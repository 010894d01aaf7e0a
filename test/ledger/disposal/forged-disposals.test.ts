import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { download, ended, opened, requested } from '../../bundles/bundles-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// Someone with the driver edits what says that an event is disposed of, and asks for the event in every way.

const POLICIES = { policies: [{ event_family: 'claims', years: 6 }] };
const OLD = { event_family: 'claims', event_effective_timestamp: '2010-03-02T14:11:09.123Z' };
const FORGED_ID = 'dsp_01JQ0000000000000000000001';

let service: WholeService;
let database: Database;
let rows: Collection<Document>;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' });
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('ledger');
  // The service sweeps when it starts: a sweep in the middle of a test would write its own time.
  while ((await sweeps().findOne({ _id: 'ledger' })) === null) await new Promise((ended) => setTimeout(ended, 50));
});

const sweeps = () => database.db.collection<{ _id: string }>('fact_sweeps');
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Sent {
  readonly http: Http;
  readonly tenantId: string;
  readonly id: string;
  readonly member: string;
}

/** One event of one member, in a new tenant. */
async function sent(over: object = {}): Promise<Sent> {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  const member = 'M-1';
  await http.post('/v1/members', { member_id: member, name: { family: 'Doe' } });
  const { json } = await http.post('/v1/events', envelope(member, { member_id: member, outcome: 'DENIED', ...over }));
  return { http, tenantId, id: json.event_id, member };
}

/** The row of an event before its disposal, and the event after it. */
async function disposed(): Promise<Sent & { readonly whole: Document }> {
  const event = await sent(OLD);
  await event.http.call('/v1/retention-policies', { method: 'PUT', body: POLICIES });
  const whole = await rows.findOne({ tenant_id: event.tenantId, event_id: event.id });
  if (!whole) throw new Error('no row');
  expect((await event.http.post('/v1/retention/sweep', {})).json.events.disposed).toBe(1);
  expect((await event.http.get(`/v1/events/${event.id}`)).status).toBe(410);
  return { ...event, whole };
}

const edit = ({ id, tenantId }: Sent, change: Document): Promise<unknown> =>
  rows.updateOne({ tenant_id: tenantId, event_id: id }, change);

/** Notes a sweep of the facts that has passed this disposal: no crash explains a record that comes back. */
async function passSweep({ tenantId, id }: Sent): Promise<void> {
  const fact = await rows.findOne({ tenant_id: tenantId, source_system: '_system', fact_key: `disposal/${id}\0first` });
  const swept_at = new Date(fact?.['recorded_at'].getTime() + 600_001);
  await sweeps().updateOne({ _id: 'ledger' }, { $set: { swept_at } }, { upsert: true });
}

const CONTENT = { record: true, seed: true, worm_sha256: true, fact_key: true, duplicate_key: true };

const directReads = ({ id }: Sent): string[] => [`/v1/events/${id}`, `/v1/advocacy/explain/${id}`];
const listReads = ({ member }: Sent): string[] => [`/v1/events?member_id=${member}`, `/v1/members/${member}/timeline`];

async function expectRejected({ http }: Sent, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { status, json } = await http.get(path);
    expect({ path, status, code: json.code }).toEqual({ path, status: 500, code: 'INTEGRITY_FAILURE' });
  }
}

/** Exceptions and custody that name the event. */
async function expectReported({ http, id }: Sent): Promise<void> {
  const { items } = (await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
  expect(JSON.stringify(items)).toContain(id);
  const custody = await http.get(`/v1/custody?subject_kind=EVENT&subject_id=${id}&action=INTEGRITY_FAILURE`);
  expect(custody.json.items.length).toBeGreaterThan(0);
}

async function bundleOf({ http, member }: Sent): Promise<{ bundle_id: string; status: string }> {
  return ended(http, (await requested(http, { scope: { member_id: member } })).bundle_id);
}

describe('a disposed event that has its record again', () => {
  it('fails every read once the sweep of the facts has passed', async () => {
    const event = await disposed();
    await passSweep(event);
    await rows.replaceOne({ _id: event.whole['_id'] }, event.whole);
    await expectRejected(event, [...directReads(event), ...listReads(event)]);
    await expectReported(event);
    expect((await bundleOf(event)).status).toBe('FAILED');
  });
});

describe('an event that no fact calls disposed', () => {
  it.each([
    ['keeps its record', {}],
    ['loses its record', CONTENT],
  ])('is not called disposed when its row names a disposal and %s', async (_, fields) => {
    const event = await sent();
    await edit(event, { $set: { disposal_id: FORGED_ID }, $unset: { none: true, ...fields } });
    await expectRejected(event, [...directReads(event), ...listReads(event)]);
    await expectReported(event);
    expect((await bundleOf(event)).status).toBe('FAILED');
  });

  it('is not called disposed when its row names the disposal of another event', async () => {
    const other = await disposed();
    const real = await rows.findOne({ tenant_id: other.tenantId, event_id: other.id });
    const { json } = await other.http.post('/v1/events', envelope('M-2', { member_id: 'M-2' }));
    const event: Sent = { ...other, id: json.event_id, member: 'M-2' };
    await edit(event, { $set: { disposal_id: real?.['disposal_id'] }, $unset: CONTENT });
    await expectRejected(event, directReads(event));
    await expectReported(event);
    expect((await bundleOf(event)).status).toBe('FAILED');
  });

  it('fails every read when only its record is removed', async () => {
    const event = await sent();
    await edit(event, { $unset: CONTENT });
    await expectRejected(event, [...directReads(event), ...listReads(event)]);
    await expectReported(event);
    expect((await bundleOf(event)).status).toBe('FAILED');
  });
});

describe('a disposed event', () => {
  it('answers DISPOSED, and lists and timelines leave it out', async () => {
    const event = await disposed();
    for (const path of directReads(event)) expect([path, (await event.http.get(path)).status]).toEqual([path, 410]);
    for (const path of [...listReads(event), '/v1/events?order=asc', '/v1/events']) {
      const { status, json } = await event.http.get(path);
      expect([path, status, json.items]).toEqual([path, 200, []]);
    }
    const bundle = await bundleOf(event);
    expect(bundle.status).toBe('SEALED');
    const { manifest } = await opened(await download(event.http, bundle.bundle_id));
    expect(manifest.events).toMatchObject([{ event_id: event.id, state: 'DISPOSED' }]);
    expect((await event.http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('has one fact, which names policy, time and removed members', async () => {
    const event = await disposed();
    const facts = `/v1/events?source_system=_system&source_record_id=disposal/${event.id}`;
    const { items } = (await event.http.get(facts)).json;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ event_type: 'event.disposed', payload: { action: 'dispose', previous: null } });
  });

  it.each([
    ['another disposal', { $set: { disposal_id: FORGED_ID } }],
    ['no disposal', { $unset: { disposal_id: true } }],
    ['another time of recording', { $set: { recorded_at: new Date('2020-01-01T00:00:00Z') } }],
  ])('fails every read when its row names %s', async (_, change) => {
    const event = await disposed();
    await edit(event, change);
    await expectRejected(event, directReads(event));
    await expectReported(event);
  });
});
