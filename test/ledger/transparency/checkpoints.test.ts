import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { EMPTY_ROOT } from '../../../shared/merkle/hashes.js';
import { TreeView } from '../../../shared/merkle/tree-view.js';
import { verifyConsistency } from '../../../shared/merkle/verify-proofs.js';
import { parseVerifier, verifierText } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { keyOf } from '../../../subgraphs/ledger/transparency/checkpoint-baseline.js';
import { keepTrees } from '../../../subgraphs/ledger/transparency/keep-trees.js';
import type { CheckpointRow, TenantTree } from '../../../subgraphs/ledger/transparency/ports/tree-store.js';
import { StoredTiles } from '../../../subgraphs/ledger/transparency/tree-tiles.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';
import { logIdFor, openTrees, rootOfRows, type TreeKit } from './checkpoints-kit.js';

let server: TestServer;
let database: Database;
let kit: TreeKit;
let nextTenant = 0;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('checkpoints');
  kit = await openTrees(database);
});
afterAll(async () => {
  await kit.close();
  await server.stop();
});

const newTenant = (): TenantId => `tenant-${nextTenant++}` as TenantId;
const viewOf = (tree: TenantTree, tenantId: string): TreeView =>
  new TreeView(new StoredTiles(tree, { tenantId, incarnation: 1 }, null));

/** Turns until nothing is left. */
async function settle(tenantId: TenantId, on = kit): Promise<void> {
  for (let turns = 0; turns < 100; turns++) {
    const { state } = await on.keeper.turn(tenantId, { force: true });
    if (state === 'idle') return;
  }
  throw new Error('the tree was not kept up');
}

async function expectSound(tenantId: string, tree: TenantTree): Promise<readonly CheckpointRow[]> {
  const rows = await tree.checkpoints({ limit: 500, order: 'asc' });
  for (const [i, row] of rows.entries()) {
    expect(row.number).toBe(i + 1);
    expect(row.root_hash).toBe(await rootOfRows(tree, row.tree_size));
    const before = rows[i - 1];
    if (!before) continue;
    expect(row.tree_size).toBeGreaterThan(before.tree_size);
    const proof = await viewOf(tree, tenantId).consistencyProof(before.tree_size, row.tree_size);
    const [firstRoot, secondRoot] = [before, row].map(({ root_hash }) => Buffer.from(root_hash, 'hex'));
    const sizes = { first: before.tree_size, second: row.tree_size };
    const claim = { ...sizes, firstRoot: firstRoot ?? EMPTY_ROOT, secondRoot: secondRoot ?? EMPTY_ROOT, proof };
    expect(verifyConsistency(claim)).toBe(true);
  }
  return rows;
}

