import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../../db/connection-options.js';
import { duplicateKeyOf } from '../../db/duplicate-key.js';
import { WritesInFlight } from '../blobs/in-flight.js';
import type { BlobRow } from '../blobs/tenant-blobs.js';
import type { SegmentDirectory } from '../segments/directory.js';
import { isSegmentName } from '../segments/names.js';
import type { WormTenant } from '../worm-store.js';

/** Bytes of one tenant by their hashes. */
export interface HeldBytes {
  readonly records: readonly string[];
  readonly contents: readonly string[];
}

/**
 * Legal hold flags on the objects of one tenant. An object with the flag cannot be deleted, also after its lock ends. It keeps the
 * flag until every hold that set it has lifted it.
 */
export interface HoldFlags {
  /**
   * Sets the flag of each object that holds any of these bytes; repeating it changes nothing.
   *
   * @param hold the name by which `lift` finds the objects
   * @returns the hashes of bytes that no object holds
   * @throws UNAVAILABLE
   */
  set(hold: string, bytes: HeldBytes): Promise<ReadonlySet<string>>;
  /**
   * Lifts a hold from up to `limit` objects.
   *
   * @returns the number of these objects; fewer than the limit means that none is left
   * @throws UNAVAILABLE
   */
  lift(hold: string, limit: number): Promise<number>;
  /** Returns the holds that have set the flag of an object with this record. */
  holdsOver(recordSha256: string): Promise<readonly string[]>;
}

/** Objects that can be flagged, in a medium that has such flags. */
export interface FlaggedObjects {
  /** Returns the object of each record that the segment holds. */
  ofRecords(segment: string, sha256s: readonly string[]): Promise<ReadonlyMap<string, string>>;
  ofContent(fileId: string): string;
  /** Returns the current version; null if there is no such object. */
  version(object: string): Promise<string | null>;
  /** @returns false if the version is gone */
  hold(object: string, version: string, on: boolean): Promise<boolean>;
}

/** Says that a hold needs the flag of one version. Durable before the flag is set, and deleted after it is lifted. */
interface HoldRow {
  readonly _id: { readonly hold: string; readonly object: string; readonly version: string };
  /** True once the flag may have been lifted. */
  readonly lifting?: true;
}

const REQUESTS_IN_FLIGHT = 16;
const COLLECTION = 'worm_holds';
const durable = { writeConcern: DURABLE } as const;

interface FlagDeps {
  readonly db: Db;
  /** The same database under the only credential that may change and delete. */
  readonly retention: Db;
  readonly objects: FlaggedObjects;
  readonly directory: SegmentDirectory;
}

export async function prepareHoldFlags(db: Db): Promise<void> {
  await db.collection(COLLECTION).createIndex({ '_id.hold': 1 });
  await db.collection(COLLECTION).createIndex({ '_id.object': 1, '_id.version': 1 });
}

export class TenantHoldFlags implements HoldFlags {
  readonly #deps: FlagDeps;
  readonly #tenant: WormTenant;
  readonly #rows: Collection<HoldRow>;
  readonly #taken: Collection<HoldRow>;

  constructor(deps: FlagDeps, tenant: WormTenant) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.#rows = deps.db.collection<HoldRow>(COLLECTION);
    this.#taken = deps.retention.collection<HoldRow>(COLLECTION);
  }

  async set(hold: string, bytes: HeldBytes): Promise<ReadonlySet<string>> {
    const byObject = await this.#objectsOf(bytes);
    const missing = new Set([...bytes.records, ...bytes.contents]);
    await inFlight(byObject, async ([object, sha256s]) => {
      if (await this.#setOne(hold, object)) for (const sha256 of sha256s) missing.delete(sha256);
    });
    return missing;
  }

  async lift(hold: string, limit: number): Promise<number> {
    const rows = await this.#taken.find({ '_id.hold': hold }, { limit }).toArray();
    await inFlight(rows, (row) => this.#liftOne(row));
    return rows.length;
  }

  async holdsOver(recordSha256: string): Promise<readonly string[]> {
    const objects = await this.#objectsOf({ records: [recordSha256], contents: [] });
    const rows = await this.#rows.find({ '_id.object': { $in: [...objects.keys()] } }).toArray();
    return [...new Set(rows.map(({ _id }) => _id.hold))];
  }

  async #setOne(hold: string, object: string): Promise<boolean> {
    const { objects } = this.#deps;
    const version = await objects.version(object);
    if (version === null) return false;
    try {
      await this.#rows.insertOne({ _id: { hold, object, version } }, durable);
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
    }
    // Sets it also where a row exists: an earlier attempt may have ended between the two.
    return objects.hold(object, version, true);
  }

  /**
   * Lifts the flag unless another hold needs it. A hold that sets the flag meanwhile has stored its row first, so a second look
   * finds it. The mark makes an attempt after a crash set the flag again.
   */
  async #liftOne({ _id, lifting }: HoldRow): Promise<void> {
    const { object, version } = _id;
    const { objects } = this.#deps;
    if (lifting === undefined) await this.#taken.updateOne({ _id }, { $set: { lifting: true } }, durable);
    if (await this.#isNeeded(_id)) {
      if (lifting !== undefined) await objects.hold(object, version, true);
    } else {
      await objects.hold(object, version, false);
      if (await this.#isNeeded(_id)) await objects.hold(object, version, true);
    }
    await this.#taken.deleteOne({ _id }, durable);
  }

  async #isNeeded({ object, version }: HoldRow['_id']): Promise<boolean> {
    const others = { '_id.object': object, '_id.version': version, lifting: { $exists: false } };
    return (await this.#taken.findOne(others)) !== null;
  }

  /** @returns the hashes of the bytes in each object; a record may have copies in several segments */
  async #objectsOf({ records, contents }: HeldBytes): Promise<ReadonlyMap<string, readonly string[]>> {
    const { db, objects, directory } = this.#deps;
    const { tenantId, logId } = this.#tenant;
    const found = new Map<string, string[]>();
    const add = (object: string, sha256: string): void => {
      const known = found.get(object);
      if (known === undefined) found.set(object, [sha256]);
      else known.push(sha256);
    };
    const ids = contents.map((sha256) => ({ tenant_id: tenantId, sha256 }));
    const rows = await db
      .collection<BlobRow>('blobs')
      .find({ _id: { $in: ids } })
      .toArray();
    for (const { _id, file_id } of rows) add(objects.ofContent(file_id), _id.sha256);
    const segments = records.length === 0 ? [] : await directory.list(logId);
    for (const { _id: segment, state } of segments) {
      if (state === 'DROPPED' || !isSegmentName(segment, logId)) continue;
      for (const [sha256, object] of await objects.ofRecords(segment, records)) add(object, sha256);
    }
    return found;
  }
}

async function inFlight<T>(items: Iterable<T>, act: (item: T) => Promise<void>): Promise<void> {
  const running = new WritesInFlight(REQUESTS_IN_FLIGHT);
  try {
    for (const item of items) await running.add(() => act(item));
    await running.done();
  } finally {
    await running.settled();
  }
}
