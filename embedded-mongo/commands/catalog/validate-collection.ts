import { checkDocument } from '../../bson/decode.js';
import { BsonDoc } from '../../bson/value.js';
import { type Collection, RecordWalk } from '../../catalog/collection.js';
import type { Index } from '../../catalog/index-definition.js';
import { fail, MongoError } from '../../errors.js';
import { keyStringOf } from '../../exec/index-scan.js';
import { CollectionScan } from '../../exec/scans.js';
import type { DocumentStore } from '../../store/document-store.js';
import type { Bytes } from '../../store/environment.js';
import { prefixKey, RID_BYTES, readRid } from '../../store/keys.js';
import type { WriteSteps } from '../../txn/write-queue.js';
import { okReply, type ServerContext } from '../command.js';

const ENTRIES_PER_STEP = 256;
/** Keys of documents with many keys are cached, because each of their entries needs all of them. */
const KEPT_DOCUMENTS = 32;
const KEPT_FROM_KEYS = 16;

interface Kept {
  readonly raw: Buffer;
  readonly keys: ReadonlySet<string>;
}

/** Walks an index in key order and finds entries without a record. */
class EntryAudit {
  entries = 0;
  strays = 0;
  #lastKey: Buffer | undefined;
  readonly #kept = new Map<number, Kept>();
  readonly #store: DocumentStore;
  readonly #data: Bytes;
  readonly #collection: Collection;
  readonly #index: Index;

  constructor(store: DocumentStore, data: Bytes, collection: Collection, index: Index) {
    this.#store = store;
    this.#data = data;
    this.#collection = collection;
    this.#index = index;
  }

  /** Checks the next entries; returns false at the end. */
  step(): boolean {
    const index = this.#index;
    const start = this.#lastKey ?? prefixKey(index.id);
    const found = [...this.#data.getRange({ start, end: prefixKey(index.id + 1), limit: ENTRIES_PER_STEP + 1 })];
    let fresh = 0;
    for (const { key, value } of found) {
      if (this.#lastKey?.equals(key)) continue;
      fresh += 1;
      this.entries += 1;
      this.#lastKey = key;
      const rid = index.unique ? readRid(value, 0) : readRid(key, key.length - RID_BYTES);
      if (!this.#keysOf(rid)?.has(keyStringOf(key, index.unique).toString('latin1'))) this.strays += 1;
    }
    return fresh > 0;
  }

  #keysOf(rid: number): ReadonlySet<string> | undefined {
    const raw = this.#store.read(this.#collection.id, rid);
    if (!raw) return undefined;
    const kept = this.#kept.get(rid);
    if (kept?.raw.equals(raw)) return kept.keys;
    const keys = new Set(this.#store.entriesCalledFor(this.#index, raw).map((key) => key.toString('latin1')));
    if (keys.size >= KEPT_FROM_KEYS) {
      const oldest = this.#kept.size >= KEPT_DOCUMENTS ? this.#kept.keys().next().value : undefined;
      if (oldest !== undefined) this.#kept.delete(oldest);
      this.#kept.set(rid, { raw, keys });
    }
    return keys;
  }
}

const RECORDS_PER_STEP = 64;
const MAX_ERRORS_TOLD = 100;

/**
 * Compares records and index entries: every record decodes, every expected entry exists and points at its record, and
 * every entry has a record. Runs in steps between other writes; each step looks at one record or entry, and the
 * counters are compared when the walk ends.
 */
export function* validateCollection(context: ServerContext, collection: Collection): WriteSteps<BsonDoc> {
  const errors: string[] = [];
  let walk = yield* walkRecords(context, collection, errors);
  // A group was rolled back meanwhile, so the walk may have counted changes that did not happen.
  while (walk.disturbed) {
    errors.length = 0;
    walk = yield* walkRecords(context, collection, errors);
  }
  const keysPerIndex = new BsonDoc();
  for (const index of collection.readyIndexes) {
    const entries = yield* walkEntries(context, collection, index, errors);
    keysPerIndex.appendAll({ [index.name]: entries });
  }
  return okReply({
    ns: collection.namespace,
    nrecords: walk.records,
    nIndexes: keysPerIndex.size,
    keysPerIndex,
    valid: errors.length === 0,
    errors: errors.slice(0, MAX_ERRORS_TOLD),
    warnings: [],
  });
}

function* walkRecords(context: ServerContext, collection: Collection, errors: string[]): WriteSteps<RecordWalk> {
  const { counters } = collection;
  const walk = new RecordWalk();
  collection.walks.add(walk);
  const scan = new CollectionScan(context.store, context.env.data, collection, 1);
  try {
    for (let n = 1; scan.next(); n++) {
      walk.pass(scan.rid, scan.raw.length);
      checkRecord(context, collection, scan.rid, Buffer.from(scan.raw), errors);
      if (n % RECORDS_PER_STEP !== 0) continue;
      yield;
      refuseDropped(collection);
      if (walk.disturbed) return walk;
    }
    if (walk.records !== collection.counters.documents)
      errors.push(`${walk.records} records, but ${counters.documents} are counted`);
    if (walk.bytes !== collection.counters.sizeBytes)
      errors.push(`${walk.bytes} bytes, but ${counters.sizeBytes} are counted`);
    return walk;
  } finally {
    collection.walks.delete(walk);
  }
}

function checkRecord(
  { store }: ServerContext,
  collection: Collection,
  rid: number,
  raw: Buffer,
  errors: string[],
): void {
  const fault = faultOf(raw);
  if (fault) {
    errors.push(`record ${rid}: ${fault}`);
    return;
  }
  for (const index of collection.readyIndexes) {
    const { missing } = store.checkEntries(index, rid, raw);
    if (missing > 0) errors.push(`record ${rid} lacks ${missing} entries in index ${index.name}`);
  }
}

function* walkEntries(
  context: ServerContext,
  collection: Collection,
  index: Index,
  errors: string[],
): WriteSteps<number> {
  const audit = new EntryAudit(context.store, context.env.data, collection, index);
  while (audit.step()) {
    yield;
    refuseDropped(collection);
    // The index was dropped meanwhile.
    if (index.dropped) return 0;
  }
  if (audit.strays > 0) errors.push(`index ${index.name} holds ${audit.strays} entries that no record calls for`);
  return audit.entries;
}

function refuseDropped(collection: Collection): void {
  if (collection.dropped) fail('QueryPlanKilled', 'the collection was dropped during validation');
}

function faultOf(raw: Buffer): string | undefined {
  try {
    checkDocument(raw);
    return undefined;
  } catch (error) {
    if (error instanceof MongoError) return error.message;
    throw error;
  }
}
