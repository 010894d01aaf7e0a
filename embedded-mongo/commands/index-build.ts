import type { Collection } from '../catalog/collection.js';
import type { IndexSpec } from '../catalog/index-definition.js';
import { MongoError } from '../errors.js';
import { CollectionScan } from '../exec/collection-scan.js';
import type { WriteSteps } from '../txn/write-queue.js';
import type { ServerContext } from './command.js';

const documentsPerStep = 64;

/**
 * Builds an index in steps. From the first one on every write keeps the new index too, so the walk needs only reach
 * the documents there are; plans use it when it is complete. A failed or interrupted build leaves nothing.
 */
export function* buildIndex(context: ServerContext, collection: Collection, spec: IndexSpec): WriteSteps<void> {
  const { catalog, store, env } = context;
  const index = catalog.addIndex(collection, spec, true);
  const scan = new CollectionScan(store, env.data, collection, 1);
  try {
    for (let n = 1; scan.next(); n++) {
      // The bytes lmdb lends do not outlive the lookups of the unique check.
      store.addToIndex(collection, index, scan.rid, Buffer.from(scan.raw));
      if (n % documentsPerStep === 0) yield;
      if (collection.dropped)
        throw new MongoError('QueryPlanKilled', 'the collection was dropped during the index build');
      if (!collection.indexes.includes(index))
        throw new MongoError('QueryPlanKilled', 'the index was dropped during its build');
    }
  } catch (error) {
    if (collection.indexes.includes(index) && !collection.dropped) catalog.dropIndex(collection, index);
    throw error;
  }
  index.building = false;
  catalog.save(collection);
}
