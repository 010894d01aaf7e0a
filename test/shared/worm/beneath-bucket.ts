import { systemClock } from '../../../shared/clock/clock.js';
import type { WormBucket } from '../../../shared/config/worm-bucket.js';
import type { Database } from '../../../shared/db/database.js';
import { wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import { crypted, objectKey } from '../../../shared/worm/keys/content-cipher.js';
import { loadS3, S3Bucket } from '../../../shared/worm/objects/s3-bucket.js';
import { FRAME_HEAD_BYTES, frameOf, framesIn } from '../../../shared/worm/records/frames.js';
import type { Beneath, HeldRecord } from './drivers.js';

const BLOCK_BYTES = 1_048_576;
const MAX_OBJECT_BYTES = 64 * BLOCK_BYTES;

interface KeyRow {
  readonly _id: string;
  readonly key: { readonly buffer: Uint8Array };
}

/** Changes a bucket by new versions of its objects; the locked versions stay beneath them. */
export function beneathBucket(database: Database, settings: WormBucket): Beneath {
  const db = wormDatabase(database);
  const opening = loadS3().then((sdk) => new S3Bucket(sdk, settings, systemClock));
  const places = db.collection<{ _id: { segment: string; sha256: string }; part: string; at: number; length: number }>(
    'worm_places',
  );
  const keyOf = async (owner: string, name: string): Promise<Buffer> => {
    const row = await db.collection<KeyRow>('worm_keys').findOne({ _id: owner });
    return objectKey(Buffer.from(row?.key.buffer ?? []), name);
  };
  const read = async (owner: string, name: string): Promise<Buffer> => {
    const stored = await (await opening).read(name, 0, MAX_OBJECT_BYTES);
    return crypted(await keyOf(owner, name), 0, stored ?? Buffer.alloc(0));
  };
  const write = async (owner: string, name: string, bytes: Buffer): Promise<void> =>
    (await opening).put(name, crypted(await keyOf(owner, name), 0, bytes));
  const partsOf = async (segment: string): Promise<readonly (readonly [string, Buffer])[]> => {
    const parts: [string, Buffer][] = [];
    for await (const name of (await opening).names(`segments/${segment}/`))
      parts.push([name, await read(segment, name)]);
    return parts;
  };
  const cut = async (segment: string, sha256: string, by: Buffer): Promise<void> => {
    for (const [name, bytes] of await partsOf(segment)) {
      const frame = [...framesIn(bytes)].find((one) => one.sha256 === sha256);
      if (frame === undefined) continue;
      const rest = [bytes.subarray(0, frame.at - FRAME_HEAD_BYTES), by, bytes.subarray(frame.end)];
      await write(segment, name, Buffer.concat(rest));
    }
  };
  return {
    records: async (segment) =>
      (await partsOf(segment)).flatMap(([, bytes]) => [...framesIn(bytes)].map((frame) => heldOf(bytes, frame))),
    replace: (segment, sha256, bytes, seed) => cut(segment, sha256, frameOf({ sha256, bytes, ...(seed && { seed }) })),
    remove: async (segment, sha256) => {
      await cut(segment, sha256, Buffer.alloc(0));
      // An attacker who writes to the bucket and to the database: the row alone would say that the record is there.
      await places.deleteOne({ _id: { segment, sha256 } });
    },
    add: async (segment, { _id: sha256, bytes, seed }) => {
      const part = `blb_stray${sha256.slice(0, 8)}.part`;
      await write(segment, `segments/${segment}/${part}`, frameOf({ sha256, bytes, ...(seed && { seed }) }));
      await places.insertOne({ _id: { segment, sha256 }, part, at: FRAME_HEAD_BYTES, length: bytes.length });
    },
    block: async (fileId, n) =>
      (await read(fileId, `contents/${fileId}`)).subarray(n * BLOCK_BYTES, (n + 1) * BLOCK_BYTES),
    replaceBlock: async (fileId, n, data) => {
      const bytes = await read(fileId, `contents/${fileId}`);
      const changed = [bytes.subarray(0, n * BLOCK_BYTES), data, bytes.subarray((n + 1) * BLOCK_BYTES)];
      await write(fileId, `contents/${fileId}`, Buffer.concat(changed));
    },
    removeBlocks: async (fileId) => (await opening).conceal([`contents/${fileId}`]),
  };
}

const heldOf = (bytes: Buffer, { sha256, at, length }: { sha256: string; at: number; length: number }): HeldRecord => ({
  _id: sha256,
  bytes: bytes.subarray(at, at + length),
});
