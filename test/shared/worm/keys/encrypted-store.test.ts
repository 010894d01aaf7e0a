import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandomness } from '../../../../shared/ids/ids.js';
import { wormDatabase } from '../../../../shared/worm/kept-worm-store.js';
import type { KeyRow } from '../../../../shared/worm/keys/content-keys.js';
import { EpochKeys } from '../../../../shared/worm/keys/epoch-keys.js';
import { encryptWormStore } from '../../../../shared/worm/keys/open-encryption.js';
import { checkEpochs } from '../../../../shared/worm/keys/require-epochs.js';
import { countOthers, rewrapKeys } from '../../../../shared/worm/keys/rewrap.js';
import type { KeptWormStore } from '../../../../shared/worm/worm-store.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { BOTH, FIRST, KEYS, LIMITS, MIB, once, read, recordIn, recordOf, SECOND, Store, TENANT } from './store-kit.js';

const MARK = 'PERIWINKLE-CONTENT ';
const SMALL = Buffer.from(MARK.repeat(100));
/** More blocks than the first batch, so that the database driver uses its thread. */
const LARGE = Buffer.concat([Buffer.from(MARK.repeat(100_000)), randomBytes(6 * MIB)]);
const RECORD = recordOf(`${MARK} of a record`, Buffer.alloc(32, 7));
const SEED_HEX = Buffer.alloc(32, 7);

let server: TestServer;
let root: string;
let databases = 0;

