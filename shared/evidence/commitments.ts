import { hash } from 'node:crypto';
import { RecordHasher } from '../hashing/record-hasher.js';
import type { Leaves } from './record.js';

export const SEED_BYTES = 32;

/** The values that the chain covers instead of the record itself. All in lower-case hex. */
export interface Commitments {
  readonly commit: string;
  readonly fields: string;
  /** H(R), the record's name in the write-once store. */
  readonly worm_sha256: string;
}

// Twice as fast as 'buffer', which allocates separate memory for 32 bytes.
const sha256 = (bytes: Uint8Array): Uint8Array => Buffer.from(hash('sha256', bytes, 'hex'), 'hex');

// One for the thread, as a memory of WebAssembly reserves much address space; a record leaves nothing to the next.
let threadHasher: RecordHasher | undefined;

/** Computes an event's commitments (evidence.md section 2). One instance serves one thread; it keeps no event. */
export class Committer {
  readonly #hasher: RecordHasher;

  constructor(hasher?: RecordHasher) {
    threadHasher ??= new RecordHasher(sha256);
    this.#hasher = hasher ?? threadHasher;
  }

  /** @param record R's bytes, @param leaves of the same R. */
  commit(seed: Uint8Array, record: Uint8Array, leaves: Leaves): Commitments {
    const hasher = this.#hasher;
    hasher.begin(seed);
    const { pointers, values } = leaves;
    for (let i = 0; i < pointers.length; i++) {
      const value = values[i] ?? '';
      hasher.leaf(hasher.path(pointers[i] ?? ''), value, 0, value.length);
    }
    hasher.finish();
    return {
      commit: hash('sha256', hasher.commitMessage(record), 'hex'),
      fields: hash('sha256', hasher.fieldsMessage(), 'hex'),
      worm_sha256: hash('sha256', record, 'hex'),
    };
  }

  /** The commitment to a record alone, without its fields. */
  recordCommit(seed: Uint8Array, record: Uint8Array): string {
    this.#hasher.begin(seed);
    this.#hasher.finish();
    return hash('sha256', this.#hasher.commitMessage(record), 'hex');
  }
}
