import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// Someone edits the row of an event so that its record and its hash agree, and asks for it in every way.

let service: WholeService;
let database: Database;
let rows: Collection<Document>;
let http: Http;
let next = 1;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('ledger');
  ({ http } = await freshTenant(service.operator, ['admin']));
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

interface Sent {
  readonly id: string;
  readonly member: string;
}

async function sent(): Promise<Sent> {
  const member = `M-${next++}`;
  const { json } = await http.post('/v1/events', envelope(member, { member_id: member, outcome: 'DENIED' }));
  return { id: json.event_id, member };
}

const readsOf = ({ id, member }: Sent): string[] => [
  `/v1/events/${id}`,
  `/v1/events?member_id=${member}`,
  `/v1/members/${member}/timeline`,
  `/v1/advocacy/explain/${id}`,
];

async function expectRejected(event: Sent): Promise<void> {
  for (const path of readsOf(event)) {
    const { status, json } = await http.get(path);
    expect({ path, status, code: json.code }).toEqual({ path, status: 500, code: 'INTEGRITY_FAILURE' });
  }
}

const FORGED = (record: string): Document => {
  const bytes = Buffer.from(record.replace('DENIED', 'APPROVED'));
  return { record: bytes, worm_sha256: createHash('sha256').update(bytes).digest('hex'), 'query.outcome': 'approved' };
};

describe('an event with an edited row', () => {
  it('is shown nowhere when record, hash and query fields are forged together', async () => {
    const event = await sent();
    const row = await rows.findOne({ event_id: event.id });
    await rows.updateOne({ event_id: event.id }, { $set: FORGED(String(row?.['record'].buffer)) });
    await expectRejected(event);
  });

  it.each([
    ['seed', Buffer.alloc(32)],
    ['commit', '00'.repeat(32)],
    ['fields', '00'.repeat(32)],
    ['prev_hash', '00'.repeat(32)],
    ['entry_hash', '00'.repeat(32)],
    ['recorded_at', new Date('2020-01-01T00:00:00Z')],
    ['recorded_at', 'a text'],
    ['commit', 7],
    ['seed', null],
  ])('is shown nowhere when its %s is replaced', async (field, value) => {
    const event = await sent();
    await rows.updateOne({ event_id: event.id }, { $set: { [field]: value } });
    await expectRejected(event);
  });

  it.each([
    ['the record', ['record']],
    ['record, seed and hash', ['record', 'seed', 'worm_sha256']],
  ])('is not called disposed when someone removes %s', async (_, fields) => {
    const event = await sent();
    await rows.updateOne({ event_id: event.id }, { $unset: Object.fromEntries(fields.map((name) => [name, true])) });
    const { status, json } = await http.get(`/v1/events/${event.id}`);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
    const listed = await http.get(`/v1/events?member_id=${event.member}`);
    expect([listed.status, listed.json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });
});
