import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../shared/db/database.js';
import { type WormDeps, wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import { openFileWormStore, openMongoWormStore } from '../../../shared/worm/open-worm-store.js';
import { FRAME_HEAD_BYTES, frameOf, nextSoundFrame, readFrame } from '../../../shared/worm/records/frames.js';
import type { KeptWormStore } from '../../../shared/worm/worm-store.js';

const BLOCK_BYTES = 1_048_576;

export const openWorm = (deps: WormDeps, folder: string | null): Promise<KeptWormStore> =>
  folder === null ? openMongoWormStore(deps) : openFileWormStore(deps, folder);

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
  readonly name: 'mongodb' | 'filesystem';
  /** Null where bytes lie in the database. */
  readonly folder: () => Promise<string | null>;
  readonly beneath: (database: Database, folder: string | null) => Beneath;
}

/** Both drivers keep the same promises: suites run over each. */
export const WORM_DRIVERS: readonly WormDriver[] = [
  { name: 'mongodb', folder: async () => null, beneath: (database) => beneathMongo(database) },
  {
    name: 'filesystem',
    folder: () => mkdtemp(join(tmpdir(), 'eas-worm-')),
    beneath: (_, folder) => beneathFiles(folder ?? ''),
  },
];

export const dropFolder = (folder: string | null): Promise<void> =>
  folder === null ? Promise.resolve() : rm(folder, { recursive: true, force: true });

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
