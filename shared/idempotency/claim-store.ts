import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../db/database.js';
import { duplicateKeyOf } from '../db/duplicate-key.js';
import type { StoredAnswer } from './answer-store.js';
import type { ClaimId } from './request-key.js';

/** FREE: an attempt ended without an answer worth keeping; the same request may run again, under the same work id. */
type ClaimState = 'CLAIMED' | 'ANSWERED' | 'FREE';

export interface ClaimRow {
  readonly _id: ClaimId;
  readonly state: ClaimState;
  /** Of everything but a streamed body. */
  readonly fingerprint: string;
  /** Of a streamed body, once it has been read to its end; null before, and where the body is in the fingerprint. */
  readonly body_sha256: string | null;
  /** Names the attempt: every change of hands brings another, so that it guards each write. */
  readonly owner: string;
  /** Of the first attempt: the time in every id that the work makes. */
  readonly claimed_at: Date;
  readonly lease_until: Date;
  readonly expires_at: Date;
  readonly answer?: StoredAnswer;
}

type Held = Pick<ClaimRow, '_id' | 'owner'>;

/** Claims in MongoDB. The unique `_id` decides who runs the work; every later write names the owner it relies on. */
export class ClaimStore {
  readonly #rows: Collection<ClaimRow>;

  constructor(db: Db) {
    this.#rows = db.collection<ClaimRow>('idempotency', { promoteBuffers: true, writeConcern: DURABLE });
  }

  /** Rows end by themselves; reads do not rely on it. */
  async prepare(): Promise<void> {
    await this.#rows.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
  }

  /** False when there is a row already. Durable when it resolves: the work must not start on a claim that may be lost. */
  async insert(row: ClaimRow): Promise<boolean> {
    try {
      await this.#rows.insertOne(row);
      return true;
    } catch (error) {
      if (duplicateKeyOf(error)) return false;
      throw error;
    }
  }

  read(id: ClaimId): Promise<ClaimRow | null> {
    return this.#rows.findOne({ _id: id });
  }

  /** Takes over a row as it was read; false if it has changed since. */
  async replace(seen: ClaimRow, next: ClaimRow): Promise<boolean> {
    const { _id, state, owner, lease_until } = seen;
    const { _id: _, ...values } = next;
    const result = await this.#rows.updateOne(
      { _id, state, owner, lease_until },
      { $set: values, ...(values.answer === undefined ? { $unset: { answer: '' } } : {}) },
    );
    return result.matchedCount === 1;
  }

  /** The owner's own changes. @returns false when the claim has changed hands. */
  async update({ _id, owner }: Held, values: Partial<Omit<ClaimRow, '_id' | 'owner'>>): Promise<boolean> {
    const result = await this.#rows.updateOne({ _id, owner }, { $set: values });
    return result.matchedCount === 1;
  }

  async renew(held: readonly Held[], leaseUntil: Date): Promise<void> {
    if (held.length === 0) return;
    const updates = held.map(({ _id, owner }) => ({
      updateOne: { filter: { _id, owner, state: 'CLAIMED' as const }, update: { $set: { lease_until: leaseUntil } } },
    }));
    await this.#rows.bulkWrite(updates, { ordered: false });
  }
}
