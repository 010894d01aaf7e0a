import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../../shared/crypto/hash.js';
import type { Database } from '../../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { type WormDeps, wormDatabase } from '../../../../shared/worm/kept-worm-store.js';
import type { EpochKeySet } from '../../../../shared/worm/keys/epoch-keys.js';
import type { KeptWormStore, WormTenant } from '../../../../shared/worm/worm-store.js';
import { ManualClock, recordingLogger } from '../../../support/fakes.js';
import { openWorm } from '../drivers.js';

export const MIB = 1_048_576;
/** A day and more, so that a removal sees no recent claim. */
const LATER_MS = 3 * 86_400_000;

export const KEYS = { 1: 'a1'.repeat(32), 2: 'b2'.repeat(32), 3: 'c3'.repeat(32) } as const;
export const FIRST: EpochKeySet = { current: 1, keys: { 1: KEYS[1] } };
export const BOTH: EpochKeySet = { current: 2, keys: { 1: KEYS[1], 2: KEYS[2] } };
export const SECOND: EpochKeySet = { current: 2, keys: { 2: KEYS[2] } };

export const TENANT: WormTenant = { tenantId: 'a' as TenantId, logId: 'log_a' };
export const LIMITS = { segmentRecords: 20, segmentBytes: 4 * MIB };

/** One database, and a folder or null, with the clock of its stores. */
export class Store {
  readonly clock = new ManualClock();
  readonly database: Database;
  readonly folder: string | null;

  constructor(database: Database, folder: string | null) {
    this.database = database;
    this.folder = folder;
  }

  deps(epochKeys: EpochKeySet | null): WormDeps {
    const ids = ulidIds(() => this.clock.nowMs(), systemRandomness());
    const { database, clock } = this;
    const logger = recordingLogger().logger;
    return { database, clock, ids, logger, limits: LIMITS, ...(epochKeys && { epochKeys }) };
  }

  open(epochKeys: EpochKeySet | null): Promise<KeptWormStore> {
    return openWorm(this.deps(epochKeys), this.folder);
  }

  /** Runs with an open store, and closes it. */
  async with<T>(epochKeys: EpochKeySet | null, work: (store: KeptWormStore) => Promise<T>): Promise<T> {
    const store = await this.open(epochKeys);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Lets contents grow old enough for a disposal. */
  pass(): void {
    this.clock.advance(LATER_MS);
  }

  /** Every byte that the store has: documents of its database, and its files. */
  async allBytes(): Promise<Buffer> {
    const parts: Buffer[] = [];
    const db = wormDatabase(this.database);
    for (const { name } of await db.listCollections().toArray()) {
      const rows = db.collection(name).find({}, { raw: true });
      for await (const raw of rows) parts.push(Buffer.from(raw as unknown as Uint8Array));
    }
    const folder = this.folder;
    if (folder !== null)
      for (const name of await readdir(folder, { recursive: true }))
        parts.push(await readFile(join(folder, name)).catch(() => Buffer.alloc(0)));
    return Buffer.concat(parts);
  }
}

export const recordOf = (text: string, seed?: Buffer) => {
  const bytes = Buffer.from(text);
  return { sha256: sha256Hex(bytes), bytes, ...(seed && { seed }) };
};

export async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

export async function read(store: KeptWormStore, sha256: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of store.forTenant(TENANT).readBlob(sha256)) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

export const recordIn = async (store: KeptWormStore, sha256: string) =>
  (await store.forTenant(TENANT).readRecords([sha256])).get(sha256);
