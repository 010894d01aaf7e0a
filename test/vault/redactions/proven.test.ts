import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { envelope } from '../../support/envelopes.js';
import type { Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, type People, peopleOf } from './redaction-kit.js';

const SECRET = 'Wilhelmina';

let service: WholeService;
let database: Database;
let rows: Collection<Document>;
let all: People;

beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('event_redactions');
  all = await peopleOf(service.operator);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

async function eventIn(http: Http, name: string): Promise<string> {
  const payload = { rationale: `Seen by ${SECRET} Testperson`, note: 'stays' };
  return (await http.post('/v1/events', { ...envelope(name), member_id: `M-${name}`, payload })).json.event_id;
}

async function redacted(name: string): Promise<{ readonly id: string; readonly row: Document }> {
  const id = await eventIn(all.clerk, name);
  const done = await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale'] });
  expect(done.json.status).toBe('APPLIED');
  const row = await rows.findOne({ '_id.event_id': id });
  if (!row) throw new Error('no row');
  return { id, row };
}

/** Every read that shows events of one member. */
const readsOf = (id: string, name: string): string[] => [
  `/v1/events/${id}`,
  `/v1/events?member_id=M-${name}`,
  `/v1/members/M-${name}/timeline`,
];

describe('an applied redaction of an event', () => {
  it('still applies when someone removes its row, and the row is written again', async () => {
    const { id, row } = await redacted('one');
    await rows.deleteOne({ '_id.event_id': id });
    for (const path of readsOf(id, 'one')) {
      const { text, status } = await all.reader.get(path);
      expect({ path, status, shown: text.includes(SECRET) }).toEqual({ path, status: 200, shown: false });
    }
    expect((await all.reader.get(`/v1/events/${id}`)).json).toMatchObject({ state: 'REDACTED' });
    expect(await rows.findOne({ '_id.event_id': id })).toEqual(row);
  });

  it.each([
    ['empties its pointers', { $set: { pointers: [] } }],
    ['replaces its pointers', { $set: { pointers: ['/payload/note'] } }],
    ['removes its pointers', { $unset: { pointers: true } }],
    ['replaces its pointers by null', { $set: { pointers: null } }],
    ['replaces its pointers by an object', { $set: { pointers: { forged: true } } }],
    ['names another redaction', { $set: { redaction_id: 'rdx_01JQ0000000000000000000009' } }],
    ['changes its ordinal', { $set: { ordinal: 99 } }],
    ['removes its fact', { $unset: { fact: true } }],
    ['replaces its fact by a text', { $set: { fact: 'forged' } }],
    ['names a fact that the ledger does not have', { $set: { 'fact.seq': 9_999 } }],
  ])('fails every read when someone %s', async (label, change) => {
    const name = label.replaceAll(' ', '-');
    const { id } = await redacted(name);
    await rows.updateOne({ '_id.event_id': id }, change);
    for (const path of readsOf(id, name)) {
      const { text, status } = await all.reader.get(path);
      expect({ path, status, shown: text.includes(SECRET) }).toEqual({ path, status: 500, shown: false });
    }
    expect((await all.reader.get(`/v1/events/${id}`)).json.code).toBe('INTEGRITY_FAILURE');
    const custody = await all.clerk.get(`/v1/custody?action=INTEGRITY_FAILURE&subject_kind=EVENT&subject_id=${id}`);
    expect(custody.json.items.length).toBeGreaterThan(0);
  });
});

describe('a row of a redaction without an order', () => {
  it('fails the read of its event instead of hiding fields', async () => {
    const id = await eventIn(all.clerk, 'forged');
    const { row } = await redacted('whole');
    await rows.insertOne({ ...row, _id: { ...row['_id'], event_id: id } as never });
    expect((await all.reader.get(`/v1/events/${id}`)).json.code).toBe('INTEGRITY_FAILURE');
  });
});
