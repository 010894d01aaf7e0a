import {
  type Collection,
  type CreateIndexesOptions,
  type Db,
  type IndexDescription,
  type IndexSpecification,
  MongoNetworkTimeoutError,
} from 'mongodb';

type IndexKeys = Readonly<Record<string, 1 | -1>>;
type IndexOptions = Pick<CreateIndexesOptions, 'unique' | 'sparse' | 'partialFilterExpression' | 'expireAfterSeconds'>;

/** An index: its keys, and options where it has any. */
export type DeclaredIndex = readonly [keys: IndexKeys, options?: IndexOptions];

/** A collection and its indexes; rows are read and written by the driver. */
export interface DeclaredCollection {
  readonly name: string;
  readonly indexes: readonly DeclaredIndex[];
}

export const declareCollection = (name: string, ...indexes: readonly DeclaredIndex[]): DeclaredCollection => ({
  name,
  indexes,
});

/** A build of an index on a large collection may outlast the limit of an operation this often: an hour in all. */
const MAX_WAITS = 120;

/** Collections that are created at the same time: the database flushes their commits together. */
const AT_ONCE = 4;

/** Creates the declared indexes; running it again changes nothing, and waits for a build that is in progress. */
export async function createIndexes(db: Db, collections: readonly DeclaredCollection[]): Promise<void> {
  const waiting = collections.filter(({ indexes }) => indexes.length > 0).values();
  const works = Array.from({ length: AT_ONCE }, async () => {
    for (const collection of waiting) await createIndexesOf(db, collection);
  });
  await Promise.all(works);
}

async function createIndexesOf(db: Db, { name, indexes }: DeclaredCollection): Promise<void> {
  const specifications = indexes.map(([keys, options = {}]) => ({
    key: { ...keys } satisfies IndexSpecification,
    ...options,
  }));
  for (let waits = 0; !(await isCreated(db.collection(name), specifications, waits === MAX_WAITS)); waits++);
}

/** @returns false when the server was still building after the limit of an operation. */
async function isCreated(collection: Collection, indexes: IndexDescription[], isLast: boolean): Promise<boolean> {
  try {
    await collection.createIndexes(indexes);
    return true;
  } catch (error) {
    if (isLast || !(error instanceof MongoNetworkTimeoutError)) throw error;
    return false;
  }
}
