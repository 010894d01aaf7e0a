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

/** Reads a duplicate-key error of insertOne, insertMany or findOneAndUpdate; undefined for any other error. */
export function duplicateKeyOf(error: unknown): DuplicateKey | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const holder = error as WriteErrorLike;
  const [first] = writeErrorsOf(error);
  const found: WriteErrorLike = first ?? holder;
  if (found.code !== DUPLICATE_KEY && holder.code !== DUPLICATE_KEY) return undefined;
  const pattern = found.keyPattern ?? holder.keyPattern;
  return {
    fields: typeof pattern === 'object' && pattern !== null ? Object.keys(pattern) : fieldsToldBy(found),
    documentIndex: typeof found.index === 'number' ? found.index : null,
  };
}

/** Places of a batch, written without an order, that were refused as duplicates; null when anything else was wrong too. */
export function duplicatesAmong(error: unknown): ReadonlySet<number> | null {
  if (!duplicateKeyOf(error)) return null;
  const refused = writeErrorsOf(error);
  if (refused.some(({ code }) => code !== DUPLICATE_KEY)) return null;
  return new Set(refused.map(({ index }) => Number(index)));
}

function writeErrorsOf(error: unknown): readonly WriteErrorLike[] {
  const { writeErrors } = error as { readonly writeErrors?: unknown };
  const list = Array.isArray(writeErrors) ? writeErrors : writeErrors ? [writeErrors] : [];
  return (list as { err?: WriteErrorLike }[]).map((item) => item.err ?? (item as WriteErrorLike));
}

const INDEX_NAME = /^E11000 duplicate key error collection: \S+ index: (\S+) /;
const FIELD_OF_NAME = /(.+?)_-?1(?:_|$)/g;

/**
 * The driver drops `keyPattern` from the errors of a bulk write, so the fields are read off the index's name, which is the
 * default one for every index of this service (`tenant_id_1_created_at_-1`). Values stand behind it and are not looked at.
 */
function fieldsToldBy({ errmsg, message }: WriteErrorLike): string[] {
  const name = INDEX_NAME.exec(String(errmsg ?? message ?? ''))?.[1];
  if (name === undefined) return [];
  if (name === '_id_') return ['_id'];
  return [...name.matchAll(FIELD_OF_NAME)].map((match) => match[1] ?? '');
}
