import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Database } from '../../../shared/db/database.js';
import { type SegmentContent, sealIsSigned } from '../../../subgraphs/ledger/integrity/domain/seal-manifest.js';
import { shareOf } from '../../../subgraphs/ledger/integrity/scrub-worm.js';
import { type Evidence, evidenceLogId, openEvidence } from '../../ledger/integrity/evidence-kit.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';
import { type Beneath, dropFolder, WORM_DRIVERS, type WormPlace } from './drivers.js';

const SEGMENT_RECORDS = 10;
const FULL_AFTER = 8;
const HOUR_MS = 3_600_000;
/** Length of a cycle of the scrub. */
const SCRUB_CYCLE_MS = 72 * HOUR_MS;

let server: TestServer;
let database: Database;
let evidence: Evidence;
let beneath: Beneath;
let wormFolder: WormPlace = null;
let nextTenant = 0;

const fresh = (): string => `kept-${nextTenant++}`;
const worm = () => database.connection.getClient().db(`${database.db.databaseName}_worm`);
const toldTo = (tenant: string) => evidence.exceptions.filter(({ tenantId }) => tenantId === tenant);
const clear = (): void => void evidence.exceptions.splice(0);

interface Segment {
  readonly _id: string;
  readonly state: string;
  readonly seal?: SegmentContent & { readonly signing_key_id: string; readonly signature: string };
}

const segmentsOf = (tenant: string): Promise<Segment[]> =>
  worm()
    .collection<Segment>('worm_segments')
    .find({ log_id: evidenceLogId(tenant) })
    .sort({ _id: 1 })
    .toArray();

const scrubRow = (tenant: string) =>
  database.db.collection<{ _id: string; [member: string]: unknown }>('ledger_scrubs').findOne({ _id: tenant });

/** A tenant with full, idle first segments. */
async function withFullSegments(count = 20): Promise<string> {
  const tenant = fresh();
  for (let n = 0; n < count; n += 4) await evidence.events(tenant, 4, 'um-core', n);
  evidence.clock.advance(HOUR_MS);
  return tenant;
}

/** RFC 6962, written down again: the tree over hashes in ascending order. */
function rootOver(leaves: readonly string[]): string {
  const h = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const root = (list: readonly Buffer[]): Buffer => {
    if (list.length === 1) return h(Buffer.of(0), list[0] ?? Buffer.alloc(0));
    let split = 1;
    while (split * 2 < list.length) split *= 2;
    return h(Buffer.of(1), root(list.slice(0, split)), root(list.slice(split)));
  };
  return root([...leaves].sort().map((leaf) => Buffer.from(leaf, 'hex'))).toString('hex');
}

