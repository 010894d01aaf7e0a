import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareDatabase } from '../../../../app/prepare-database.js';
import { configFrom } from '../../../../shared/config/config.js';
import type { Database } from '../../../../shared/db/database.js';
import { isSegment, isUniqueOverShards, SHARDED, UNSHARDED } from '../../../../shared/db/sharding/plan.js';
import { wormDatabase } from '../../../../shared/worm/kept-worm-store.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { signerFolder } from '../../../support/signer.js';

interface Found {
  readonly name: string;
  readonly isCapped: boolean;
  readonly uniques: readonly (readonly string[])[];
  readonly keys: readonly (readonly string[])[];
}

/** Names are unique over the two databases; the plan says where a sharded collection is. */
const unsharded = new Set<string>(Object.values(UNSHARDED).flat());
const sharded = new Map(SHARDED.map((collection) => [collection.name, collection]));

describe('the sharding plan', () => {
  let server: TestServer;
  let folder: string;
  let found: readonly Found[];

  const collectionsOf = async ({ db }: { readonly db: Database['db'] }): Promise<Found[]> => {
    const infos = await db.listCollections({}, { nameOnly: false }).toArray();
    return Promise.all(
      infos.map(async (info) => {
        const indexes = await db.collection(info.name).indexes();
        const keys = indexes.map(({ key }) => Object.keys(key));
        const uniques = indexes.filter(({ unique }) => unique === true).map(({ key }) => Object.keys(key));
        return { name: info.name, isCapped: 'options' in info && info.options?.['capped'] === true, uniques, keys };
      }),
    );
  };

  beforeAll(async () => {
    server = await startTestServer();
    folder = await mkdtemp(join(tmpdir(), 'eas-sharding-'));
    await prepareDatabase(
      configFrom({
        MONGODB_URI: server.uriOf('eas'),
        SERVICE_MASTER_KEY: '07'.repeat(32),
        SERVICE_SIGNER_DIR: signerFolder(),
        SERVICE_DATA_DIR: folder,
        SERVICE_LOG_LEVEL: 'silent',
      }),
    );
    const database = await server.connect('eas');
    found = [...(await collectionsOf(database)), ...(await collectionsOf({ db: wormDatabase(database) }))];
  }, 240_000);
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('decides about every collection of a prepared database, once', () => {
    expect(found.length).toBeGreaterThan(50);
    const undecided = found.filter(({ name }) => !isSegment(name) && !unsharded.has(name) && !sharded.has(name));
    expect(undecided.map(({ name }) => name)).toEqual([]);
    expect([...sharded.keys()].filter((name) => unsharded.has(name))).toEqual([]);
    const listed = Object.values(UNSHARDED).flat();
    expect(listed).toHaveLength(new Set(listed).size);
  });

  it('shards only collections that exist, and no capped one', () => {
    for (const name of sharded.keys())
      expect(found.find((one) => one.name === name)).toMatchObject({ isCapped: false });
  });

  it('keeps every unique index of a sharded collection: each begins with the shard key', () => {
    const broken = found.flatMap(({ name, uniques }) => {
      const key = sharded.get(name)?.key;
      return key === undefined ? [] : uniques.filter((index) => !isUniqueOverShards(key, index)).map(() => name);
    });
    expect(broken).toEqual([]);
  });

  it('finds a unique index that sharding would break', () => {
    expect(isUniqueOverShards({ tenant_id: 1 }, ['key_hmac'])).toBe(false);
    expect(isUniqueOverShards({ tenant_id: 1 }, ['log_id', 'tenant_id'])).toBe(false);
    expect(isUniqueOverShards({ tenant_id: 1, source_system: 1 }, ['tenant_id', 'number'])).toBe(false);
    expect(isUniqueOverShards({ tenant_id: 1 }, ['tenant_id', 'number'])).toBe(true);
  });

  it('names exactly the collections with a unique index that has no tenant', () => {
    const without = found
      .filter(({ uniques }) => uniques.some((index) => !index.includes('tenant_id')))
      .map(({ name }) => name);
    // The chunks of contents have another key.
    expect(without.filter((name) => name !== 'worm_blobs.chunks').sort()).toEqual([
      ...UNSHARDED['a unique index without the tenant'],
    ]);
  });

  it('asks for an index where no other one supports the key', () => {
    for (const { name, key, needsIndex } of SHARDED.filter(({ name }) => name !== 'ledger')) {
      const keys = found.find((one) => one.name === name)?.keys ?? [];
      expect(needsIndex).toBeUndefined();
      expect(keys.some((index) => isUniqueOverShards(key, index))).toBe(true);
    }
  });
});
