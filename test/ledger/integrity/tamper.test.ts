import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document, Filter } from 'mongodb';
import type { Database } from '../../../shared/db/database.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { verifyConsistency } from '../../../shared/merkle/verify-proofs.js';
import { NOTE_SIGNATURE, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { mongoTreeStore } from '../../../subgraphs/ledger/transparency/model/tree-store.js';
import { StoredTiles } from '../../../subgraphs/ledger/transparency/tree-tiles.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { seeded } from '../../support/random.js';
import { type Evidence, evidenceLogId, openEvidence } from './evidence-kit.js';

// An attacker with every right on the database changes stored data; a verification must name the change and its place.

const ENTRIES = 8;
const HOUR_MS = 3_600_000;

let server: TestServer;
let database: Database;
let evidence: Evidence;
let nextTenant = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('tamper');
  evidence = await openEvidence(database);
});

afterAll(async () => {
  await evidence.close();
  await server.stop();
});

interface Place {
  readonly tenant_id: string;
  readonly source_system: string;
  readonly seq: number;
}

const rows = () => database.db.collection<Document & { _id: Place }>('ledger');
const wormDb = () => database.connection.getClient().db(`${database.db.databaseName}_worm`);
const idOf = (tenant_id: string, seq: number, source_system = 'um-core') => ({ tenant_id, source_system, seq });

const between = (tenant: string, from: number, to: number): Filter<Document & { _id: Place }> => ({
  _id: { $gte: idOf(tenant, from), $lte: idOf(tenant, to) },
});

/** A tenant with a chain of eight entries, in the tree and under a checkpoint. */
async function kept(): Promise<string> {
  const tenant = `tampered-${nextTenant++}`;
  await evidence.events(tenant, ENTRIES);
  await evidence.checkpoint(tenant);
  evidence.clock.advance(HOUR_MS);
  return tenant;
}

const kindsOf = async (tenant: string) => [...new Set((await evidence.verify(tenant)).breaks.map(({ kind }) => kind))];

async function row(tenant: string, seq: number): Promise<Document & { _id: Place }> {
  const found = await rows().findOne({ _id: idOf(tenant, seq) });
  if (!found) throw new Error('no such row');
  return found;
}

/** Another value of the same type, different in one bit or one letter. */
function changed(value: unknown): unknown {
  if (value instanceof Date) return new Date(value.getTime() ^ 1);
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
  const bytes = Buffer.from((value as { buffer: Uint8Array }).buffer);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

/** Every leaf of a document by its dotted path. */
function leavesOf(document: Document, prefix = ''): [string, unknown][] {
  return Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    const isGroup = value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
    return isGroup ? leavesOf(value as Document, `${prefix}${name}.`) : [[`${prefix}${name}`, value]];
  });
}

describe('a changed member of an entry', () => {
  it('is found for every member, and named with its place', async () => {
    const tenant = await kept();
    const before = await row(tenant, 4);
    const { _id, ...members } = before;
    const leaves = leavesOf(members).filter(([, value]) => value !== null && value !== undefined);
    expect(leaves.length).toBeGreaterThan(12);
    for (const [path, value] of leaves) {
      await rows().updateOne({ _id }, { $set: { [path]: changed(value) } });
      const { valid, breaks } = await evidence.verify(tenant);
      const seen = { path, valid, near: breaks.some(({ sequence }) => sequence === 4 || sequence === 5) };
      expect(seen).toEqual({ path, valid: false, near: true });
      await rows().replaceOne({ _id }, members);
    }
    expect(await evidence.verify(tenant)).toMatchObject({ valid: true });
  });

  it('is found at any bit of record, seed and hashes', async () => {
    const tenant = await kept();
    const { _id, record, seed } = await row(tenant, 2);
    const random = seeded(62);
    for (const [name, bytes] of [
      ['record', Buffer.from(record.buffer)],
      ['seed', Buffer.from(seed.buffer)],
    ] as const) {
      for (let n = 0; n < 24; n++) {
        const bit = Math.floor(random() * bytes.length * 8);
        const copy = Buffer.from(bytes);
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        await rows().updateOne({ _id }, { $set: { [name]: copy } });
        const { breaks } = await evidence.verify(tenant);
        expect({ name, bit, found: breaks.some(({ sequence }) => sequence === 2) }).toEqual({ name, bit, found: true });
      }
      await rows().updateOne({ _id }, { $set: { [name]: bytes } });
    }
    expect(await evidence.verify(tenant)).toMatchObject({ valid: true });
  });
});