beforeAll(async () => {
  server = await startTestServer();
  root = await mkdtemp(join(tmpdir(), 'eas-sealed-'));
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

interface Kept {
  readonly small: string;
  readonly large: string;
}

async function fill(store: KeptWormStore): Promise<Kept> {
  const worm = store.forTenant(TENANT);
  await worm.putRecords([RECORD]);
  const small = await worm.putBlob(once(SMALL), 64 * MIB);
  const large = await worm.putBlob(once(LARGE), 64 * MIB);
  return { small: small.sha256, large: large.sha256 };
}

async function expectWhole(store: KeptWormStore, { small, large }: Kept): Promise<void> {
  expect((await read(store, small)).equals(SMALL)).toBe(true);
  expect((await read(store, large)).equals(LARGE)).toBe(true);
  expect(await recordIn(store, RECORD.sha256)).toMatchObject({ bytes: RECORD.bytes, seed: SEED_HEX });
}

describe.each(['mongodb', 'filesystem'])('an encrypted store on %s', (driver) => {
  let store: Store;
  const rows = () => wormDatabase(store.database).collection<KeyRow>('worm_keys', { promoteBuffers: true });
  const endEpoch = async (): Promise<void> => {
    const worm = wormDatabase(store.database);
    await rewrapKeys(worm, new EpochKeys(BOTH, systemRandomness()), () => undefined);
    await (await checkEpochs(worm, BOTH))?.(store.clock);
  };

  beforeEach(async () => {
    const name = `sealed${++databases}`;
    store = new Store(await server.connect(name), driver === 'mongodb' ? null : join(root, name));
  });

  it('shows no content, record or seed to who reads all of its bytes, and returns them', async () => {
    await store.with(FIRST, async (open) => {
      const kept = await fill(open);
      const bytes = await store.allBytes();
      expect(bytes.includes(MARK)).toBe(false);
      expect(bytes.includes(SEED_HEX) || bytes.includes(SEED_HEX.toString('hex'))).toBe(false);
      await expectWhole(open, kept);
    });
  });

  it('gives each content a key, and destroys it with the content', async () => {
    await store.with(FIRST, async (open) => {
      const { small, large } = await fill(open);
      const [one] = await rows().find({ _id: /^blb_/ }).sort({ _id: 1 }).toArray();
      store.pass();
      expect(await open.upkeepOf(TENANT).dropBlob(small, async () => false)).toBe(true);
      expect(await rows().findOne({ _id: one?._id ?? '' })).toBeNull();
      expect(await rows().countDocuments({ _id: /^blb_/ })).toBe(1);
      await expect(read(open, small)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await read(open, large)).equals(LARGE)).toBe(true);
    });
  });

  it('keeps nothing readable of a disposed content after the end of the epoch, also not from what its rows were', async () => {
    const { small, large } = await store.with(FIRST, fill);
    const fileId = (await wormDatabase(store.database).collection('blobs').findOne({ '_id.sha256': small }))?.[
      'file_id'
    ];
    const remnant = await rows().findOne({ _id: fileId });
    store.pass();
    await store.with(FIRST, (open) => open.upkeepOf(TENANT).dropBlob(small, async () => false));
    const opens = (keys: EpochKeys): Buffer =>
      keys.unwrap(fileId, { epoch: 1, wrapped: Buffer.from(remnant?.wrapped ?? []) });
    // A finder of the old row on the disk can open it until the epoch ends.
    expect(opens(new EpochKeys(FIRST, systemRandomness()))).toHaveLength(32);
    await endEpoch();
    expect(await countOthers(wormDatabase(store.database), 2)).toBe(0);
    expect(() => opens(new EpochKeys(SECOND, systemRandomness()))).toThrow('does not match');
    await store.with(SECOND, async (open) => {
      expect((await read(open, large)).equals(LARGE)).toBe(true);
      await expect(read(open, small)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await recordIn(open, RECORD.sha256)).toMatchObject({ bytes: RECORD.bytes });
    });
  });

  it('is whole after a crash at each step of the end of an epoch, and the next run completes it', async () => {
    const kept = await store.with(FIRST, fill);
    const worm = wormDatabase(store.database);
    // After the new key is in the file, and after some keys are wrapped under it.
    const some = await rows().find({}).sort({ _id: 1 }).limit(2).toArray();
    const epochs = new EpochKeys(BOTH, systemRandomness());
    for (const row of some) {
      const key = epochs.unwrap(row._id, { epoch: 1, wrapped: Buffer.from(row.wrapped ?? []) });
      await rows().updateOne({ _id: row._id }, { $set: epochs.wrap(row._id, key) });
    }
    expect(await checkEpochs(worm, BOTH)).not.toBeNull();
    await store.with(BOTH, (open) => expectWhole(open, kept));
    expect(await rewrapKeys(worm, epochs, () => undefined)).toBe((await rows().countDocuments({ epoch: 2 })) - 2);
    // After all keys are wrapped, and after the epoch has begun.
    await store.with(BOTH, (open) => expectWhole(open, kept));
    expect(await rewrapKeys(worm, epochs, () => undefined)).toBe(0);
    await store.with(SECOND, (open) => expectWhole(open, kept));
  });

  it('does not open without its keys, with other keys, or with a copy of the keys from before', async () => {
    await store.with(FIRST, fill);
    await expect(store.open(null)).rejects.toThrow('its keys are missing');
    await expect(store.open({ current: 1, keys: { 1: KEYS[3] } })).rejects.toThrow('is not the one of this');
    await expect(store.open(SECOND)).rejects.toThrow('needs the key of epoch 1');
    await endEpoch();
    await expect(store.open(FIRST)).rejects.toThrow('needs the key of epoch 2');
    await store.with(SECOND, async (open) => expect(await recordIn(open, RECORD.sha256)).toBeDefined());
  });

  it('reports a key that was changed or moved, and does not end its epoch', async () => {
    const { small } = await store.with(FIRST, fill);
    const [one, two] = await rows().find({ _id: /^blb_/ }).sort({ _id: 1 }).toArray();
    await rows().updateOne({ _id: one?._id ?? '' }, { $set: { wrapped: two?.wrapped ?? Buffer.alloc(0) } });
    await store.with(FIRST, (open) => expect(read(open, small)).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' }));
    await expect(endEpoch()).rejects.toThrow('1 keys in worm_keys are damaged');
    expect(await countOthers(wormDatabase(store.database), 2)).toBe(1);
  });

  it('lists the unfinished upload whose key alone was stored, and removes it a day later', async () => {
    await store.with(FIRST, async (open) => {
      const from = store.clock.nowMs();
      const broken = async function* (): AsyncGenerator<Buffer> {
        yield LARGE;
        throw new Error('the client left');
      };
      await expect(open.forTenant(TENANT).putBlob(broken(), 64 * MIB)).rejects.toThrow('the client left');
      expect(await rows().countDocuments({ _id: /^blb_/ })).toBe(1);
      store.pass();
      expect(await open.removeOrphans(from)).toBe(1);
      expect(await rows().countDocuments({ _id: /^blb_/ })).toBe(0);
    });
  });

  describe('that was filled in clear', () => {
    let kept: Kept;
    const names = Array.from({ length: 50 }, (_, n) => recordOf(`${MARK}${n}`));
    const encrypt = () => encryptWormStore(store.deps(FIRST), store.folder, () => undefined);

    beforeEach(async () => {
      kept = await store.with(null, async (open) => {
        await open.forTenant(TENANT).putRecords(names);
        return fill(open);
      });
      expect((await store.allBytes()).includes(MARK)).toBe(true);
    });

    it('is read as it is, and encrypts what comes new', async () => {
      await store.with(FIRST, async (open) => {
        await expectWhole(open, kept);
        const before = await store.allBytes();
        const later = await open.forTenant(TENANT).putBlob(once(Buffer.from('SECOND-MARK')), MIB);
        await open.forTenant(TENANT).putRecords([recordOf('SECOND-MARK of a record')]);
        expect(before.includes('SECOND-MARK') || (await store.allBytes()).includes('SECOND-MARK')).toBe(false);
        expect((await read(open, later.sha256)).toString()).toBe('SECOND-MARK');
      });
    });

    it('is encrypted by a command, which is run again after it broke off', async () => {
      await store.with(FIRST, async () => undefined);
      let done = 0;
      const breaking = encryptWormStore(store.deps(FIRST), store.folder, () => {
        if (++done === 2) throw new Error('killed');
      });
      await expect(breaking).rejects.toThrow('killed');
      await store.with(FIRST, (open) => expectWhole(open, kept));
      expect(await encrypt()).toMatchObject({ left: [] });
      expect(await encrypt()).toEqual({ contents: 0, segments: 0, left: [] });
      expect((await store.allBytes()).includes(MARK)).toBe(false);
      await store.with(FIRST, async (open) => {
        await expectWhole(open, kept);
        const found = await open.forTenant(TENANT).readRecords(names.map(({ sha256 }) => sha256));
        expect(found.size).toBe(names.length);
        for (const { sha256, bytes } of names) expect(found.get(sha256)?.bytes.equals(bytes)).toBe(true);
      });
    });

    it('keeps the order, the limits and the disposal of what the command encrypted', async () => {
      await store.with(FIRST, async () => undefined);
      const listed = (open: KeptWormStore, segment: string) => open.upkeepOf(TENANT).names(segment, null, 100);
      const segment = await store.with(FIRST, async (open) => {
        const [first] = await open.upkeepOf(TENANT).segments();
        return { name: first?._id ?? '', names: await listed(open, first?._id ?? '') };
      });
      expect(segment.names.length).toBeGreaterThan(LIMITS.segmentRecords / 2);
      await encrypt();
      store.pass();
      await store.with(FIRST, async (open) => {
        expect(await listed(open, segment.name)).toEqual(segment.names);
        expect(await open.upkeepOf(TENANT).dropBlob(kept.small, async () => false)).toBe(true);
        await expect(read(open, kept.small)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        expect(await rows().countDocuments({ _id: /^blb_/ })).toBe(1);
        await wormDatabase(store.database)
          .collection<{ _id: string }>('worm_segments')
          .updateOne({ _id: segment.name }, { $set: { state: 'SEALED' } });
        await open.upkeepOf(TENANT).dropSegment(segment.name);
        expect(await rows().findOne({ _id: segment.name })).toBeNull();
      });
    });
  });
});
