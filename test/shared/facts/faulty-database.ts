import { MongoNetworkError } from 'mongodb';
import type { Database } from '../../../shared/db/database.js';
import { type Faults, LostAnswer } from '../../ledger/append/faults.js';

type Method = (...args: unknown[]) => unknown;

/** Methods of a collection that return a cursor; the cursor's own reads are spoilt. */
const CURSORS: ReadonlySet<PropertyKey> = new Set(['find', 'aggregate', 'listIndexes']);
const CURSOR_READS: ReadonlySet<PropertyKey> = new Set(['toArray', 'next', 'hasNext', 'tryNext', 'forEach']);
const COLLECTION_CALLS: ReadonlySet<PropertyKey> = new Set([
  'insertOne',
  'insertMany',
  'findOne',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'bulkWrite',
  'countDocuments',
  'estimatedDocumentCount',
  'distinct',
]);

/** The same object with some of its methods replaced. */
function replacing<T extends object>(target: T, replace: (name: PropertyKey, method: Method) => Method | undefined): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      const bound: Method = (...args) => value.apply(object, args);
      return replace(name, bound) ?? bound;
    },
  });
}

const passing =
  (faults: Faults, method: Method): Method =>
  (...args) =>
    faults.pass(async () => method(...args)).catch(asOfDriver);

/** The driver tells a lost answer from an answer that is an error. */
function asOfDriver(error: unknown): never {
  throw error instanceof LostAnswer ? new MongoNetworkError(error.message, { cause: error }) : error;
}

function faultyCursor(cursor: object, faults: Faults): object {
  return new Proxy(cursor, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      const bound: Method = (...args) => value.apply(object, args);
      if (CURSOR_READS.has(name)) return passing(faults, bound);
      if (name === Symbol.asyncIterator) {
        return async function* () {
          await faults.pass(async () => undefined);
          yield* bound() as AsyncIterable<unknown>;
        };
      }
      // Options of a cursor return the cursor.
      return (...args: unknown[]) => {
        const result = bound(...args);
        return result === object ? faultyCursor(cursor, faults) : result;
      };
    },
  });
}

/** The same database with every call of the driver going through `faults`. */
export function faultyDatabase(database: Database, faults: Faults): Database {
  const collectionOf =
    (collection: Method): Method =>
    (...args) =>
      replacing(collection(...args) as object, (name, method) => {
        if (CURSORS.has(name)) return (...given) => faultyCursor(method(...given) as object, faults);
        return COLLECTION_CALLS.has(name) ? passing(faults, method) : undefined;
      });
  const db = replacing(database.db, (name, method) => (name === 'collection' ? collectionOf(method) : undefined));
  return { ...database, db };
}
