import { checkDocument } from '../bson/check.js';
import { BsonDoc } from '../bson/value.js';
import { type Collection, RecordWalk } from '../catalog/collection.js';
import type { Index } from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { CollectionScan } from '../exec/collection-scan.js';
import { EntryAudit } from '../exec/entry-audit.js';
import type { WriteSteps } from '../txn/write-queue.js';
import type { ServerContext } from './command.js';
import { okReply } from './ok-reply.js';

const recordsPerStep = 64;
const maxErrorsTold = 100;

/**
 * Holds records and index entries against each other: every record decodes, every entry a record calls for is there
 * and points at it, and every entry belongs to a record that calls for it. Runs in steps between the writes of others:
 * each look is at one record or entry as it stands, and the counters are compared at the one moment the walk ends.
 */
export function* validateCollection(context: ServerContext, collection: Collection): WriteSteps<BsonDoc> {
  const errors: string[] = [];
  let walk = yield* walkRecords(context, collection, errors);
  // A group was undone meanwhile: what the walk had counted may not have happened.
  while (walk.disturbed) {
    errors.length = 0;
    walk = yield* walkRecords(context, collection, errors);
  }
  const keysPerIndex = new BsonDoc();
  for (const index of collection.readyIndexes) {
    const entries = yield* walkEntries(context, collection, index, errors);
    for (const [name, value] of BsonDoc.of({ [index.name]: entries })) keysPerIndex.append(name, value);
  }
  return okReply({
    ns: collection.namespace,
    nrecords: walk.records,
    nIndexes: keysPerIndex.size,
    keysPerIndex,
    valid: errors.length === 0,
    errors: errors.slice(0, maxErrorsTold),
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
      if (n % recordsPerStep !== 0) continue;
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
    // An index dropped meanwhile has nothing left to be held against.
    if (index.dropped) return 0;
  }
  if (audit.strays > 0) errors.push(`index ${index.name} holds ${audit.strays} entries that no record calls for`);
  return audit.entries;
}

function refuseDropped(collection: Collection): void {
  if (collection.dropped) throw new MongoError('QueryPlanKilled', 'the collection was dropped during validation');
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
