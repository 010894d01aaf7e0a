import { Long } from 'bson';
import type { Documents } from '../aggregate/stage.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDate, BsonDoc } from '../bson/value.js';
import { describeIndex } from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { integerArgument } from './arguments.js';
import type { ServerContext } from './command.js';
import { describeOperation } from './operation-commands.js';

interface Place {
  readonly db: string;
  readonly name: string;
}

/** What `$collStats`, `$indexStats` and `$currentOp` tell of a collection or of the server. */
export function pipelineFacts(context: ServerContext, place: Place) {
  return (stage: string, options: BsonDoc): (() => Documents) => {
    if (stage === '$collStats') return collStats(context, place, options);
    return stage === '$indexStats' ? indexStats(context, place, options) : currentOp(context, place, options);
  };
}

function refuseUnknown(stage: string, options: BsonDoc, known: readonly string[]): void {
  const unknown = options.keys.find((key) => !known.includes(key));
  if (unknown) throw new MongoError(40_415, `BSON field '${stage}.${unknown}' is not supported by this server`);
}

function collStats(context: ServerContext, { db, name }: Place, options: BsonDoc): () => Documents {
  refuseUnknown('$collStats', options, ['count', 'storageStats']);
  const storage = options.get('storageStats');
  const scale = storage instanceof BsonDoc ? (integerArgument(storage, 'scale') ?? 1) : 1;
  return async function* () {
    const collection = context.catalog.get(db, name);
    if (!collection) throw new MongoError('NamespaceNotFound', `Collection [${db}.${name}] not found.`);
    const { documents, sizeBytes } = collection.counters;
    const size = Long.fromNumber(Math.floor(sizeBytes / scale));
    const stats = BsonDoc.of({ ns: collection.namespace, localTime: BsonDate.fromMs(context.system.nowMs()) });
    if (storage !== undefined) {
      const nindexes = collection.readyIndexes.length;
      const capped = collection.options.capped !== undefined;
      const numbers = { size, count: documents, storageSize: size, nindexes, capped, scaleFactor: scale };
      stats.append('storageStats', BsonDoc.of(numbers));
    }
    if (options.has('count')) stats.append('count', Long.fromNumber(documents));
    yield encodeDocument(stats);
  };
}

/** Uses are counted since the server started. */
function indexStats(context: ServerContext, { db, name }: Place, options: BsonDoc): () => Documents {
  refuseUnknown('$indexStats', options, []);
  return async function* () {
    const since = BsonDate.fromMs(context.startedAtMs);
    for (const index of context.catalog.get(db, name)?.readyIndexes ?? []) {
      const accesses = { ops: Long.fromNumber(index.uses), since };
      const spec = describeIndex(index.spec);
      yield encodeDocument(
        BsonDoc.of({ name: index.name, key: index.spec.key, host: 'embedded-mongo', accesses, spec }),
      );
    }
  };
}

function currentOp(context: ServerContext, { db, name }: Place, options: BsonDoc): () => Documents {
  refuseUnknown('$currentOp', options, ['allUsers', 'localOps', 'idleConnections', 'idleCursors', 'idleSessions']);
  if (db !== 'admin' || name !== wholeDatabase) {
    throw new MongoError('InvalidNamespace', "$currentOp must be run against the 'admin' database with {aggregate: 1}");
  }
  return async function* () {
    const nowMs = context.system.monotonicMs();
    for (const operation of context.operations.all()) yield encodeDocument(describeOperation(operation, nowMs));
  };
}

/** The name that `{ aggregate: 1 }` stands for: a pipeline that begins with documents of its own. */
export const wholeDatabase = '$cmd.aggregate';