describe('missing rows', () => {
  it('are named in the middle, at the start, at the end and at the end of a range', async () => {
    for (const gone of [1, 4, ENTRIES]) {
      const tenant = await kept();
      await rows().deleteOne({ _id: idOf(tenant, gone) });
      expect((await evidence.verify(tenant)).breaks).toContainEqual(
        expect.objectContaining({ kind: 'SEQUENCE_GAP', source_system: 'um-core', sequence: gone }),
      );
    }
    const tenant = await kept();
    await rows().deleteMany(between(tenant, 4, 6));
    const range = await evidence.verify(tenant, { source_system: 'um-core', from_sequence: 2, to_sequence: 6 });
    expect(range.breaks).toMatchObject([{ kind: 'SEQUENCE_GAP', sequence: 4 }]);
  });

  it('at the end are found by the tree, even if a whole chain is missing', async () => {
    const tenant = await kept();
    await rows().deleteMany(between(tenant, 6, 99));
    const cut = await evidence.verify(tenant);
    expect(cut.breaks).toMatchObject([{ kind: 'SEQUENCE_GAP', source_system: 'um-core', sequence: 6 }]);
    expect(cut.breaks[0]?.detail).toContain('cut off');
    await rows().deleteMany({ tenant_id: tenant });
    expect((await evidence.verify(tenant)).breaks).toMatchObject([{ kind: 'SEQUENCE_GAP', sequence: 1 }]);
  });

  it('at the end are found for one chain or a range, in either depth', async () => {
    const tenant = await kept();
    await rows().deleteMany(between(tenant, 6, 99));
    const gap = { kind: 'SEQUENCE_GAP', source_system: 'um-core', sequence: 6 };
    const ofChain = { source_system: 'um-core' };
    for (const input of [
      ofChain,
      { ...ofChain, depth: 'headers' },
      { from_sequence: 2 },
      { from_sequence: 3, to_sequence: 7 },
    ] as const) {
      expect((await evidence.verify(tenant, input)).breaks).toMatchObject([gap]);
    }
    expect((await evidence.verify(tenant, { ...ofChain, to_sequence: 5 })).breaks).toEqual([]);
    const beyond = { ...ofChain, from_sequence: 7 };
    expect((await evidence.verify(tenant, beyond)).breaks).toMatchObject([{ ...gap, sequence: 7 }]);
    await rows().deleteMany({ tenant_id: tenant });
    expect((await evidence.verify(tenant, ofChain)).breaks).toMatchObject([{ ...gap, sequence: 1 }]);
    await expect(evidence.verify(tenant, { source_system: 'never' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are found by the checkpoint if their leaves are missing too', async () => {
    const tenant = await kept();
    await rows().deleteMany(between(tenant, 6, 99));
    await database.db.collection('ledger_tree').deleteMany({ tenant_id: tenant, seq: { $gte: 6 } });
    expect(await kindsOf(tenant)).toEqual(['CHECKPOINT_MISMATCH']);
  });

  it('are found when rows are swapped', async () => {
    const tenant = await kept();
    const [{ _id: a, ...first }, { _id: b, ...second }] = [await row(tenant, 3), await row(tenant, 6)];
    await rows().deleteMany({ _id: { $in: [a, b] } });
    await rows().insertMany([
      { ...second, _id: a },
      { ...first, _id: b },
    ]);
    expect(await kindsOf(tenant)).toEqual(
      expect.arrayContaining(['LINK_MISMATCH', 'ENTRY_HASH_MISMATCH', 'TREE_MISMATCH']),
    );
  });
});

/** An attacker with the database, the keys and the service's code rewrites the history from entry 4 on. */
async function rewritten(tenant: string): Promise<void> {
  await rows().deleteMany(between(tenant, 4, 99));
  await database.db.collection('ledger_tree').deleteMany({ tenant_id: tenant });
  await database.db.collection('ledger_tiles').deleteMany({ '_id.tenant_id': tenant });
  await database.db.collection('ledger_tree_leases').deleteMany({ _id: tenant as never });
  for (const { name } of await database.db.listCollections({ name: /checkpoint/ }).toArray()) {
    await database.db.collection(name).deleteMany({ tenant_id: tenant });
  }
  const attacker = await openEvidence(database, { clock: evidence.clock, keys: evidence.keys });
  await attacker.events(tenant, ENTRIES - 3, 'um-core', 500);
  await attacker.checkpoint(tenant);
  await attacker.close();
}

describe('a rewritten history', () => {
  it('is consistent, and contradicts any checkpoint that was kept outside', async () => {
    const tenant = `rewritten-${nextTenant++}`;
    const outside = [];
    for (let from = 0; from < ENTRIES; from += 2) {
      await evidence.events(tenant, 2, 'um-core', from);
      outside.push(await evidence.checkpoint(tenant));
    }
    await rewritten(tenant);
    // Nothing inside tells: that is why checkpoints leave the machine (evidence.md section 6).
    expect(await evidence.verify(tenant)).toMatchObject({ valid: true });
    const tree = mongoTreeStore(database.db)(tenant);
    const view = new TreeView(new StoredTiles(tree, { tenantId: tenant, incarnation: 1 }, null));
    const latest = await tree.latestCheckpoint();
    if (!latest) throw new Error('no checkpoint');
    const root = (hex: string) => Buffer.from(hex, 'hex');
    for (const note of outside) {
      if (!note) throw new Error('no checkpoint');
      const { public_key } = await evidence.keys.publicKey(note.key_id);
      const key = noteKey(note.origin, NOTE_SIGNATURE, root(Buffer.from(public_key.x, 'base64url').toString('hex')));
      const trusted = openCheckpoint(note.note, { logKeys: [key], origin: note.origin });
      const proof = await view.consistencyProof(trusted.size, latest.tree_size);
      const claim = {
        first: trusted.size,
        firstRoot: trusted.root,
        second: latest.tree_size,
        secondRoot: root(latest.root_hash),
        proof,
      };
      // The first two entries were left as they were: a checkpoint over them alone still holds.
      expect({ size: trusted.size, consistent: verifyConsistency(claim) }).toEqual({
        size: trusted.size,
        consistent: trusted.size <= 3,
      });
    }
  });

  it('fails verification against a checkpoint from outside', async () => {
    const tenant = await kept();
    const known = await mongoTreeStore(database.db)(tenant).latestCheckpoint();
    if (!known) throw new Error('no checkpoint');
    const outside = { known_size: known.tree_size, known_root: known.root_hash };
    expect(await evidence.verify(tenant, outside)).toMatchObject({ valid: true, breaks: [] });
    await rewritten(tenant);
    expect((await evidence.verify(tenant, outside)).breaks).toMatchObject([
      { kind: 'CHECKPOINT_MISMATCH', detail: expect.stringContaining('given') },
    ]);
    expect((await evidence.verify(tenant, { ...outside, known_size: 99 })).breaks).toMatchObject([
      { kind: 'CHECKPOINT_MISMATCH', detail: expect.stringContaining('99') },
    ]);
  });

  it('is found by the leaves if a second branch replaces the middle', async () => {
    const tenant = await kept();
    const branch = await openEvidence(database, { clock: evidence.clock, keys: evidence.keys });
    const tail = await rows()
      .find(between(tenant, 5, 99))
      .toArray();
    await rows().deleteMany({ _id: { $in: tail.map(({ _id }) => _id) } });
    await branch.events(tenant, tail.length, 'um-core', 700);
    await branch.close();
    const { breaks } = await evidence.verify(tenant);
    const mismatched = breaks.filter(({ kind }) => kind === 'TREE_MISMATCH').map(({ sequence }) => sequence);
    expect(mismatched).toEqual(tail.map(({ _id }) => _id['seq']));
  });
});

describe('a checkpoint', () => {
  it('is named if its row or note was changed or removed', async () => {
    const checkpoints = database.db.collection<Document & { _id: string }>('ledger_checkpoints');
    const harms: [string, (tenant: string) => Promise<unknown>, string[]][] = [
      [
        'root',
        (tenant) => checkpoints.updateOne({ tenant_id: tenant, number: 1 }, { $set: { root_hash: 'ab'.repeat(32) } }),
        ['CHECKPOINT_MISMATCH'],
      ],
      [
        'size',
        (tenant) => checkpoints.updateOne({ tenant_id: tenant, number: 1 }, { $set: { tree_size: 1 } }),
        ['CHECKPOINT_MISMATCH'],
      ],
      [
        'key',
        (tenant) => checkpoints.updateOne({ tenant_id: tenant, number: 1 }, { $set: { key_id: 'none' } }),
        ['CHECKPOINT_SIGNATURE'],
      ],
      ['gone', (tenant) => checkpoints.deleteOne({ tenant_id: tenant, number: 1 }), ['CHECKPOINT_GAP']],
      [
        'note',
        async (tenant) => {
          const found = await checkpoints.findOne({ tenant_id: tenant, number: 1 });
          await checkpoints.updateOne(
            { _id: found?._id ?? '' },
            { $set: { note: String(found?.['note']).replace('\n4\n', '\n5\n') } },
          );
        },
        ['CHECKPOINT_SIGNATURE', 'CHECKPOINT_MISMATCH'],
      ],
    ];
    for (const [name, harm, kinds] of harms) {
      const tenant = `checkpoint-${nextTenant++}`;
      await evidence.events(tenant, 4);
      await evidence.checkpoint(tenant);
      await evidence.events(tenant, 4, 'um-core', 4);
      await evidence.checkpoint(tenant);
      expect(await evidence.verify(tenant)).toMatchObject({ valid: true });
      await harm(tenant);
      expect({ name, kinds: await kindsOf(tenant) }).toEqual({ name, kinds });
    }
  });

  it('is named if its write-once copy is missing', async () => {
    const tenant = await kept();
    const known = await mongoTreeStore(database.db)(tenant).latestCheckpoint();
    const [segment] = await wormDb()
      .collection<{ _id: string }>('worm_segments')
      .find({ log_id: evidenceLogId(tenant) })
      .toArray();
    await wormDb()
      .collection<{ _id: string }>(segment?._id ?? '')
      .deleteOne({ _id: known?.worm_sha256 ?? '' });
    expect(await kindsOf(tenant)).toEqual(['WORM_MISSING']);
  });
});

describe('a verification in many parts', () => {
  it('finds the same as one in few parts parts', async () => {
    const tenant = `parts-${nextTenant++}`;
    for (const source of ['a', 'b', 'c']) await evidence.events(tenant, 700, source);
    await evidence.checkpoint(tenant);
    await rows().deleteOne({ _id: idOf(tenant, 601, 'a') });
    await rows().updateOne({ _id: idOf(tenant, 640, 'b') }, { $set: { commit: 'c'.repeat(64) } });
    evidence.clock.advance(HOUR_MS);
    const small = await openEvidence(database, { clock: evidence.clock, keys: evidence.keys, partRows: 100 });
    const whole = await evidence.verify(tenant);
    expect(whole.checked).toBe(2099);
    expect(whole.breaks.length).toBeGreaterThan(2);
    expect(await small.verify(tenant)).toEqual(whole);
    const headers = await evidence.verify(tenant, { depth: 'headers' });
    expect(headers.breaks.map(({ kind, sequence }) => [kind, sequence])).toEqual([
      ['SEQUENCE_GAP', 601],
      ['ENTRY_HASH_MISMATCH', 640],
    ]);
    expect(headers.not_checked).toMatchObject([{ what: 'records, stored fields and write-once copies' }]);
    expect(await small.verify(tenant, { depth: 'headers' })).toEqual(headers);
    await small.close();
  });
});
