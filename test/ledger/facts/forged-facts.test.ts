import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { entryHash } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type LedgerRow, queryFieldsOf } from '../../../subgraphs/ledger/append/domain/index.js';
import { Acts, startTestServer, type TestServer, YEAR_MS } from '../../vault/retention/retention-kit.js';
import { StatesProcess } from '../integrity/states-kit.js';

// Someone with the driver alone appends an entry to a chain. Every hash of it is right; the tenant's key is missing.

let server: TestServer;
let states: StatesProcess;

beforeAll(async () => {
  server = await startTestServer();
  states = await StatesProcess.open(server);
});

afterAll(async () => {
  await states.close();
  await server.stop();
});

/** Appends a fact of the same subject after its latest fact, with a valid record, commitment, link and entry hash. */
async function appendForged(tenant: string, row: LedgerRow, state: JsonObject, duplicate_key: string): Promise<void> {
  const rows: Collection<LedgerRow & Document> = states.rows('ledger') as never;
  const chain = { tenant_id: tenant, '_id.source_system': row._id.source_system };
  const [head] = await rows.find(chain, { sort: { _id: -1 }, limit: 1 }).toArray();
  if (head === undefined) throw new Error('no chain');
  const known = JSON.parse(String(row.record));
  const event_id = 'evt_01JQ0000000000000000000999';
  const payload = { ...known.payload, action: 'release', previous: row.entry_hash, state };
  const members = { ...known, event_id, event_type: 'hold.released', payload };
  const { text, leaves } = rebuildRecord(members);
  const [record, seed] = [Buffer.from(text), Buffer.alloc(32, 5)];
  const made = new Committer().commit(seed, record, leaves);
  const _id = { ...row._id, seq: head._id.seq + 1 };
  const header = {
    commit: made.commit,
    fields: made.fields,
    event_id,
    member_tag: row.member_tag,
    prev: head.entry_hash,
  };
  const entry_hash = entryHash({ ...header, recorded_at: head.recorded_at.toISOString(), ..._id });
  await rows.insertOne({
    ...{ ...row, ...made, _id, event_id, record, seed, entry_hash, duplicate_key },
    recorded_at: head.recorded_at,
    prev_hash: head.entry_hash,
    fact_key: `${known.source_record_id}\u0000${row.entry_hash}`,
    query: queryFieldsOf(members),
  } as never);
}

describe('a fact that was appended without the key of the tenant', () => {
  it.each([
    ['a key of its own', 'f'.repeat(64)],
    ['no text as its key', 7 as never],
  ])('releases no hold and is named by verification: %s', async (_, key) => {
    const acts = new Acts(states.vault, await states.tenant());
    const [event_id = ''] = await acts.ingest([1], { member_id: 'M-1' });
    const id = await acts.hold({ member_ids: ['M-1'] });
    expect(await acts.readHold(id)).toMatchObject({ status: 'ACTIVE' });
    const rows: Collection<LedgerRow & Document> = states.vault.database.db.collection('ledger', {
      promoteBuffers: true,
    });
    const row = await rows.findOne({ tenant_id: acts.tenant, fact_key: `hold/${id}\u0000first` });
    if (row === null) throw new Error('no fact');
    const { state } = JSON.parse(String(row.record)).payload;
    await appendForged(acts.tenant, row, { ...state, status: 'RELEASED' }, key);
    await expect(acts.readHold(id)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    const { breaks } = await acts.verify();
    const kinds = breaks.map(({ kind }) => kind);
    expect(kinds).toContain(typeof key === 'string' ? 'DUPLICATE_KEY_MISMATCH' : 'ROW_MALFORMED');
    // The event is due, and the sweep must not take the hold for released.
    states.vault.clock.advance(12 * YEAR_MS);
    await expect(acts.sweep()).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    expect(await acts.stateOf(event_id)).toBe('INCLUDED');
  });
});