describe.each(WORM_DRIVERS)('on $name:', (driver) => {
  beforeAll(async () => {
    server = await startTestServer();
    database = await server.connect('upkeep');
    wormFolder = await driver.folder();
    beneath = driver.beneath(database, wormFolder);
    evidence = await openEvidence(database, { segmentRecords: SEGMENT_RECORDS, wormFolder });
  });

  afterAll(async () => {
    await evidence.close();
    await server.stop();
    await dropFolder(wormFolder);
  });

  describe('a full segment', () => {
    it('is sealed when idle, with its contents listed, signed, chained, and once', async () => {
      const tenant = await withFullSegments();
      const full = (await segmentsOf(tenant)).filter(({ state }) => state === 'FULL');
      expect(full.length).toBeGreaterThanOrEqual(2);
      expect(await evidence.seal(tenant)).toBe(full.length);
      expect(await evidence.seal(tenant)).toBe(0);
      const sealed = (await segmentsOf(tenant)).filter(({ state }) => state === 'SEALED');
      expect(sealed.map(({ _id }) => _id)).toEqual(full.map(({ _id }) => _id));
      let before: string | null = null;
      for (const { _id, seal } of sealed) {
        if (!seal) throw new Error('a sealed segment without its seal');
        const held = await beneath.records(_id);
        const names = held.map((record) => record._id).sort();
        expect(seal).toMatchObject({
          count: held.length,
          first: names[0],
          last: names.at(-1),
          prev_segment_root: before,
        });
        expect(seal.bytes).toBe(held.reduce((sum, { bytes }) => sum + bytes.length, 0));
        expect(seal.merkle_root).toBe(rootOver(names));
        const key = await evidence.keys.publicKey(seal.signing_key_id);
        expect(sealIsSigned(_id, seal, key.public_key)).toBe(true);
        expect(sealIsSigned(`${_id}x`, seal, key.public_key)).toBe(false);
        before = seal.merkle_root;
      }
      const entries = await database.db
        .collection('ledger')
        .find({ tenant_id: tenant, source_system: '_system' })
        .toArray();
      expect(entries).toHaveLength(full.length);
      expect(await evidence.verify(tenant)).toMatchObject({ valid: true, breaks: [] });
    });

    it('stays open while its room may still be used, or while it is open', async () => {
      const tenant = fresh();
      for (let n = 0; n < FULL_AFTER * 2; n += 4) await evidence.events(tenant, 4, 'um-core', n);
      evidence.clock.advance(20 * 60_000);
      expect(await evidence.seal(tenant)).toBe(0);
      evidence.clock.advance(HOUR_MS);
      expect(await evidence.seal(tenant)).toBeGreaterThan(0);
      const states = (await segmentsOf(tenant)).map(({ state }) => state);
      expect(states.at(-1)).toBe('OPEN');
    });

    it('of a past quarter is sealed, however little it holds', async () => {
      const clock = new ManualClock('2026-03-31T23:00:00.000Z');
      const old = await openEvidence(database, {
        clock,
        segmentRecords: SEGMENT_RECORDS,
        keys: evidence.keys,
        wormFolder,
      });
      const tenant = fresh();
      await old.events(tenant, 3);
      clock.advance(2 * HOUR_MS);
      expect(await old.seal(tenant)).toBe(0);
      clock.advance(HOUR_MS);
      expect(await old.seal(tenant)).toBe(2);
      const [first, second] = await segmentsOf(tenant);
      expect(first?.seal).toMatchObject({ count: 3, prev_segment_root: null });
      expect(second?.seal).toMatchObject({ count: 0, first: null, prev_segment_root: first?.seal?.merkle_root });
      expect(await old.verify(tenant)).toMatchObject({ valid: true });
      await old.close();
    });

    it('that is changed after its sealing is reported by verification', async () => {
      const tenant = await withFullSegments();
      await evidence.seal(tenant);
      const [segment] = await segmentsOf(tenant);
      const name = segment?._id ?? '';
      const stray = Buffer.from('a stray record');
      await beneath.add(name, { _id: sha256Hex(stray), bytes: stray });
      const { breaks } = await evidence.verify(tenant);
      expect(breaks.map(({ kind }) => kind)).toEqual(['SEGMENT_MISMATCH']);
      expect(breaks[0]?.detail).toContain(name);
      await worm()
        .collection<Segment>('worm_segments')
        .updateOne({ _id: name }, { $set: { 'seal.count': 9 } });
      expect((await evidence.verify(tenant)).breaks).toHaveLength(2);
    });

    it('with a forged signature on its seal is reported', async () => {
      const tenant = await withFullSegments();
      const forged = await openEvidence(database, {
        wormFolder,
        clock: evidence.clock,
        keys: Object.assign(Object.create(evidence.keys) as typeof evidence.keys, {
          activeKey: evidence.keys.activeKey.bind(evidence.keys),
          sign: async () => Buffer.alloc(64, 1),
        }),
      });
      await forged.seal(tenant);
      const { breaks } = await evidence.verify(tenant);
      expect(new Set(breaks.map(({ kind }) => kind))).toEqual(new Set(['SEGMENT_SIGNATURE']));
      await forged.close();
    });
  });

  describe('the scrub', () => {
    it('reads everything, finds no fault in sound data, and pauses until the next cycle', async () => {
      const tenant = await withFullSegments(12);
      await evidence.seal(tenant);
      evidence.clock.advance(HOUR_MS);
      await evidence.scrub(tenant);
      const row = await scrubRow(tenant);
      const held = await Promise.all((await segmentsOf(tenant)).map(({ _id }) => beneath.records(_id)));
      const all = held.reduce((sum, { length }) => sum + length, 0);
      expect(row).toMatchObject({ cycle: 1, place: null, counts: { records: all, damaged: 0, unexplained: 0 } });
      expect(toldTo(tenant)).toEqual([]);
      await evidence.scrub(tenant);
      expect(await scrubRow(tenant)).toMatchObject({ cycle: 1, version: row?.['version'] });
      evidence.clock.advance(SCRUB_CYCLE_MS);
      await evidence.scrub(tenant);
      expect(await scrubRow(tenant)).toMatchObject({ cycle: 2, place: null });
    });

    it('reports a flipped bit, and a sealed segment that lacks a record', async () => {
      const tenant = await withFullSegments(12);
      await evidence.seal(tenant);
      const [first] = await segmentsOf(tenant);
      const [flipped, gone] = await beneath.records(first?._id ?? '');
      const bytes = Buffer.from(flipped?.bytes ?? []);
      bytes[3] = (bytes[3] ?? 0) ^ 2;
      await beneath.replace(first?._id ?? '', flipped?._id ?? '', bytes);
      clear();
      await evidence.scrub(tenant);
      expect(toldTo(tenant)).toMatchObject([
        { kind: 'WORM_MISMATCH', subject: { kind: 'WORM_RECORD', id: flipped?._id } },
      ]);
      await beneath.remove(first?._id ?? '', gone?._id ?? '');
      clear();
      evidence.clock.advance(SCRUB_CYCLE_MS);
      await evidence.scrub(tenant);
      expect(toldTo(tenant)).toMatchObject([
        { subject: { kind: 'WORM_RECORD', id: flipped?._id } },
        {
          kind: 'WORM_MISMATCH',
          subject: { kind: 'WORM_SEGMENT', id: first?._id },
          detail: { compared: expect.anything() },
        },
      ]);
      expect((await scrubRow(tenant))?.['finished']).toMatchObject({ damaged: 2 });
    });

    it('counts an unexplained record, and keeps it', async () => {
      const tenant = fresh();
      await evidence.events(tenant, 3);
      evidence.clock.advance(HOUR_MS);
      const store = (await segmentsOf(tenant))[0]?._id ?? '';
      const stray = Buffer.from(
        '{"event_id":"evt_01JQ0000000000000000000001","received_at":"2026-01-01T00:00:00.000Z"}',
      );
      await beneath.add(store, { _id: sha256Hex(stray), bytes: stray });
      await evidence.scrub(tenant);
      expect((await scrubRow(tenant))?.['finished']).toMatchObject({ records: 4, damaged: 0, unexplained: 1 });
      expect(toldTo(tenant)).toEqual([]);
    });

    it('paces itself so that a cycle ends in time, for any amount of data', () => {
      const row = {
        version: 1,
        cycle: 1,
        cycle_started_at: new Date(0),
        planned_bytes: 1e12,
        place: null,
        counts: { records: 0, blobs: 0, bytes: 0, damaged: 0, unexplained: 0 },
        finished: null,
        first_started_at: new Date(0),
      };
      let bytes = 0;
      let runs = 0;
      for (let now = 0; bytes < row.planned_bytes; now += 60_000) {
        bytes += shareOf({ ...row, counts: { ...row.counts, bytes } }, now, 60_000);
        runs++;
      }
      expect(runs * 60_000).toBeLessThanOrEqual(SCRUB_CYCLE_MS);
    });
  });

  describe('reconciliation', () => {
    it('restores a missing copy, and reports the number', async () => {
      const tenant = fresh();
      await evidence.events(tenant, 5);
      evidence.clock.advance(HOUR_MS);
      const segment = (await segmentsOf(tenant))[0]?._id ?? '';
      const [lost] = await beneath.records(segment);
      await beneath.remove(segment, lost?._id ?? '');
      await evidence.reconcile(tenant);
      expect(await beneath.records(segment)).toHaveLength(5);
      expect(toldTo(tenant)).toEqual([]);
      expect(await database.db.collection('ledger_reconciled').findOne({ '_id.tenant_id': tenant })).toMatchObject({
        repaired: 1,
        next_seq: 6,
      });
      expect(await evidence.verify(tenant)).toMatchObject({ valid: true });
    });

    it('reports a copy that cannot be restored, a missing entry, a broken link, a wrong leaf and a truncated end', async () => {
      const rows = database.db.collection<{ _id: unknown }>('ledger');
      const idOf = (tenant: string, seq: number) => ({ tenant_id: tenant, source_system: 'um-core', seq });
      const record = Buffer.from('{"forged":true}');
      const forged = { record, worm_sha256: sha256Hex(record) };
      const cases: [string, (tenant: string) => Promise<unknown>, { kind: string; id: unknown }][] = [
        [
          'copy',
          async (tenant) => {
            const row = await rows.findOne({ _id: idOf(tenant, 2) });
            const { worm_sha256 } = row as never as { worm_sha256: string };
            await beneath.remove((await segmentsOf(tenant))[0]?._id ?? '', worm_sha256);
            await rows.updateOne({ _id: idOf(tenant, 2) }, { $set: { record: Buffer.from('{}') } });
          },
          { kind: 'WORM_MISSING', id: expect.any(String) },
        ],
        [
          'record',
          (tenant) => rows.updateOne({ _id: idOf(tenant, 5) }, { $set: { record: Buffer.from('{}') } }),
          { kind: 'CHAIN_BREAK', id: 'um-core/5' },
        ],
        [
          'record and its name',
          (tenant) => rows.updateOne({ _id: idOf(tenant, 5) }, { $set: forged }),
          { kind: 'CHAIN_BREAK', id: 'um-core/5' },
        ],
        ['entry', (tenant) => rows.deleteOne({ _id: idOf(tenant, 3) }), { kind: 'SEQUENCE_GAP', id: 'um-core/3' }],
        [
          'link',
          (tenant) => rows.updateOne({ _id: idOf(tenant, 4) }, { $set: { prev_hash: 'a'.repeat(64) } }),
          { kind: 'CHAIN_BREAK', id: 'um-core/4' },
        ],
        [
          'leaf',
          (tenant) =>
            database.db
              .collection('ledger_tree')
              .updateOne({ tenant_id: tenant, seq: 2 }, { $set: { entry_hash: Buffer.alloc(32, 9) } }),
          { kind: 'CHAIN_BREAK', id: 'um-core/2' },
        ],
        ['end', (tenant) => rows.deleteOne({ _id: idOf(tenant, 6) }), { kind: 'SEQUENCE_GAP', id: 'um-core/6' }],
      ];
      for (const [name, harm, found] of cases) {
        const tenant = fresh();
        await evidence.events(tenant, 6);
        await evidence.checkpoint(tenant);
        evidence.clock.advance(HOUR_MS);
        await harm(tenant);
        clear();
        await evidence.reconcile(tenant);
        expect({ name, told: toldTo(tenant).map(({ kind, subject }) => ({ kind, id: subject['id'] })) }).toEqual({
          name,
          told: expect.arrayContaining([found]),
        });
        // The scrub does not report the same finding each minute.
        clear();
        await evidence.reconcile(tenant);
        expect(toldTo(tenant)).toEqual([]);
        // Reconciliation does not copy forged bytes over the recorded ones.
        const [segment] = await segmentsOf(tenant);
        const names = (await beneath.records(segment?._id ?? '')).map(({ _id }) => _id);
        expect(names).not.toContain(forged.worm_sha256);
      }
    });
  });
});
