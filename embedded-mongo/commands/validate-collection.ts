import { checkDocument } from '../bson/check.js';
import { BsonDoc } from '../bson/value.js';
import type { Collection } from '../catalog/collection.js';
import { MongoError } from '../errors.js';
import { CollectionScan } from '../exec/collection-scan.js';
import { prefixKey } from '../store/keys.js';
import type { ServerContext } from './command.js';
import { okReply } from './ok-reply.js';

/**
 * Holds records and index entries against each other: every record decodes, every entry a record calls for is there
 * and points at it, and there are no others. Runs whole, in one step, so that nothing changes underneath.
 */
export function validateCollection(context: ServerContext, collection: Collection): BsonDoc {
  const errors: string[] = [];
  const expected = new Map(collection.readyIndexes.map((index) => [index, 0]));
  const scan = new CollectionScan(context.store, context.env.data, collection, 1);
  let records = 0;
  let bytes = 0;
  while (scan.next()) {
    const raw = Buffer.from(scan.raw);
    records += 1;
    bytes += raw.length;
    const fault = faultOf(raw);
    if (fault) {
      errors.push(`record ${scan.rid}: ${fault}`);
      continue;
    }
    for (const [index, count] of expected) {
      const { entries, missing } = context.store.checkEntries(index, scan.rid, raw);
      expected.set(index, count + entries);
      if (missing > 0) errors.push(`record ${scan.rid} lacks ${missing} entries in index ${index.name}`);
    }
  }
  if (records !== collection.counters.documents)
    errors.push(`${records} records, but ${collection.counters.documents} are counted`);
  if (bytes !== collection.counters.sizeBytes)
    errors.push(`${bytes} bytes, but ${collection.counters.sizeBytes} are counted`);
  const keysPerIndex = new BsonDoc();
  for (const [index, count] of expected) {
    const found = countEntries(context, index.id);
    for (const [name, value] of BsonDoc.of({ [index.name]: found })) keysPerIndex.append(name, value);
    if (found !== count) errors.push(`index ${index.name} holds ${found} entries instead of ${count}`);
  }
  return okReply({
    ns: collection.namespace,
    nrecords: records,
    nIndexes: expected.size,
    keysPerIndex,
    valid: errors.length === 0,
    errors: errors.slice(0, 100),
    warnings: [],
  });
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

function countEntries({ env }: ServerContext, prefix: number): number {
  return env.data.getKeysCount({ start: prefixKey(prefix), end: prefixKey(prefix + 1) });
}
