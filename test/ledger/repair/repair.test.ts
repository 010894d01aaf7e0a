import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Database } from '../../../shared/db/database.js';
import { entryHash } from '../../../shared/evidence/chain.js';
import { type Beneath, dropFolder, WORM_DRIVERS, type WormPlace } from '../../shared/worm/drivers.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { type Evidence, evidenceLogId, openEvidence } from '../integrity/evidence-kit.js';

// Someone removes or edits stored data, and an operator restores it. Only a signed checkpoint lets the repair write.

interface Place {
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
}

type Row = Document & { readonly _id: Place };

const ENTRIES = 8;
const HOUR_MS = 3_600_000;

describe.each(WORM_DRIVERS)('ledger:repair over $name', ({ folder: folderOf, beneath: beneathOf }) => {
  let server: TestServer;
  let database: Database;
  let evidence: Evidence;
  let beneath: Beneath;
  let folder: WormPlace = null;
  let nextTenant = 0;

  beforeAll(async () => {
    server = await startTestServer();
    database = await server.connect('repair');
    folder = await folderOf();
    evidence = await openEvidence(database, { wormFolder: folder });
    beneath = beneathOf(database, folder);
  });

  afterAll(async () => {
    await evidence.close();
    await server.stop();
    await dropFolder(folder);
  });

  const rows = () => database.db.collection<Row>('ledger');
  const idOf = (tenant_id: string, seq: number, source_system = 'um-core') => ({ tenant_id, source_system, seq });

  /** A tenant with a chain of eight entries, recorded a second apart and under a checkpoint. */
  async function kept(): Promise<string> {
    const tenant = `repaired-${nextTenant++}`;
    for (let n = 0; n < ENTRIES; n++) {
      await evidence.events(tenant, 1, 'um-core', n);
      evidence.clock.advance(1_337);
    }
    await evidence.checkpoint(tenant);
    evidence.clock.advance(HOUR_MS);
    return tenant;
  }

  async function row(tenant: string, seq: number): Promise<Row> {
    const found = await rows().findOne({ _id: idOf(tenant, seq) });
    if (!found) throw new Error('no such row');
    return found;
  }

  async function removed(tenant: string, ...sequences: readonly number[]): Promise<readonly Row[]> {
    const found: Row[] = [];
    for (const seq of sequences) found.push(await row(tenant, seq));
    await rows().deleteMany({ _id: { $in: sequences.map((seq) => idOf(tenant, seq)) } });
    return found;
  }

  const kindsOf = async (tenant: string) => [
    ...new Set((await evidence.verify(tenant)).breaks.map(({ kind }) => kind)),
  ];

  const outcomes = (lines: Awaited<ReturnType<Evidence['repair']>>) =>
    lines.map(({ seq, outcome, from, missing, why }) => ({ seq, outcome, from, missing, why }));

  /** The restored row has the bytes of the lost one, the ledger verifies, and nothing is left to do. */
  async function expectWhole(tenant: string, lost: readonly Row[]): Promise<void> {
    for (const before of lost) expect(await row(tenant, before._id.seq)).toEqual(before);
    expect(await evidence.verify(tenant)).toMatchObject({ valid: true, breaks: [] });
    expect(await evidence.repair(tenant)).toEqual([]);
  }

  const entriesOf = async (tenant: string, chain = '_system') => {
    const found = await rows()
      .find({ tenant_id: tenant, source_system: chain, 'query.event_type': 'record.restored' })
      .sort({ _id: 1 })
      .toArray();
    return found.map(({ record }) => JSON.parse(Buffer.from(record.buffer).toString('utf8')).payload);
  };

  const segmentOf = async (tenant: string): Promise<string> => {
    const db = database.connection.getClient().db(`${database.db.databaseName}_worm`);
    const segments = db.collection<{ _id: string }>('worm_segments').find({ log_id: evidenceLogId(tenant) });
    const [first] = await segments.sort({ _id: 1 }).toArray();
    return first?._id ?? '';
  };

  it('restores a removed row from the write-once store, byte for byte, and says so in an entry', async () => {
    const tenant = await kept();
    const lost = await removed(tenant, 4);
    expect(await kindsOf(tenant)).toEqual(['SEQUENCE_GAP']);
    const lines = await evidence.repair(tenant, { reason: 'removed by mistake' });
    expect(outcomes(lines)).toEqual([{ seq: 4, outcome: 'RESTORED', from: 'WORM', missing: ['row'], why: null }]);
    await expectWhole(tenant, lost);
    expect(await entriesOf(tenant)).toEqual([
      {
        event_id: lost[0]?.['event_id'],
        source_system: 'um-core',
        sequence: 4,
        from: 'WORM',
        missing: ['row'],
        reason: 'removed by mistake',
        actor: { type: 'ACTOR', id: 'operator:ada' },
      },
    ]);
  });

  it('restores three neighbouring rows, and the first row of a chain', async () => {
    const tenant = await kept();
    const lost = await removed(tenant, 1, 4, 5, 6);
    expect((await evidence.repair(tenant)).map(({ seq, outcome }) => ({ seq, outcome }))).toEqual(
      [1, 4, 5, 6].map((seq) => ({ seq, outcome: 'RESTORED' })),
    );
    await expectWhole(tenant, lost);
  });

  it('restores the cut end of a chain, and a whole chain', async () => {
    const tenant = await kept();
    const tail = await removed(tenant, 7, 8);
    await evidence.repair(tenant);
    await expectWhole(tenant, tail);
    const all = await removed(tenant, 1, 2, 3, 4, 5, 6, 7, 8);
    await evidence.repair(tenant);
    await expectWhole(tenant, all);
  });

  it('leaves a row whose leaf is gone too', async () => {
    const tenant = await kept();
    const [lost] = await removed(tenant, 4);
    await database.db.collection('ledger_tree').deleteOne({ tenant_id: tenant, source_system: 'um-core', seq: 4 });
    const lines = await evidence.repair(tenant);
    expect(outcomes(lines)).toEqual([{ seq: 4, outcome: 'LEFT', from: null, missing: ['row'], why: 'NOT_PROVEN' }]);
    expect(await rows().countDocuments({ _id: lost?._id as Place })).toBe(0);
  });

  it.each([
    ['a replaced record', { record: Buffer.from('{"forged":true}') }, 'WORM', ['record']],
    ['a removed record', { record: undefined }, 'WORM', ['record']],
    ['a removed seed', { seed: undefined }, 'LEDGER', ['seed']],
    [
      'another seed and time',
      { seed: Buffer.alloc(32, 1), recorded_at: new Date(0) },
      'LEDGER',
      ['recorded_at', 'seed'],
    ],
    ['edited query fields', { 'query.member_id': 'M-2', 'query.outcome': 'PAID' }, 'LEDGER', ['query']],
    ['edited keys', { fact_key: 'x', duplicate_key: 'y' }, 'LEDGER', ['duplicate_key', 'fact_key']],
    ['another name of its copy', { worm_sha256: 'a'.repeat(64) }, 'LEDGER', ['worm_sha256']],
    ['an edited header', { commit: 'b'.repeat(64), prev_hash: 'c'.repeat(64) }, 'LEDGER', ['commit', 'prev_hash']],
    [
      'a forged disposal',
      { record: undefined, seed: undefined, disposal_id: 'dsp_1' },
      'WORM',
      ['disposal_id', 'record', 'seed'],
    ],
    [
      'values of wrong types',
      { event_id: 7, record: null, recorded_at: 'now' },
      'WORM',
      ['event_id', 'record', 'recorded_at'],
    ],
  ] as const)('restores %s in place', async (_name, change, from, missing) => {
    const tenant = await kept();
    const before = await row(tenant, 3);
    const entries = Object.entries(change);
    const set = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    const unset = Object.fromEntries(entries.filter(([, value]) => value === undefined).map(([name]) => [name, '']));
    await rows().updateOne({ _id: before._id }, {
      ...(Object.keys(set).length > 0 ? { $set: set } : {}),
      ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}),
    } as Document);
    expect(await evidence.verify(tenant)).toMatchObject({ valid: false });
    expect(outcomes(await evidence.repair(tenant))).toEqual([
      { seq: 3, outcome: 'RESTORED', from, missing, why: null },
    ]);
    await expectWhole(tenant, [before]);
  });

  it('restores a wholly forged row with another hash', async () => {
    const tenant = await kept();
    const before = await row(tenant, 3);
    const other = await row(tenant, 5);
    const { record, seed, worm_sha256, commit, fields } = other;
    const { event_id, recorded_at, member_tag, prev_hash: prev } = before as Document;
    const entry_hash = entryHash({
      commit,
      fields,
      member_tag,
      event_id,
      prev,
      recorded_at: recorded_at.toISOString(),
      ...before._id,
    });
    const forged = { record, seed, worm_sha256, commit, fields, entry_hash };
    await rows().updateOne({ _id: before._id }, { $set: forged as Document });
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 3, outcome: 'RESTORED' }]);
    await expectWhole(tenant, [before]);
  });

  it('stores a missing write-once copy again, with its seed', async () => {
    const tenant = await kept();
    const { worm_sha256, seed } = await row(tenant, 2);
    const segment = await segmentOf(tenant);
    await beneath.remove(segment, worm_sha256);
    expect(await kindsOf(tenant)).toEqual(['WORM_MISSING']);
    const line = { seq: 2, outcome: 'RESTORED', from: 'LEDGER', missing: ['worm'], why: null };
    expect(outcomes(await evidence.repair(tenant))).toEqual([line]);
    await expectWhole(tenant, []);
    const copies = (await beneath.records(segment)).filter(({ _id }) => _id === worm_sha256);
    expect(copies).toHaveLength(1);
    await removed(tenant, 2);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 2, outcome: 'RESTORED', from: 'WORM' }]);
    expect(Buffer.from((await row(tenant, 2))['seed'].buffer)).toEqual(Buffer.from(seed.buffer));
  });

  it('stores a damaged write-once copy again in another segment, which reads and verification prefer', async () => {
    const tenant = await kept();
    const { worm_sha256 } = await row(tenant, 2);
    const segment = await segmentOf(tenant);
    const forged = Buffer.from('{"forged":true}');
    await beneath.replace(segment, worm_sha256, forged);
    expect(await kindsOf(tenant)).toEqual(['WORM_MISMATCH']);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 2, outcome: 'RESTORED', missing: ['worm'] }]);
    await expectWhole(tenant, []);
    // The old segment keeps its content.
    const held = (await beneath.records(segment)).find(({ _id }) => _id === worm_sha256);
    expect(held === undefined || held.bytes.equals(forged)).toBe(true);
  });

  it('leaves a row without both copies, and names it', async () => {
    const tenant = await kept();
    const { worm_sha256 } = await row(tenant, 4);
    await removed(tenant, 4);
    await beneath.remove(await segmentOf(tenant), worm_sha256);
    const left = { seq: 4, outcome: 'LEFT', from: null, missing: ['row'], why: 'NO_RECORD' };
    expect(outcomes(await evidence.repair(tenant))).toEqual([left]);
    expect(await entriesOf(tenant)).toEqual([]);
  });

  it('restores an event next to one that is lost for ever', async () => {
    const tenant = await kept();
    const { worm_sha256 } = await row(tenant, 4);
    const [, lost] = await removed(tenant, 4, 6);
    await beneath.remove(await segmentOf(tenant), worm_sha256);
    expect(await evidence.repair(tenant)).toMatchObject([
      { seq: 4, outcome: 'LEFT', why: 'NO_RECORD' },
      { seq: 6, outcome: 'RESTORED' },
    ]);
    expect(await row(tenant, 6)).toEqual(lost);
  });

  it('leaves a row whose write-once copy has no seed', async () => {
    const tenant = await kept();
    const { worm_sha256, record } = await row(tenant, 4);
    const segment = await segmentOf(tenant);
    await removed(tenant, 4);
    await beneath.remove(segment, worm_sha256);
    await beneath.add(segment, { _id: worm_sha256, bytes: Buffer.from(record.buffer) });
    const left = { seq: 4, outcome: 'LEFT', from: null, missing: ['row'], why: 'NO_SEED' };
    expect(outcomes(await evidence.repair(tenant))).toEqual([left]);
  });

  it('refuses a forged record that someone put into the write-once store for the gap', async () => {
    const tenant = await kept();
    const { worm_sha256, record, seed } = await row(tenant, 4);
    const segment = await segmentOf(tenant);
    await removed(tenant, 4);
    await beneath.remove(segment, worm_sha256);
    const text = Buffer.from(record.buffer).toString('utf8').replace('DENIED', 'APPROVED');
    const bytes = Buffer.from(text.includes('APPROVED') ? text : text.replace('"M-', '"N-'));
    expect(sha256Hex(bytes)).not.toBe(worm_sha256);
    await beneath.add(segment, { _id: sha256Hex(bytes), bytes, seed: Buffer.from(seed.buffer) });
    const left = { seq: 4, outcome: 'LEFT', from: null, missing: ['row'], why: 'NO_RECORD' };
    expect(outcomes(await evidence.repair(tenant))).toEqual([left]);
    expect(await rows().countDocuments({ _id: idOf(tenant, 4) })).toBe(0);
    expect(await entriesOf(tenant)).toEqual([]);
  });

  it('leaves a row that no signed checkpoint proves', async () => {
    const tenant = `repaired-${nextTenant++}`;
    await evidence.events(tenant, ENTRIES);
    evidence.clock.advance(HOUR_MS);
    const before = await row(tenant, 3);
    await rows().updateOne({ _id: before._id }, { $set: { 'query.member_id': 'M-9' } });
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 3, outcome: 'LEFT', why: 'NOT_PROVEN' }]);
    await evidence.checkpoint(tenant);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 3, outcome: 'RESTORED' }]);
    await expectWhole(tenant, [before]);
  });

  it('leaves an entry that took the place of a cut one', async () => {
    const tenant = await kept();
    await removed(tenant, 8);
    const other = await openEvidence(database, { wormFolder: folder, clock: evidence.clock, keys: evidence.keys });
    await other.events(tenant, 1, 'um-core', 100);
    await other.close();
    evidence.clock.advance(HOUR_MS);
    const taken = await row(tenant, 8);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 8, outcome: 'LEFT', why: 'OTHER_ENTRY' }]);
    expect(await row(tenant, 8)).toEqual(taken);
  });

  it('leaves a row whose envelope was sent again, and says nothing of a restoration', async () => {
    const tenant = await kept();
    await removed(tenant, 4);
    const other = await openEvidence(database, { wormFolder: folder, clock: evidence.clock, keys: evidence.keys });
    await other.events(tenant, 1, 'um-core', 3);
    await other.close();
    evidence.clock.advance(HOUR_MS);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 4, outcome: 'LEFT', why: 'PLACE_TAKEN' }]);
    expect(await entriesOf(tenant)).toEqual([]);
  });

  it('restores no event while a lost end of a chain stays unexplained: it may be a disposal', async () => {
    const tenant = await kept();
    const { worm_sha256 } = await row(tenant, 8);
    await removed(tenant, 4, 8);
    await beneath.remove(await segmentOf(tenant), worm_sha256);
    expect(await evidence.repair(tenant)).toMatchObject([
      { seq: 4, outcome: 'LEFT', why: 'END_LOST' },
      { seq: 8, outcome: 'LEFT', why: 'NO_RECORD' },
    ]);
    expect(await rows().countDocuments({ _id: idOf(tenant, 4) })).toBe(0);
  });

  it('without --apply writes nothing', async () => {
    const tenant = await kept();
    await removed(tenant, 4);
    const before = await rows().find({ tenant_id: tenant }).sort({ _id: 1 }).toArray();
    const lines = await evidence.repair(tenant, { isApplied: false });
    expect(outcomes(lines)).toEqual([{ seq: 4, outcome: 'RESTORABLE', from: 'WORM', missing: ['row'], why: null }]);
    expect(await rows().find({ tenant_id: tenant }).sort({ _id: 1 }).toArray()).toEqual(before);
    expect(await database.db.collection<{ _id: string }>('ledger_repairs').findOne({ _id: tenant })).toBeNull();
  });

  it('appends one entry although it was killed between the entry and the row', async () => {
    const tenant = await kept();
    const lost = await removed(tenant, 4, 5);
    let writes = 0;
    const crash = evidence.repair(tenant, {}, ({ repairs }) => ({
      repairs: {
        begin: (at, reason) => repairs.begin(at, reason),
        end: () => repairs.end(),
        rawOrigin: (sha256, id) => repairs.rawOrigin(sha256, id),
        replace: (stored, made) => repairs.replace(stored, made),
        insert: async (made) => {
          if (++writes === 2) throw new Error('killed');
          return repairs.insert(made);
        },
      },
    }));
    await expect(crash).rejects.toThrow('killed');
    evidence.clock.advance(HOUR_MS);
    expect(await evidence.repair(tenant)).toMatchObject([{ seq: 5, outcome: 'RESTORED' }]);
    await expectWhole(tenant, lost);
    expect((await entriesOf(tenant)).map(({ sequence }) => sequence)).toEqual([4, 5]);
    const [again] = await removed(tenant, 4);
    await evidence.repair(tenant);
    expect(await row(tenant, 4)).toEqual(again);
    expect((await entriesOf(tenant)).map(({ sequence }) => sequence)).toEqual([4, 5, 4]);
  });

  it('restores `_system` first, by an entry of `_platform`, and events after it', async () => {
    const tenant = await kept();
    await removed(tenant, 2);
    await evidence.repair(tenant);
    await evidence.checkpoint(tenant);
    evidence.clock.advance(HOUR_MS);
    const event = await removed(tenant, 3);
    const system = await rows().findOne({ _id: idOf(tenant, 1, '_system') });
    await rows().deleteOne({ _id: idOf(tenant, 1, '_system') });
    expect(await evidence.repair(tenant, { isApplied: false })).toMatchObject([
      { source_system: '_system', seq: 1, outcome: 'RESTORABLE' },
      { source_system: 'um-core', seq: 3, outcome: 'LEFT', why: 'ENTRY_CHAIN_CUT' },
    ]);
    await evidence.repair(tenant);
    expect(await rows().findOne({ _id: idOf(tenant, 1, '_system') })).toEqual(system);
    expect(await entriesOf(tenant, '_platform')).toMatchObject([{ source_system: '_system', sequence: 1 }]);
    await expectWhole(tenant, event);
  });
});
