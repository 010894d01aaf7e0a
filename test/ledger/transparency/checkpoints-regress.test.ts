import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { parseCheckpoint } from '../../../shared/notes/checkpoint.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { SignedTree } from '../../../shared/signing/signer.js';
import { checkpointFiles } from '../../../subgraphs/ledger/transparency/adapters/checkpoint-files.js';
import { declareIncarnation } from '../../../subgraphs/ledger/transparency/declare-incarnation.js';
import { incarnationId } from '../../../subgraphs/ledger/transparency/model/checkpoint-store.js';
import type { CheckpointRow } from '../../../subgraphs/ledger/transparency/ports/tree-store.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { RecordingDesk } from '../../support/fakes.js';
import { logIdFor, NamedSigningKeys, openTrees, rootOfRows, type TreeKit } from './checkpoints-kit.js';

let server: TestServer;
let database: Database;
let kit: TreeKit;
let folder: string;
let nextTenant = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('regress');
  folder = await mkdtemp(join(tmpdir(), 'checkpoints-'));
  kit = await openTrees(database, { files: checkpointFiles(folder) });
});
afterAll(async () => {
  await kit.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const leaves = () => database.db.collection<{ _id: { tenant_id: string; tree_index: number } }>('ledger_tree');
const checkpoints = () =>
  database.db.collection<{ _id: string; tenant_id: string; number: number }>('ledger_checkpoints');
const ledger = () => database.db.collection<{ _id: { tenant_id: string } }>('ledger');
const fileOf = (tenantId: string, name: string, incarnation = 1): Promise<string> =>
  readFile(join(folder, logIdFor(tenantId), `inc-${incarnation}`, name), 'utf8');

/** A tenant with two published checkpoints, of 4 and 9 entries. */
async function publishedTenant(): Promise<{ tenant: TenantId; first: CheckpointRow; second: CheckpointRow }> {
  const tenant = `tenant-${nextTenant++}` as TenantId;
  await kit.append(tenant, 'a', 4);
  const first = await kit.keeper.force(tenant);
  await kit.append(tenant, 'a', 5);
  const second = await kit.keeper.force(tenant);
  if (!first || !second) throw new Error('nothing was published');
  return { tenant, first, second };
}

/** Grows the chain, and expects an exception and no new checkpoint. */
async function expectRefusal(tenant: TenantId, reason: string, grownBy = 3): Promise<void> {
  const before = await checkpoints().countDocuments({ tenant_id: tenant });
  if (grownBy > 0) await kit.append(tenant, 'a', grownBy);
  expect((await kit.keeper.turn(tenant, { force: true })).state).toBe('refused');
  expect(kit.opened.filter(({ tenantId }) => tenantId === tenant)).toMatchObject([
    { kind: 'CHECKPOINT_REGRESS', subject: { kind: 'LEDGER', id: 'inc-1' }, detail: { reason } },
  ]);
  // The keeper does not retry by itself at once; a caller gets the reason.
  expect((await kit.keeper.turn(tenant)).state).toBe('refused');
  await expect(kit.keeper.force(tenant)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await checkpoints().countDocuments({ tenant_id: tenant })).toBe(before);
}

describe('publishing is blocked', () => {
  it('if the tree is smaller than its last checkpoint, even without a new entry', async () => {
    const { tenant } = await publishedTenant();
    await leaves().deleteMany({ '_id.tenant_id': tenant, '_id.tree_index': { $gte: 7 } } as never);
    await ledger().deleteMany({ '_id.tenant_id': tenant, '_id.seq': { $gte: 8 } } as never);
    await expectRefusal(tenant, 'TREE_SMALLER', 0);
  });

  it('if a leaf was changed', async () => {
    const { tenant } = await publishedTenant();
    const leaf = { _id: { tenant_id: tenant, tree_index: 2 } };
    await leaves().updateOne(leaf, { $set: { entry_hash: Buffer.alloc(32, 1) } } as never);
    await expectRefusal(tenant, 'TREE_CHANGED');
  });

  it('if a leaf is missing', async () => {
    const { tenant } = await publishedTenant();
    await leaves().deleteOne({ _id: { tenant_id: tenant, tree_index: 2 } });
    await expectRefusal(tenant, 'TREE_DAMAGED');
  });

  it('if the last note does not verify, or its row differs', async () => {
    for (const change of [
      { note: 'nothing\n\n\u2014 x AAAAAAAA\n' },
      { tree_size: 8 },
      { root_hash: 'a'.repeat(64) },
    ]) {
      const { tenant, second } = await publishedTenant();
      await checkpoints().updateOne({ _id: second.checkpoint_id }, { $set: change } as never);
      await expectRefusal(tenant, 'LAST_NOTE_INVALID');
    }
  });

  it('if the whole database was restored to an earlier state, while a file remembers', async () => {
    const { tenant, second } = await publishedTenant();
    const setBack = async (): Promise<void> => {
      await leaves().deleteMany({ '_id.tenant_id': tenant, '_id.tree_index': { $gte: 4 } } as never);
      await ledger().deleteMany({ '_id.tenant_id': tenant, '_id.seq': { $gte: 5 } } as never);
      await checkpoints().deleteOne({ _id: second.checkpoint_id });
    };
    await setBack();
    await expectRefusal(tenant, 'TREE_SMALLER', 1);
    // With other entries, the longer chain still differs from the published one.
    await kit.append(tenant, 'other', 20);
    await expect(kit.keeper.force(tenant)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(kit.opened.at(-1)?.detail).toMatchObject({ reason: 'TREE_CHANGED' });
  });

  it('if the database was restored before the start, even without a new entry', async () => {
    const { tenant, second } = await publishedTenant();
    await leaves().deleteMany({ '_id.tenant_id': tenant, '_id.tree_index': { $gte: 4 } } as never);
    await ledger().deleteMany({ '_id.tenant_id': tenant, '_id.seq': { $gte: 5 } } as never);
    await checkpoints().deleteOne({ _id: second.checkpoint_id });
    // The process that knows the tree finds nothing new in it.
    expect((await kit.keeper.turn(tenant)).state).toBe('idle');
    const started = await openTrees(database, { files: checkpointFiles(folder) });
    expect((await started.keeper.turn(tenant)).state).toBe('refused');
    expect(started.opened.filter(({ tenantId }) => tenantId === tenant)).toMatchObject([
      { kind: 'CHECKPOINT_REGRESS', detail: { reason: 'TREE_SMALLER', tree_size: 4 } },
    ]);
    await started.close();
  });

  it('if the file holds a foreign note', async () => {
    const { tenant } = await publishedTenant();
    await writeFile(join(folder, logIdFor(tenant), 'inc-1', 'checkpoint'), 'not a note');
    await expectRefusal(tenant, 'FILE_NOTE_INVALID');
  });
});

describe('a declared incarnation', () => {
  const pendingRelay: EffectRelay = { relay: async () => undefined };
  const desk = new RecordingDesk();
  const declaring = () => ({
    clock: kit.clock,
    trees: kit.trees,
    outbox: pendingRelay,
    collection: 'ledger_incarnations',
    exceptions: desk,
    idOf: incarnationId,
  });
  const ids = ulidIds(() => 1_772_460_670_000, systemRandomness());

  it('lets publishing continue under another origin, from the current tree', async () => {
    const { tenant, second } = await publishedTenant();
    await leaves().deleteMany({ '_id.tenant_id': tenant, '_id.tree_index': { $gte: 7 } } as never);
    await ledger().deleteMany({ '_id.tenant_id': tenant, '_id.seq': { $gte: 8 } } as never);
    await expectRefusal(tenant, 'TREE_SMALLER', 0);
    const input = { reason: 'Restored from a backup.', declaredBy: 'act_1', ids };
    const row = await declareIncarnation(declaring(), tenant, input);
    expect(row).toMatchObject({
      incarnation: 2,
      tree_size: 7,
      previous: { checkpoint_id: second.checkpoint_id, incarnation: 1, tree_size: 9 },
    });
    expect(desk.resolved).toMatchObject([
      { tenantId: tenant, kind: 'CHECKPOINT_REGRESS', subject: { kind: 'LEDGER', id: 'inc-1' } },
    ]);
    const stored = await database.db.collection('ledger_incarnations').findOne({ tenant_id: tenant });
    expect(stored?.['pending']).toMatchObject([
      {
        kind: 'ledger-entry',
        source_system: '_system',
        entry: { event_type: 'ledger.incarnation_declared', payload: { incarnation: 2, reason: input.reason } },
      },
    ]);
    const published = await kit.keeper.force(tenant);
    expect(published).toMatchObject({ incarnation: 2, number: 3, tree_size: 7 });
    expect(published?.origin).toBe(`eas.example/eas/${logIdFor(tenant)}/inc-2`);
    expect(published?.root_hash).toBe(await rootOfRows(kit.trees(tenant), 7));
    expect(await fileOf(tenant, 'checkpoint', 2)).toBe(published?.note);
    // Taken back again before the first of the new ones: a crash may have kept the declaration from it. After it, what waited
    // for the signer is over.
    expect(kit.desk.resolved).toMatchObject([
      { tenantId: tenant, kind: 'CHECKPOINT_REGRESS', subject: { kind: 'LEDGER', id: 'inc-1' } },
      { tenantId: tenant, kind: 'CHECKPOINT_REGRESS', subject: { kind: 'LEDGER', id: 'inc-2' } },
    ]);
    await kit.append(tenant, 'a', 1);
    expect(await kit.keeper.force(tenant)).toMatchObject({ incarnation: 2, tree_size: 8 });
    expect(kit.desk.resolved).toHaveLength(2);
  });

  it('opens nothing if it comes while a turn of the previous one is blocked', async () => {
    const { tenant } = await publishedTenant();
    await leaves().deleteMany({ '_id.tenant_id': tenant, '_id.tree_index': { $gte: 7 } } as never);
    await ledger().deleteMany({ '_id.tenant_id': tenant, '_id.seq': { $gte: 8 } } as never);
    // The turn has read which life it is in; before it publishes, the next one is declared.
    const slow = await openTrees(database, {
      files: {
        write: async () => undefined,
        latest: async () => {
          await declareIncarnation(declaring(), tenant, { reason: 'restored', declaredBy: 'act_1', ids });
          return null;
        },
      },
    });
    expect(await slow.keeper.turn(tenant, { force: true })).toMatchObject({ state: 'pending', published: null });
    expect(slow.opened).toEqual([]);
    await slow.close();
  });

  it('is declared once by a retried request, and by one of two concurrent ones', async () => {
    const { tenant } = await publishedTenant();
    const fixed = { next: () => 'eff_01JQ0000000000000000000001' };
    const input = { reason: 'again', declaredBy: 'act_1', ids: fixed };
    const first = await declareIncarnation(declaring(), tenant, input);
    expect(await declareIncarnation(declaring(), tenant, input)).toEqual(first);
    const two = ['2', '3'].map((n) => ({ ...input, ids: { next: () => `eff_01JQ000000000000000000000${n}` } }));
    const outcomes = await Promise.allSettled(two.map((each) => declareIncarnation(declaring(), tenant, each)));
    const stands = (await kit.trees(tenant).latestIncarnation())?.incarnation;
    const declared = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(stands).toBe(2 + declared);
  });
});

describe('the files of checkpoints', () => {
  it('hold the latest note, and all notes in order', async () => {
    const { tenant, first, second } = await publishedTenant();
    expect(await fileOf(tenant, 'checkpoint')).toBe(second.note);
    expect(await fileOf(tenant, 'history.notes')).toBe(`${first.note}\n${second.note}\n`);
  });

  it('keep the larger note if a slower publisher writes later', async () => {
    const { tenant, first, second } = await publishedTenant();
    const files = checkpointFiles(folder);
    const place = { logId: logIdFor(tenant), incarnation: 1 };
    await files.write(place, first.note);
    expect(await files.latest(place)).toBe(second.note);
    expect(await files.latest({ ...place, incarnation: 5 })).toBeNull();
    await expect(async () => files.latest({ logId: '../etc', incarnation: 1 })).rejects.toThrow(RangeError);
  });
});

/** Keys of a signer that knows its last note. */
class RememberingKeys extends NamedSigningKeys {
  readonly #last = new Map<string, SignedTree>();

  override async sign(keyId: string, bytes: Uint8Array): Promise<Buffer> {
    const signature = await super.sign(keyId, bytes);
    const { origin, size, root } = parseCheckpoint(Buffer.from(bytes).toString('utf8'));
    this.#last.set(origin, { origin, size, root: root.toString('hex'), signed_at: '' });
    return signature;
  }

  override async lastSigned(origin: string): Promise<SignedTree | null> {
    return this.#last.get(origin) ?? null;
  }
}

describe('every known note counts by itself', () => {
  let own: TreeKit;
  let notes: string;
  beforeAll(async () => {
    notes = await mkdtemp(join(tmpdir(), 'known-notes-'));
    own = await openTrees(database, { files: checkpointFiles(notes), keys: new RememberingKeys() });
  });
  afterAll(async () => {
    await own.close();
    await rm(notes, { recursive: true, force: true });
  });

  const published = async (): Promise<TenantId> => {
    const tenant = `known-${nextTenant++}` as TenantId;
    await own.append(tenant, 'a', 9);
    await own.keeper.force(tenant);
    return tenant;
  };
  /** Another history of the same length, with its own note by the same key, and no word of the first in the database. */
  const rewrite = async (tenant: TenantId): Promise<void> => {
    for (const rows of [leaves(), ledger()]) await rows.deleteMany({ '_id.tenant_id': tenant } as never);
    await checkpoints().deleteMany({ tenant_id: tenant });
    for (const name of ['ledger_tree_tiles', 'ledger_tree_leases'])
      await database.db.collection(name).deleteMany({ $or: [{ tenant_id: tenant }, { '_id.tenant_id': tenant }] });
    own.cache.forget(tenant);
    const forger = await openTrees(database);
    await forger.append(tenant, 'rewritten', 9);
    await forger.keeper.force(tenant);
    await forger.close();
  };
  const outcome = async (tenant: TenantId): Promise<unknown> => {
    const fresh = await openTrees(database, { files: checkpointFiles(notes), keys: own.keys });
    try {
      const { state } = await fresh.keeper.turn(tenant, { force: true });
      return [state, ...fresh.opened.map(({ detail }) => detail['reason'])];
    } finally {
      await fresh.close();
    }
  };

  it('the folder names a rewrite of equal size', async () => {
    const tenant = await published();
    await rewrite(tenant);
    expect(await outcome(tenant)).toEqual(['refused', 'TREE_CHANGED']);
  });

  it('the signer names it after the folder was emptied', async () => {
    const tenant = await published();
    await rewrite(tenant);
    await rm(notes, { recursive: true });
    expect(await outcome(tenant)).toEqual(['refused', 'TREE_CHANGED']);
  });

  it('a folder that was emptied changes nothing for an unchanged tree', async () => {
    const tenant = await published();
    await rm(notes, { recursive: true });
    await own.append(tenant, 'a', 1);
    expect(await outcome(tenant)).toEqual(['idle']);
  });
});
