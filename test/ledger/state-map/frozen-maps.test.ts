import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import type { PublishedCheckpoint } from '../../../shared/contracts/checkpoints.js';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { logValue, mapKey } from '../../../shared/state-map/hashes.js';
import { settled } from '../../../shared/state-map/multiproof.js';
import { CommittedMaps } from '../../../subgraphs/ledger/state-map/committed-maps.js';
import { logLeaf } from '../../../subgraphs/ledger/state-map/domain/map-ops.js';
import { FrozenMaps } from '../../../subgraphs/ledger/state-map/frozen-maps.js';
import { mongoMapStore } from '../../../subgraphs/ledger/state-map/model/map-store.js';
import { mongoTreeStore } from '../../../subgraphs/ledger/transparency/model/tree-store.js';
import { MultiproofVerifier } from '../../shared/state-map/multiproof-verifier.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { type Evidence, openEvidence } from '../integrity/evidence-kit.js';

/** More than one chunk of a log. */
const OF_ONE_MEMBER = 300;
/** More keys than the service updates without its thread. */
const MEMBERS = 90;

describe('a frozen state map', () => {
  let server: TestServer;
  let database: Database;
  let evidence: Evidence;
  let frozen: FrozenMaps;
  let nextTenant = 0;

  beforeAll(async () => {
    server = await startTestServer();
    database = await server.connect('frozen-maps');
    evidence = await openEvidence(database, { maps: true });
    const trees = mongoTreeStore(database.db);
    const { contexts } = evidence;
    frozen = new FrozenMaps({
      clock: evidence.clock,
      contexts,
      trees,
      maps: mongoMapStore(database.db),
      committed: new CommittedMaps({ contexts, trees }),
      force: (tenantId) => evidence.checkpoint(tenantId),
      shown: async (_, { tree_size, root_hash }) => ({ tree_size, root_hash }) as PublishedCheckpoint,
    });
  });

  afterAll(async () => {
    await evidence.close();
    await server.stop();
  });

  const nodes = (tenant: string) =>
    database.db.collection<Document>('ledger_map_nodes').countDocuments({ '_id.tenant_id': tenant });
  const tagOf = async (tenant: string, member: string) => (await evidence.contexts.of(tenant)).memberTags.of(member);

  async function filled(): Promise<TenantId> {
    const tenant = `frozen-${nextTenant++}` as TenantId;
    const own = Array.from({ length: OF_ONE_MEMBER }, (_, n) => envelope(n, { member_id: 'M-all' }));
    const others = Array.from({ length: MEMBERS }, (_, n) => envelope(`o${n}`, { member_id: `M-${n}` }));
    await evidence.append(tenant, [...own, ...others] as JsonObject[]);
    return tenant;
  }

  it('proves the log of a member, all leaves of it, and the absence of other keys, while later maps follow', async () => {
    const tenant = await filled();
    const map = await frozen.freeze(tenant, 'bnd_1');
    expect(map.tree_size).toBe(OF_ONE_MEMBER + MEMBERS);
    expect(map.checkpoint.tree_size).toBe(map.tree_size + 1);
    for (let round = 0; round < 3; round++) {
      await evidence.append(tenant, [envelope(`r${round}`, { member_id: 'M-all' })] as JsonObject[]);
      await evidence.checkpoint(tenant);
    }
    const tag = await tagOf(tenant, 'M-all');
    const leaves = [];
    for (;;) {
      const page = await frozen.log(tenant, map.tree_size, {
        kind: 'member-log',
        id: tag,
        from: leaves.length,
        limit: 77,
      });
      expect(page.count).toBe(OF_ONE_MEMBER);
      leaves.push(...page.leaves);
      if (page.leaves.length < 77) break;
    }
    const log = new CompactRange();
    for (const { entry_hash, cause_index } of leaves) log.append(logLeaf(Buffer.from(entry_hash, 'hex'), cause_index));
    const claims = [
      { key: mapKey('member-log', tag), value: logValue(log.size, log.root()) },
      { key: mapKey('disposal', 'evt_unknown'), value: null },
      { key: mapKey('member', tag), value: null },
    ].sort((a, b) => a.key.compare(b.key));
    const verifier = new MultiproofVerifier();
    verifier.claims(claims);
    let after: string | null = null;
    for (const [i, { key }] of claims.entries()) {
      const slice = { keys: [key.toString('hex')], after, last: i === claims.length - 1 };
      const tokens = await frozen.proof(tenant, map.tree_size, slice);
      verifier.tokens(settled(tokens, (leaf) => claims.some((one) => one.value !== null && one.key.equals(leaf))));
      after = key.toString('hex');
    }
    expect(verifier.end().toString('hex')).toBe(map.root);
  });

  it('keeps its nodes until its holder lets go; without holders two versions stay', async () => {
    const tenant = await filled();
    const map = await frozen.freeze(tenant, 'bnd_2');
    const asked = { keys: [mapKey('hold', 'hld_1').toString('hex')], after: null, last: true };
    for (let round = 0; round < 4; round++) {
      await evidence.append(tenant, [envelope(`k${round}`)] as JsonObject[]);
      await evidence.checkpoint(tenant);
    }
    const held = await nodes(tenant);
    expect((await frozen.proof(tenant, map.tree_size, asked)).length).toBeGreaterThan(0);
    await frozen.release(tenant, 'bnd_2');
    await evidence.append(tenant, [envelope('last')] as JsonObject[]);
    await evidence.checkpoint(tenant);
    expect(await nodes(tenant)).toBeLessThan(held);
    await expect(frozen.proof(tenant, map.tree_size, asked)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is released after a day where its holder has died', async () => {
    const tenant = await filled();
    const map = await frozen.freeze(tenant, 'bnd_dead');
    const asked = { keys: [mapKey('hold', 'hld_1').toString('hex')], after: null, last: true };
    for (let round = 0; round < 4; round++) {
      await evidence.append(tenant, [envelope(`d${round}`)] as JsonObject[]);
      await evidence.checkpoint(tenant);
    }
    const held = await nodes(tenant);
    evidence.clock.advance(25 * 60 * 60_000);
    const later = await frozen.freeze(tenant, 'bnd_alive');
    await evidence.append(tenant, [envelope('next')] as JsonObject[]);
    await evidence.checkpoint(tenant);
    expect(await nodes(tenant)).toBeLessThan(held);
    await expect(frozen.proof(tenant, map.tree_size, asked)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await frozen.proof(tenant, later.tree_size, asked)).length).toBeGreaterThan(0);
  });

  it('proves nothing from an edited node', async () => {
    const tenant = await filled();
    const map = await frozen.freeze(tenant, 'bnd_3');
    const _id = { tenant_id: tenant, version: map.tree_size, path: '' };
    const node = await database.db.collection<Document & { _id: object }>('ledger_map_nodes').findOne({ _id });
    const stored = node?.['bytes'] as { readonly buffer: Buffer } | undefined;
    const bytes = Buffer.from(stored?.buffer ?? []);
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    await database.db
      .collection<Document & { _id: object }>('ledger_map_nodes')
      .updateOne({ _id }, { $set: { bytes } });
    const asked = { keys: [mapKey('hold', 'hld_1').toString('hex')], after: null, last: true };
    await expect(frozen.proof(tenant, map.tree_size, asked)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });
});
