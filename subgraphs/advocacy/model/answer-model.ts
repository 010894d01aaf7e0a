import type { Db } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { AnswerKey, AnswerStore, KeptAnswer } from '../service/ports/answer-store.js';

export const ANSWER_COLLECTION = 'advocacy_answers';

/** Answers that were given: hashes and what they stood on, never the answer. */
export const answerSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    event_id: { type: String, required: true },
    kind: { type: String, required: true },
    answer_sha256: { type: String, required: true },
    verdict: { type: String },
    rules: { type: [Schema.Types.Mixed], required: true },
    created_at: { type: Date, required: true },
    recorded_entry_id: { type: String },
    pending: { type: [Schema.Types.Mixed] },
  },
  { collection: ANSWER_COLLECTION, versionKey: false, autoIndex: false },
);
answerSchema.index(...PENDING_INDEX);

interface AnswerDocument extends KeptAnswer {
  readonly _id: string;
  readonly pending: PendingEffect[];
}

/** The key is the commit point: of two requests that give a new answer at once, one writes. */
const idOf = ({ tenant_id, event_id, kind, answer_sha256 }: AnswerKey): string =>
  `${tenant_id}/${event_id}/${kind}/${answer_sha256}`;

export function mongoAnswerStore(db: Db, outbox: EffectRelay): AnswerStore {
  const answers = db.collection<AnswerDocument>(ANSWER_COLLECTION);
  return {
    find: (key) => answers.findOne<KeptAnswer>({ _id: idOf(key) }, { projection: { _id: 0, pending: 0 } }),
    async insert(answer, pending) {
      try {
        await answers.insertOne({ ...answer, _id: idOf(answer), pending: [...pending] }, { writeConcern: DURABLE });
        return true;
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
        return false;
      }
    },
    async markRecorded(key, entryId, pending) {
      const written = await answers.updateOne(
        { _id: idOf(key), recorded_entry_id: { $exists: false } },
        { $set: { recorded_entry_id: entryId }, $push: { pending: { $each: [...pending] } } },
        { writeConcern: DURABLE },
      );
      return written.modifiedCount === 1;
    },
    relay: (key, pending) => outbox.relay(ANSWER_COLLECTION, idOf(key), pending),
  };
}
