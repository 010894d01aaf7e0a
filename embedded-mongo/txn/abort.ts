import { ABORT as lmdbAbort } from 'lmdb';

/** What a transaction callback returns to be rolled back. */
export const ABORT: unknown = lmdbAbort;
