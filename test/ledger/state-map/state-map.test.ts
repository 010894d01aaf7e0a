import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { repositoryFile } from '../../../app/repository.js';
import type { Database } from '../../../shared/db/database.js';
import { mapKey } from '../../../shared/state-map/hashes.js';
import { type CommittedMap, CommittedMaps } from '../../../subgraphs/ledger/state-map/committed-maps.js';
import { mongoTreeStore } from '../../../subgraphs/ledger/transparency/model/tree-store.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { itUnless, lackOf } from '../../support/needs.js';
import { seeded } from '../../support/random.js';
import { FAULT_KINDS, Faults, InjectedFault } from '../append/faults.js';
import { type Evidence, openEvidence } from '../integrity/evidence-kit.js';
import { exportedEntries, RandomLedger } from './map-kit.js';

/** Database calls at which a keeper is stopped, of each kind of fault; MAP_CRASHES asks for more. */
const CRASHES = Number(process.env['MAP_CRASHES'] ?? 5);

describe('the state map of a ledger', () => {
  let server: TestServer;
  let database: Database;
  let evidence: Evidence;
  let nextTenant = 0;

  beforeAll(async () => {
    server = await startTestServer();
    database = await server.connect('state-map');
    evidence = await openEvidence(database, { maps: true });
  });

  afterAll(async () => {
    await evidence.close();
    await server.stop();
  });

  const newTenant = (): string => `mapped-${nextTenant++}`;
  const maps = (): CommittedMaps =>
    new CommittedMaps({ contexts: evidence.contexts, trees: mongoTreeStore(database.db) });
  const newest = async (tenant: string): Promise<CommittedMap> => {
    const map = await maps().newest(tenant);
    if (map === null) throw new Error('no map is committed');
    return map;
  };
  const rows = (name: string) => database.db.collection<Document & { _id: Document }>(name);
  const mapBreaks = async (tenant: string) =>
    (await evidence.verify(tenant)).breaks.filter(({ kind }) => kind === 'MAP_MISMATCH');

  /** A ledger of random entries with a map after each of some checkpoints. */
  async function filled(seed: number, checkpoints = 3): Promise<string> {
    const tenant = newTenant();
    const ledger = new RandomLedger(evidence, tenant, seeded(seed));
    for (let i = 0; i < checkpoints; i++) {
      await ledger.append(25);
      await evidence.checkpoint(tenant);
    }
    return tenant;
  }

  it('is committed as the last leaf under a checkpoint', async () => {
    const tenant = newTenant();
    await evidence.events(tenant, 5);
    const checkpoint = await evidence.checkpoint(tenant);
    expect(checkpoint?.tree_size).toBe(6);
    expect(await newest(tenant)).toMatchObject({ tree_size: 5, seq: 1 });
  });

  it('alone never makes a checkpoint due', async () => {
    const tenant = newTenant();
    await evidence.events(tenant, 5);
    const first = await evidence.checkpoint(tenant);
    evidence.clock.advance(3_600_000);
    expect((await evidence.checkpoint(tenant))?.checkpoint_id).toBe(first?.checkpoint_id);
  });

  it('has the root that folding all entries gives, after random facts of every kind', async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const tenant = await filled(seed, 4);
      const verdict = await evidence.verify(tenant);
      expect(verdict.breaks).toEqual([]);
      expect(verdict.not_checked.filter(({ what }) => /map/.test(what))).toEqual([]);
    }
  });

  itUnless(lackOf(spawnSync('python3', ['-V']).status === 0, 'python3'))(
    'has the roots that an independent program folds from exported entries',
    async () => {
      const tenant = await filled(77, 4);
      const all: CommittedMap[] = [];
      for await (const map of maps().descending(tenant)) all.unshift(map);
      expect(all).toHaveLength(4);
      const { stdout, stderr } = spawnSync(
        'python3',
        [repositoryFile('test/ledger/state-map/fold.py'), ...all.map(({ tree_size }) => String(tree_size))],
        { input: (await exportedEntries(database, tenant)).join('\n') },
      );
      expect([String(stdout).trim(), String(stderr)]).toEqual([
        all.map(({ tree_size, root }) => `${tree_size} ${root}`).join('\n'),
        '',
      ]);
    },
  );

  it('is the same whichever of two keepers folds', async () => {
    const other = await openEvidence(database, { maps: true, clock: evidence.clock, keys: evidence.keys });
    const tenant = newTenant();
    const ledger = new RandomLedger(evidence, tenant, seeded(5));
    for (let round = 0; round < 4; round++) {
      await ledger.append(8);
      await Promise.all([evidence.checkpoint(tenant), other.checkpoint(tenant)]);
      expect(await mapBreaks(tenant)).toEqual([]);
    }
    await other.close();
  });

  it.each(FAULT_KINDS)('is right after a fault of kind %s at any call of its keeper', async (kind) => {
    const faults = new Faults();
    const dying = await openEvidence(database, { maps: true, faults, clock: evidence.clock, keys: evidence.keys });
    const tenant = newTenant();
    const ledger = new RandomLedger(evidence, tenant, seeded(9));
    for (let call = 1; call <= CRASHES; call++) {
      await ledger.append(3);
      faults.arm(8 + call * 3, kind);
      await dying.checkpoint(tenant).catch((error: unknown) => {
        if (!(error instanceof InjectedFault)) throw error;
      });
      faults.disarm();
      evidence.clock.advance(60_000);
      await evidence.checkpoint(tenant);
      expect([call, await mapBreaks(tenant)]).toEqual([call, []]);
    }
    await dying.close();
  });

  it('is folded again from the first entry after someone edits or removes a stored node', async () => {
    for (const [i, damage] of [{ $set: { bytes: Buffer.alloc(16) } }, null].entries()) {
      const tenant = await filled(30 + i, 2);
      const { tree_size: version } = await newest(tenant);
      const _id = { tenant_id: tenant, version, path: '' };
      if (damage === null) await rows('ledger_map_nodes').deleteOne({ _id });
      else await rows('ledger_map_nodes').updateOne({ _id }, damage);
      await evidence.events(tenant, 3, 'um-core', 500);
      await evidence.checkpoint(tenant);
      expect((await newest(tenant)).tree_size).toBeGreaterThan(version);
      expect(await mapBreaks(tenant)).toEqual([]);
      expect(evidence.lines.some((line) => line.includes('the stored state map is damaged'))).toBe(true);
    }
  });

  it('is folded again after someone edits or removes the row of a log or a list', async () => {
    const tenant = await filled(40, 2);
    await rows('ledger_map_items').updateMany({ '_id.tenant_id': tenant } as never, { $set: { data: Buffer.of(2) } });
    await new RandomLedger(evidence, tenant, seeded(41)).append(20);
    await evidence.checkpoint(tenant);
    expect(await mapBreaks(tenant)).toEqual([]);
    await rows('ledger_map_items').deleteMany({ '_id.tenant_id': tenant } as never);
    await new RandomLedger(evidence, tenant, seeded(42)).append(20);
    await evidence.checkpoint(tenant);
    expect(await mapBreaks(tenant)).toEqual([]);
  });

  it('does not continue from a version that someone rolled back', async () => {
    const tenant = await filled(50, 2);
    const kept = await rows('ledger_map_nodes')
      .find({ '_id.tenant_id': tenant } as never)
      .toArray();
    const keptItems = await rows('ledger_map_items')
      .find({ '_id.tenant_id': tenant } as never)
      .toArray();
    await new RandomLedger(evidence, tenant, seeded(51)).append(10);
    await evidence.checkpoint(tenant);
    for (const [name, old] of [
      ['ledger_map_nodes', kept],
      ['ledger_map_items', keptItems],
    ] as const) {
      await rows(name).deleteMany({ '_id.tenant_id': tenant } as never);
      await rows(name).insertMany(old);
    }
    await new RandomLedger(evidence, tenant, seeded(52)).append(10);
    await evidence.checkpoint(tenant);
    expect(await mapBreaks(tenant)).toEqual([]);
  });

  it('makes verification fail when a fact that it covers is removed', async () => {
    const tenant = await filled(60, 2);
    const { deletedCount } = await rows('ledger').deleteOne({
      _id: { tenant_id: tenant, source_system: '_records', seq: 2 },
    });
    expect(deletedCount).toBe(1);
    const kinds = (await evidence.verify(tenant)).breaks.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['SEQUENCE_GAP', 'MAP_MISMATCH']));
  });

  it('makes verification fail when an operator commits another map, and names the key', async () => {
    const tenant = await filled(70, 2);
    const { tree_size } = await newest(tenant);
    // The keeper is made to leave out an entry: the log of a member has one event less.
    const row = await rows('ledger').findOne({
      tenant_id: tenant,
      source_system: /^src/,
      member_tag: { $ne: null },
    } as never);
    const key = mapKey('member-log', String(row?.['member_tag'])).toString('hex');
    const item = await rows('ledger_map_items').findOne({ _id: { tenant_id: tenant, key } });
    expect(item).not.toBeNull();
    const forged = await openEvidence(database, {
      maps: true,
      clock: evidence.clock,
      keys: evidence.keys,
      foldedAs: (entry) => (entry.member_tag === row?.['member_tag'] ? { ...entry, member_tag: null } : entry),
    });
    await rows('ledger_map_nodes').deleteMany({ '_id.tenant_id': tenant } as never);
    await evidence.events(tenant, 1, 'um-core', 900);
    await forged.checkpoint(tenant);
    expect((await newest(tenant)).tree_size).toBeGreaterThan(tree_size);
    const breaks = await mapBreaks(tenant);
    expect(breaks.map(({ key: named }) => named)).toEqual([`member-log/${row?.['member_tag']}`]);
    await forged.close();
  });

  it('counts void entries, and says which entries no map covers when entries are withheld', async () => {
    const tenant = await filled(80, 1);
    await evidence.append(tenant, [
      {
        source_system: '_map',
        source_record_id: 'map/3',
        event_family: 'ledger',
        event_type: 'map.committed',
        event_effective_timestamp: '2026-03-02T14:11:09.123Z',
        payload: { map: 'eas.map/v1', tree_size: 3, root: '00'.repeat(32) },
      },
    ]);
    await evidence.checkpoint(tenant);
    const verdict = await evidence.verify(tenant);
    expect(verdict.breaks).toEqual([]);
    expect(verdict.not_checked.map(({ what }) => what)).toContain('1 void entries map.committed');
    const { seq } = await newest(tenant);
    await rows('ledger').deleteOne({ _id: { tenant_id: tenant, source_system: '_map', seq } });
    const after = await evidence.verify(tenant);
    expect(after.breaks.length).toBeGreaterThan(0);
    expect(after.not_checked.some(({ what }) => what.startsWith('the state map of the last'))).toBe(true);
  });
});