describe('the tree of a tenant', () => {
  it('holds every entry of every chain once, ordered by chain and sequence within a batch', async () => {
    const tenant = newTenant();
    for (const source of ['b-claims', 'a-um', '_system']) await kit.append(tenant, source, 3);
    await settle(tenant);
    await kit.append(tenant, 'b-claims', 2);
    await kit.append(tenant, 'a-um', 1);
    await settle(tenant);
    const tree = kit.trees(tenant);
    const rows = await tree.rows(0, 100);
    const place = ({ source_system, seq }: (typeof rows)[number]): string => `${source_system}/${seq}`;
    expect(rows.map(place)).toEqual([
      '_system/1',
      '_system/2',
      '_system/3',
      'a-um/1',
      'a-um/2',
      'a-um/3',
      'b-claims/1',
      'b-claims/2',
      'b-claims/3',
      'a-um/4',
      'b-claims/4',
      'b-claims/5',
    ]);
    expect(rows.map(({ tree_index }) => tree_index)).toEqual(rows.map((_, i) => i));
    expect(await tree.treeIndexOf('b-claims', [1, 5, 6])).toEqual(
      new Map([
        [1, 6],
        [5, 11],
      ]),
    );
    expect(await tree.assignedUpTo('a-um')).toBe(4);
    expect((await tree.ofChain('b-claims', 4, 10)).map(({ tree_index }) => tree_index)).toEqual([10, 11]);
  });

  it('gets the same places from two concurrent processes, one for each entry', async () => {
    const tenant = newTenant();
    const other = await openTrees(await server.connect('checkpoints'));
    const append = async (source: string): Promise<void> => {
      for (let i = 0; i < 6; i++) await kit.append(tenant, source, 40);
    };
    const work = Promise.all(['a', 'b', 'c'].map(append));
    let done = false;
    void work.then(() => {
      done = true;
    });
    const keep = async (each: TreeKit): Promise<void> => {
      while (!done) await each.keeper.turn(tenant, { force: true });
    };
    await Promise.all([work, keep(kit), keep(other)]);
    await settle(tenant);
    const tree = kit.trees(tenant);
    const rows = await tree.rows(0, 1_000);
    expect(rows.map(({ tree_index }) => tree_index)).toEqual(Array.from({ length: 720 }, (_, i) => i));
    expect(new Set(rows.map(({ source_system, seq }) => `${source_system}/${seq}`)).size).toBe(720);
    const published = await expectSound(tenant, tree);
    expect(published.at(-1)?.tree_size).toBe(720);
    await other.close();
  });

  it('lists checkpoints by number although the clock of the second process is an hour behind', async () => {
    const tenant = newTenant();
    const behind = new ManualClock();
    const other = await openTrees(database, { clock: behind });
    kit.clock.advance(3_600_000);
    for (const each of [kit, other, kit, other]) {
      await each.append(tenant, 'a', 1);
      await settle(tenant, each);
    }
    const published = await expectSound(tenant, kit.trees(tenant));
    expect(published).toHaveLength(4);
    const times = published.map(({ published_at }) => published_at.getTime());
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    await other.close();
  });

  it('is skipped while another process holds it, and taken over after the holder died', async () => {
    const tenant = newTenant();
    await kit.append(tenant, 'a', 1);
    const nowMs = kit.clock.nowMs();
    const dead = await kit.trees(tenant).hold('dead', nowMs, nowMs + 15_000, 1);
    expect(await kit.keeper.turn(tenant)).toMatchObject({ state: 'busy', assigned: 0 });
    kit.clock.advance(15_000);
    expect(await kit.keeper.turn(tenant)).toMatchObject({ assigned: 1 });
    // The dead one's fence is not the present one: it can neither renew nor let go.
    if (!dead) throw new Error('the tree was not held');
    expect(await kit.trees(tenant).renew(dead, nowMs + 60_000)).toBe(false);
  });

  it('stores its full tiles, and works without lost ones', async () => {
    const tenant = newTenant();
    await kit.append(tenant, 'a', 256 * 3 + 7);
    await settle(tenant);
    const tree = kit.trees(tenant);
    const tiles = database.db.collection('ledger_tiles');
    const ofTenant = { '_id.tenant_id': tenant };
    expect(await tiles.countDocuments(ofTenant)).toBe(3);
    const root = await rootOfRows(tree, 775);
    const rootNow = async () => (await viewOf(tree, tenant).rootAt(775)).toString('hex');
    expect(await rootNow()).toBe(root);
    const middle = { tenant_id: tenant, incarnation: 1, level: 0, index: 1 };
    await tiles.deleteOne({ _id: middle } as never);
    expect(await rootNow()).toBe(root);
    await tiles.deleteMany(ofTenant);
    expect(await rootNow()).toBe(root);
  });

  it('rebuilds tiles that a crash left unwritten', async () => {
    const tenant = newTenant();
    let failing = true;
    const crashing = await openTrees(database, {
      clock: kit.clock,
      through: (tree) =>
        new Proxy(tree, {
          get: (target, name) => {
            if (name === 'keepTiles' && failing) return async () => Promise.reject(new Error('crashed'));
            const member: unknown = Reflect.get(target, name, target);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        }),
    });
    await crashing.append(tenant, 'a', 600);
    await expect(crashing.keeper.turn(tenant)).rejects.toThrow('crashed');
    expect(await kit.trees(tenant).size()).toBe(600);
    failing = false;
    await settle(tenant, crashing);
    const kept = await kit.trees(tenant).tiles(1, [
      { level: 0, index: 0 },
      { level: 0, index: 1 },
    ]);
    expect([...kept.keys()].toSorted()).toEqual(['0/0', '0/1']);
    await expectSound(tenant, kit.trees(tenant));
    await crashing.close();
  });

  it('covers entries, on request, that another process assigns meanwhile', async () => {
    const tenant = newTenant();
    await kit.append(tenant, 'a', 3);
    expect(await kit.keeper.force(tenant)).toMatchObject({ tree_size: 3 });
    let isBeside = true;
    const asked = await openTrees(database, {
      clock: kit.clock,
      through: (tree) =>
        new Proxy(tree, {
          get: (target, name) => {
            const member: unknown = Reflect.get(target, name, target);
            if (typeof member !== 'function') return member;
            if (name !== 'size' || !isBeside) return member.bind(target);
            return async () => {
              isBeside = false;
              const size = await target.size();
              expect(await kit.keeper.turn(tenant)).toMatchObject({ assigned: 2, published: null });
              return size;
            };
          },
        }),
    });
    await kit.append(tenant, 'a', 2);
    expect(await asked.keeper.force(tenant)).toMatchObject({ tree_size: 5 });
    expect(isBeside).toBe(false);
    await asked.close();
  });

  it('is separate for each tenant', async () => {
    const [one, two] = [newTenant(), newTenant()];
    await kit.append(one, 'a', 5);
    await kit.append(two, 'a', 2);
    await settle(one);
    await settle(two);
    expect(await kit.trees(two).size()).toBe(2);
    const published = await kit.trees(one).latestCheckpoint();
    expect(await kit.trees(two).checkpoint(published?.checkpoint_id ?? '')).toBeNull();
    expect((await kit.trees(two).latestCheckpoint())?.origin).toBe(`eas.example/eas/${logIdFor(two)}/inc-1`);
  });
});

describe('checkpoints', () => {
  it('are published when there are new entries and the interval is over', async () => {
    const tenant = newTenant();
    expect(await kit.keeper.turn(tenant)).toEqual({ state: 'idle', assigned: 0, published: null });
    await kit.append(tenant, 'a', 2);
    expect((await kit.keeper.turn(tenant)).published).toMatchObject({ number: 1, tree_size: 2, incarnation: 1 });
    await kit.append(tenant, 'a', 3);
    expect(await kit.keeper.turn(tenant)).toMatchObject({ state: 'pending', assigned: 3, published: null });
    kit.clock.advance(9_999);
    expect(await kit.keeper.turn(tenant)).toMatchObject({ state: 'pending', published: null });
    kit.clock.advance(1);
    expect((await kit.keeper.turn(tenant)).published).toMatchObject({ number: 2, tree_size: 5 });
    kit.clock.advance(60_000);
    expect(await kit.keeper.turn(tenant)).toEqual({ state: 'idle', assigned: 0, published: null });
    await expectSound(tenant, kit.trees(tenant));
  });

  it('are published at once after 10,000 entries', async () => {
    const tenant = newTenant();
    await kit.append(tenant, 'a', 1);
    await kit.keeper.turn(tenant);
    await kit.append(tenant, 'a', 12_500);
    const first = await kit.keeper.turn(tenant);
    expect(first).toMatchObject({ state: 'pending', published: { tree_size: 10_001 } });
    expect(await kit.keeper.turn(tenant)).toMatchObject({ assigned: 2_500, published: null });
    await settle(tenant);
    await expectSound(tenant, kit.trees(tenant));
  });

  it('are notes that the named key verifies, even after another key signs', async () => {
    const tenant = newTenant();
    await kit.append(tenant, 'a', 4);
    const before = (await kit.keeper.turn(tenant)).published as CheckpointRow;
    kit.keys.rotate('second');
    await kit.append(tenant, 'a', 1);
    const after = (await kit.keeper.turn(tenant, { force: true })).published as CheckpointRow;
    expect(after.key_id).not.toBe(before.key_id);
    for (const row of [before, after]) {
      const key = parseVerifier(verifierText(await keyOf(kit.keys, row, row.origin)));
      const opened = openCheckpoint(row.note, { logKeys: [key], origin: row.origin });
      expect(opened).toMatchObject({ origin: row.origin, size: row.tree_size, witnesses: [] });
      expect(opened.root.toString('hex')).toBe(row.root_hash);
    }
  });

  it('have a write-once copy and a platform event that is committed with them', async () => {
    const tenant = newTenant();
    await kit.append(tenant, 'a', 4);
    const row = (await kit.keeper.turn(tenant)).published as CheckpointRow;
    const worm = kit.worm.forTenant({ tenantId: tenant, logId: logIdFor(tenant) });
    expect((await worm.readRecords([row.worm_sha256])).get(row.worm_sha256)?.bytes.toString()).toBe(row.note);
    expect(await kit.trees(tenant).noteHashes([row.worm_sha256, 'f'.repeat(64)])).toEqual(new Set([row.worm_sha256]));
    const stored = await database.db.collection('ledger_checkpoints').findOne({ _id: row.checkpoint_id as never });
    expect(stored?.['pending']).toMatchObject([
      {
        kind: 'platform-event',
        type: 'checkpoint.published',
        tenant_id: tenant,
        data: { checkpoint_id: row.checkpoint_id, tree_size: 4, root_hash: row.root_hash },
      },
    ]);
  });

  it('cover every entry when requested, and are not repeated', async () => {
    const tenant = newTenant();
    expect(await kit.keeper.force(tenant)).toBeNull();
    await kit.append(tenant, 'a', 3);
    await kit.append(tenant, 'b', 12_000);
    expect(await kit.keeper.force(tenant)).toMatchObject({ tree_size: 12_003 });
    const again = await kit.keeper.force(tenant);
    expect(again).toEqual(await kit.trees(tenant).latestCheckpoint());
    await kit.append(tenant, 'a', 1);
    expect(await kit.keeper.force(tenant)).toMatchObject({ tree_size: 12_004 });
  });

  it('of one tenant are not delayed by a failure of another', async () => {
    const turned: string[] = [];
    const keeper = {
      turn: async (tenantId: string) => {
        turned.push(tenantId);
        if (tenantId === 'bad') throw new Error('broken');
        return { state: 'idle', assigned: 0, published: null } as const;
      },
    };
    async function* tenantIds() {
      yield* ['bad', 'good'];
    }
    const { logger, lines } = (await import('../../support/fakes.js')).recordingLogger();
    await keepTrees({ keeper, logger, store: { tenantIds } }, new AbortController().signal);
    expect(turned.toSorted()).toEqual(['bad', 'good']);
    expect(lines.join()).toContain('updating the tree of a tenant failed');
  });
});
