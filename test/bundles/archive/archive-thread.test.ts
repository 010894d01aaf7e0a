import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configFrom } from '../../../shared/config/config.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import type { KeptWormStore, TenantWorm } from '../../../shared/worm/worm-store.js';
import { archiveStore } from '../../../subgraphs/bundles/archive/adapters/archive-store.js';
import { ArchiveThread } from '../../../subgraphs/bundles/archive/adapters/archive-thread.js';
import { Spools } from '../../../subgraphs/bundles/archive/adapters/spool.js';
import type { SealedEntry } from '../../../subgraphs/bundles/archive/ports.js';
import { dropFolder, openWorm, WORM_DRIVERS, type WormPlace } from '../../shared/worm/drivers.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';
import { seeded } from '../../support/random.js';

// Large archives are stored by a thread; what it stores is what the service itself would have stored.

const MIB = 1_048_576;
const MINUTE = 60_000;
const SIZES = [2.5 * MIB, 0, 100, 6 * MIB];
const TENANT = { tenantId: 't-thread' as TenantId, logId: 'log_thread' };
const silent = async (): Promise<void> => undefined;

describe.each(WORM_DRIVERS)('archives stored by a thread, over $name', ({ folder: newFolder, beneath }) => {
  const random = seeded(20_261_122);
  const spools = new Spools(tmpdir(), `archive-thread-${process.pid}`);
  let server: TestServer;
  let database: Database;
  let folder: WormPlace;
  let worm: KeptWormStore;
  let tenant: TenantWorm;
  let thread: ArchiveThread;
  let entries: SealedEntry[];
  let documents: string[];

  beforeAll(async () => {
    server = await startTestServer();
    database = await connectDatabase(server.uri);
    folder = await newFolder();
    const clock = new ManualClock();
    const ids = ulidIds(() => clock.nowMs(), systemRandomness());
    const limits = configFrom({}).worm;
    worm = await openWorm({ database, limits, clock, ids, logger: recordingLogger().logger }, folder);
    tenant = worm.forTenant(TENANT);
    thread = new ArchiveThread({ worm, place: worm.blobPlace, clock });
    documents = [];
    for (const size of SIZES) documents.push(await stored(size));
    entries = [
      { path: 'manifest.json', size: 5, content: Buffer.from('begin') },
      await spooled('chain.tsv', 'a line\n'.repeat(300_000)),
      ...documents.map((sha256, n) => ({ path: `documents/${n}`, size: SIZES[n] ?? 0, content: { sha256 } })),
      { path: 'end', size: 3, content: Buffer.from('end') },
    ];
  }, MINUTE);

  afterAll(async () => {
    await thread.close();
    await spools.close();
    await worm.close();
    await database.close();
    await server.stop();
    await dropFolder(folder);
  });

  const bytesOf = (size: number): Buffer => Buffer.alloc(size, Buffer.from([random() * 256, random() * 256, 7]));

  async function stored(size: number): Promise<string> {
    async function* content() {
      yield bytesOf(size);
    }
    return (await tenant.putBlob(content(), size)).sha256;
  }

  async function spooled(path: string, text: string): Promise<SealedEntry> {
    const spool = await spools.next();
    await spool.write(text);
    return { path, size: (await spool.finish()).size, content: { descriptor: spool.descriptor } };
  }

  it('equal the bytes that the main thread stores, committed and recorded', async () => {
    const told: number[] = [];
    const blob = await thread.store(TENANT, entries, async (bytes) => void told.push(bytes));
    expect(blob.created).toBe(true);
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    const hash = createHash('sha256');
    for await (const chunk of tenant.readBlob(blob.sha256)) hash.update(chunk);
    expect(hash.digest('hex')).toBe(blob.sha256);
    const here = await archiveStore(worm, null).store(TENANT, entries, silent);
    expect(here).toEqual({ ...blob, created: false });
    const rows = wormDatabase(database).collection<{ _id: JsonObject; blocks: string[] }>('blobs');
    const [row, ...others] = await rows.find({ '_id.sha256': blob.sha256 }).toArray();
    expect([row?.blocks.length, others]).toEqual([Math.ceil(blob.sizeBytes / MIB), []]);
    const { _id, ...rest } = row as unknown as JsonObject & { readonly _id: JsonObject };
    const record = sha256Hex(canonicalJson({ ...rest, ..._id, kind: 'blob', v: 1 }));
    expect([...(await tenant.presentRecords([record]))]).toEqual([record]);
  });

  it('fail with the same code as the main thread if a content is missing', async () => {
    const missing = { path: 'documents/missing', size: 1, content: { sha256: '0'.repeat(64) } };
    await expect(thread.store(TENANT, [...entries, missing], silent)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('fail if a content is damaged', async () => {
    const rows = wormDatabase(database).collection<{ _id: { sha256: string }; file_id: string }>('blobs');
    const sha256 = await stored(3 * MIB);
    const row = await rows.findOne({ '_id.sha256': sha256 });
    await beneath(database, folder).replaceBlock(row?.file_id ?? '', 1, Buffer.alloc(MIB, 1));
    const damaged = { path: 'documents/damaged', size: 3 * MIB, content: { sha256 } };
    const refused = thread.store(TENANT, [damaged], silent);
    await expect(refused).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });

  it('are cancelled without traces, and the next one is stored', async () => {
    const rows = wormDatabase(database).collection('blobs');
    const before = await rows.countDocuments();
    const other: SealedEntry[] = [{ path: 'other', size: 1, content: Buffer.from('x') }, ...entries];
    const lost = new Error('the lease is lost');
    await expect(thread.store(TENANT, other, () => Promise.reject(lost))).rejects.toBe(lost);
    expect(await rows.countDocuments()).toBe(before);
    expect((await thread.store(TENANT, other, silent)).created).toBe(true);
  });

  it('fail when the thread exits, and the next one starts another thread', async () => {
    const under = thread.store(TENANT, [{ path: 'under', size: 1, content: Buffer.from('u') }, ...entries], silent);
    const failed = expect(under).rejects.toThrow('has exited');
    await thread.close();
    await failed;
    const next: SealedEntry[] = [{ path: 'next', size: 1, content: Buffer.from('n') }, ...entries];
    expect((await thread.store(TENANT, next, silent)).created).toBe(true);
  });
});
