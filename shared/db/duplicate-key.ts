const DUPLICATE_KEY = 11000;

interface WriteErrorLike {
  readonly code?: unknown;
  readonly index?: unknown;
  readonly keyPattern?: unknown;
  readonly errmsg?: unknown;
}

/** The first E11000 inside a driver error: which index refused (its field names) and which document of the batch. */
export interface DuplicateKey {
  readonly fields: readonly string[];
  readonly documentIndex: number | null;
}

/** Reads a duplicate-key error of insertOne, insertMany or findOneAndUpdate; undefined for any other error. */
export function duplicateKeyOf(error: unknown): DuplicateKey | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const holder = error as { code?: unknown; writeErrors?: unknown; keyPattern?: unknown };
  const list = Array.isArray(holder.writeErrors) ? holder.writeErrors : holder.writeErrors ? [holder.writeErrors] : [];
  const first = (list as { err?: WriteErrorLike }[]).map((item) => item.err ?? (item as WriteErrorLike))[0];
  const found: WriteErrorLike = first ?? (holder as WriteErrorLike);
  if (found.code !== DUPLICATE_KEY && holder.code !== DUPLICATE_KEY) return undefined;
  const pattern = found.keyPattern ?? holder.keyPattern;
  return {
    fields: typeof pattern === 'object' && pattern !== null ? Object.keys(pattern) : [],
    documentIndex: typeof found.index === 'number' ? found.index : null,
  };
}
