import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../shared/clock/clock.js';
import type { WormBucket } from '../../../shared/config/worm-bucket.js';
import type { Database } from '../../../shared/db/database.js';
import { type WormDeps, wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import { contentName, crypted, objectKey, RecordCipher } from '../../../shared/worm/keys/content-cipher.js';
import { bucketKeysOf } from '../../../shared/worm/keys/open-keys.js';
import { openFileWormStore, openMongoWormStore, openObjectWormStore } from '../../../shared/worm/open-worm-store.js';
import { FRAME_HEAD_BYTES, frameOf, nextSoundFrame, readFrame } from '../../../shared/worm/records/frames.js';
import type { KeptWormStore } from '../../../shared/worm/worm-store.js';
import { BUCKET_PROGRAMS, type BucketServer, startBucketServer } from '../../support/bucket-server.js';
import { beneathBucket } from './beneath-bucket.js';

const BLOCK_BYTES = 1_048_576;

/** A place with encrypted contents and records. */
export interface SealedPlace {
  readonly sealed: null | string;
}

/** Where the bytes lie: null in the database, a folder, or a bucket. */
export type WormPlace = null | string | WormBucket | SealedPlace;

export const EPOCH_KEYS = { current: 1, keys: { 1: '5a'.repeat(32) } } as const;

export function openWorm(deps: WormDeps, place: WormPlace): Promise<KeptWormStore> {
  if (place !== null && typeof place === 'object' && 'sealed' in place)
    return openWorm({ epochKeys: EPOCH_KEYS, ...deps }, place.sealed);
  if (place === null) return openMongoWormStore(deps);
  return typeof place === 'string' ? openFileWormStore(deps, place) : openObjectWormStore(deps, place);
}

export interface HeldRecord {
  readonly _id: string;
  readonly bytes: Buffer;
  readonly seed?: Buffer;
}

/** Access to the bytes under a store that bypasses the service. */
export interface Beneath {
  records(segment: string): Promise<readonly HeldRecord[]>;
  /** Puts other bytes, and another seed or none, under the name of a record that is there. */
  replace(segment: string, sha256: string, bytes: Buffer, seed?: Buffer): Promise<void>;
  remove(segment: string, sha256: string): Promise<void>;
  add(segment: string, record: HeldRecord): Promise<void>;
  block(fileId: string, n: number): Promise<Buffer>;
  replaceBlock(fileId: string, n: number, data: Buffer): Promise<void>;
  removeBlocks(fileId: string): Promise<void>;
}

export interface WormDriver {
  readonly name: string;
  readonly folder: () => Promise<WormPlace>;
  readonly beneath: (database: Database, place: WormPlace) => Beneath;
}

/** Servers of the buckets that suites use. */
const servers = new Map<WormPlace, BucketServer>();

const bucketDriver = (program: (typeof BUCKET_PROGRAMS)[number]): WormDriver => ({
  name: `s3 (${program.name})`,
  folder: async () => {
    const server = await startBucketServer(program);
    const place = await server.bucket('eas-worm');
    servers.set(place, server);
    return place;
  },
  beneath: (database, place) => beneathBucket(database, bucketOf(place)),
});

function bucketOf(place: WormPlace): WormBucket {
  if (place === null || typeof place === 'string' || 'sealed' in place) throw new Error('no bucket');
  return place;
}

const bucketDrivers = BUCKET_PROGRAMS.filter(({ lack }) => lack === null).map(bucketDriver);

const LOCAL_DRIVERS: readonly WormDriver[] = [
  { name: 'mongodb', folder: async () => null, beneath: (database) => beneathMongo(database) },
  {
    name: 'filesystem',
    folder: () => mkdtemp(join(tmpdir(), 'eas-worm-')),
    beneath: (_, folder) => beneathFiles(typeof folder === 'string' ? folder : ''),
  },
];

/** The local drivers with the layer that encrypts. */
export const SEALED_DRIVERS: readonly WormDriver[] = LOCAL_DRIVERS.map(({ name, folder, beneath }) => ({
  name: `${name}, encrypted`,
  folder: async () => {
    const place = await folder();
    return { sealed: typeof place === 'string' ? place : null };
  },
  beneath: (database, place) => beneathSealed(database, beneath(database, innerOf(place))),
}));

const innerOf = (place: WormPlace): null | string =>
  place !== null && typeof place === 'object' && 'sealed' in place ? place.sealed : null;

/** All drivers keep the same promises. objects/bucket-rules.test.ts names an absent bucket server. */
export const EVERY_WORM_DRIVER: readonly WormDriver[] = [...LOCAL_DRIVERS, ...SEALED_DRIVERS, ...bucketDrivers];

/** Each driver once, with one server of buckets: suites of what lies above the store run over each. */
export const WORM_DRIVERS: readonly WormDriver[] = [...LOCAL_DRIVERS, ...bucketDrivers.slice(0, 1)];

/** Deletes a folder, or stops the server of a bucket. */
export async function dropFolder(place: WormPlace): Promise<void> {
  const folder = innerOf(place) ?? place;
  if (typeof folder === 'string') await rm(folder, { recursive: true, force: true });
  await servers.get(place)?.stop();
  servers.delete(place);
}

/** Changes beneath the layer that encrypts, by someone who also has its keys. */
function beneathSealed(database: Database, inner: Beneath): Beneath {
  const db = wormDatabase(database);
  const keys = bucketKeysOf({ db, retention: db, clock: systemClock, epochKeys: EPOCH_KEYS });
  const keyOf = async (name: string): Promise<Buffer> => (await keys.find(name)) ?? Buffer.alloc(32);
  const ciphered = async (segment: string, { _id, bytes, seed }: HeldRecord): Promise<HeldRecord> => ({
    _id,
    ...new RecordCipher(await keyOf(segment)).crypted(_id, bytes, seed),
  });
  const block = async (fileId: string, n: number, data: Buffer): Promise<Buffer> =>
    crypted(objectKey(await keyOf(fileId), contentName(fileId)), n * BLOCK_BYTES, data);
  return {
    ...inner,
    records: async (segment) => Promise.all((await inner.records(segment)).map((record) => ciphered(segment, record))),
    replace: async (segment, _id, bytes, seed) => {
      const sealed = await ciphered(segment, { _id, bytes, ...(seed && { seed }) });
      await inner.replace(segment, _id, sealed.bytes, sealed.seed);
    },
    add: async (segment, record) => inner.add(segment, await ciphered(segment, record)),
    block: async (fileId, n) => block(fileId, n, await inner.block(fileId, n)),
    replaceBlock: async (fileId, n, data) => inner.replaceBlock(fileId, n, await block(fileId, n, data)),
  };
}

function beneathMongo(database: Database): Beneath {
  const db = wormDatabase(database);
  const records = (segment: string) => db.collection<{ _id: string; bytes: { buffer: Uint8Array } }>(segment);
  const chunks = db.collection<{ files_id: string; n: number; data: { buffer: Uint8Array } }>('worm_blobs.chunks');
  return {
    records: async (segment) =>
      (await records(segment).find({}).toArray()).map(({ _id, bytes }) => ({ _id, bytes: Buffer.from(bytes.buffer) })),
    replace: async (segment, _id, bytes, seed) =>
      void (await records(segment).replaceOne({ _id }, { bytes: bytes as never, ...(seed && { seed }) })),
    remove: async (segment, _id) => void (await records(segment).deleteOne({ _id })),
    add: async (segment, record) => void (await records(segment).insertOne(record as never)),
    block: async (files_id, n) => Buffer.from((await chunks.findOne({ files_id, n }))?.data.buffer ?? []),
    replaceBlock: async (files_id, n, data) =>
      void (await chunks.updateOne({ files_id, n }, { $set: { data: data as never } })),
    removeBlocks: async (files_id) => void (await chunks.deleteMany({ files_id })),
  };
}

interface HeldPart {
  readonly path: string;
  readonly bytes: Buffer;
  readonly frames: readonly { readonly record: HeldRecord; readonly from: number; readonly to: number }[];
}

function beneathFiles(folder: string): Beneath {
  const write = async (path: string, bytes: Buffer): Promise<void> => {
    await chmod(path, 0o600);
    await writeFile(path, bytes);
  };
  const cut = async (segment: string, sha256: string, by: Buffer): Promise<void> => {
    for (const { path, bytes, frames } of await partsOf(join(folder, 'segments', segment))) {
      const frame = frames.find(({ record }) => record._id === sha256);
      if (frame) await write(path, Buffer.concat([bytes.subarray(0, frame.from), by, bytes.subarray(frame.to)]));
    }
  };
  const fileOf = (fileId: string): string => join(folder, 'blobs', fileId.slice(0, 10), fileId);
  return {
    records: async (segment) =>
      (await partsOf(join(folder, 'segments', segment))).flatMap(({ frames }) => frames.map(({ record }) => record)),
    replace: (segment, sha256, bytes, seed) => cut(segment, sha256, frameOf({ sha256, bytes, ...(seed && { seed }) })),
    remove: (segment, sha256) => cut(segment, sha256, Buffer.alloc(0)),
    add: async (segment, { _id, bytes, seed }) => {
      const place = join(folder, 'segments', segment);
      await chmod(place, 0o700);
      await writeFile(
        join(place, `stray-${_id.slice(0, 8)}.part`),
        frameOf({ sha256: _id, bytes, ...(seed && { seed }) }),
      );
    },
    block: async (fileId, n) => (await readFile(fileOf(fileId))).subarray(n * BLOCK_BYTES, (n + 1) * BLOCK_BYTES),
    replaceBlock: async (fileId, n, data) => {
      const bytes = await readFile(fileOf(fileId));
      const rest = bytes.subarray((n + 1) * BLOCK_BYTES);
      await write(fileOf(fileId), Buffer.concat([bytes.subarray(0, n * BLOCK_BYTES), data, rest]));
    },
    removeBlocks: (fileId) => rm(fileOf(fileId)),
  };
}

/** Parts by name, with the whole frames in them. */
export async function partsOf(place: string): Promise<readonly HeldPart[]> {
  const names = (await readdir(place)).filter((name) => name.endsWith('.part')).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(place, name);
      const bytes = await readFile(path);
      const frames = [];
      for (let at = 0; at < bytes.length; ) {
        const read = readFrame(bytes, at);
        const frame = typeof read === 'string' ? nextSoundFrame(bytes, at) : read;
        if (frame === null) break;
        const record = { _id: frame.sha256, bytes: bytes.subarray(frame.at, frame.at + frame.length) };
        frames.push({ record, from: frame.at - FRAME_HEAD_BYTES, to: frame.end });
        at = frame.end;
      }
      return { path, bytes, frames };
    }),
  );
}
