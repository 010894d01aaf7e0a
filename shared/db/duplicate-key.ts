const DUPLICATE_KEY = 11000;

interface WriteErrorLike {
  readonly code?: unknown;
  readonly index?: unknown;
  readonly keyPattern?: unknown;
  readonly errmsg?: unknown;
  readonly message?: unknown;
}

/** The first E11000 inside a driver error: which index refused (its field names) and which document of the batch. */
export interface DuplicateKey {
  readonly fields: readonly string[];
  readonly documentIndex: number | null;
}

/**
 * Reads a duplicate-key error of insertOne, insertMany or findOneAndUpdate; undefined for any other error, and for one
 * that reports something else too: another write error of an unordered batch, or a write concern that failed, after which
 * the documents before the duplicate may be rolled back.
 */
export function duplicateKeyOf(error: unknown): DuplicateKey | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const holder: WriteErrorLike = error;
  const errors = writeErrorsOf(error);
  if (errors.some(({ code }) => code !== DUPLICATE_KEY) || hasWriteConcernError(error)) return undefined;
  const [first] = errors;
  const found: WriteErrorLike = first ?? holder;
  if (found.code !== DUPLICATE_KEY && holder.code !== DUPLICATE_KEY) return undefined;
  const pattern = found.keyPattern ?? holder.keyPattern;
  return {
    fields: typeof pattern === 'object' && pattern !== null ? Object.keys(pattern) : fieldsOfMessage(found),
    documentIndex: typeof found.index === 'number' ? found.index : null,
  };
}

/** Places of a batch, written without an order, that were refused as duplicates; null when anything else was wrong too. */
export function duplicatesAmong(error: unknown): ReadonlySet<number> | null {
  if (typeof error !== 'object' || error === null || !duplicateKeyOf(error)) return null;
  return new Set(writeErrorsOf(error).map(({ index }) => Number(index)));
}

function writeErrorsOf(error: object): readonly WriteErrorLike[] {
  const { writeErrors }: { readonly writeErrors?: unknown } = error;
  type Wrapped = WriteErrorLike & { readonly err?: WriteErrorLike };
  const list: readonly Wrapped[] = Array.isArray(writeErrors) ? writeErrors : writeErrors ? [writeErrors] : [];
  return list.map((item) => item.err ?? item);
}

/** True when the majority may not have what the write stored: the driver reports it apart from write errors. */
export function hasWriteConcernError(error: object): boolean {
  const { err, result }: { readonly err?: unknown; readonly result?: unknown } = error;
  if (err !== undefined && err !== null) return true;
  if (typeof result !== 'object' || result === null) return false;
  const read: { readonly getWriteConcernError?: unknown; readonly writeConcernError?: unknown } = result;
  const found = typeof read.getWriteConcernError === 'function' ? read.getWriteConcernError.call(result) : undefined;
  return (found ?? read.writeConcernError ?? null) !== null;
}

const INDEX_NAME = /^E11000 duplicate key error collection: \S+ index: (\S+) /;
const FIELD_OF_NAME = /(.+?)_-?1(?:_|$)/g;

/**
 * The driver drops `keyPattern` from the errors of a bulk write, so the fields are read off the index's name, which is the
 * default one for every index of this service (`tenant_id_1_created_at_-1`). The values after the name are not read.
 */
function fieldsOfMessage({ errmsg, message }: WriteErrorLike): string[] {
  const name = INDEX_NAME.exec(String(errmsg ?? message ?? ''))?.[1];
  if (name === undefined) return [];
  if (name === '_id_') return ['_id'];
  return [...name.matchAll(FIELD_OF_NAME)].map((match) => match[1] ?? '');
}
