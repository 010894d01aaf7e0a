import { type Db, Long } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { type AcknowledgementNumbers, HIGHEST_NUMBER } from '../service/ports/acknowledgement-numbers.js';

export const acknowledgementNumberSchema = new Schema(
  { _id: { tenant_id: String, format: String }, taken: { type: Schema.Types.Mixed, required: true } },
  { collection: 'acknowledgement_numbers', versionKey: false, autoIndex: false, minimize: false },
);

interface StoredNumbers {
  readonly _id: { readonly tenant_id: string; readonly format: string };
  /** How many were taken since the first. */
  readonly taken: number | Long;
}

/** Numbers of one tenant's acknowledgements over the driver's collection. */
export function mongoAcknowledgementNumbers(db: Db): (tenantId: string) => AcknowledgementNumbers {
  const rows = db.collection<StoredNumbers>('acknowledgement_numbers');
  const raise = async (_id: StoredNumbers['_id'], count: number): Promise<number> => {
    const change = { $inc: { taken: Long.fromNumber(count) } };
    const options = { upsert: true, returnDocument: 'after', writeConcern: DURABLE } as const;
    const row = await rows.findOneAndUpdate({ _id }, change, options);
    if (!row) throw new Error('a number was taken, and cannot be read');
    return Number(row.taken);
  };
  return (tenant_id) => ({
    async take(format, count) {
      const _id = { tenant_id, format };
      let taken: number;
      try {
        taken = await raise(_id, count);
      } catch (error) {
        // Two first ones at once: the row is there now.
        if (!duplicateKeyOf(error)) throw error;
        taken = await raise(_id, count);
      }
      return ((taken - count) % HIGHEST_NUMBER) + 1;
    },
  });
}
