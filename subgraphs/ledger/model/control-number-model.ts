import type { Db } from 'mongodb';
import { Schema } from 'mongoose';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { NumberState } from '../domain/control-number.js';
import type { ControlNumberStore, NumberStream } from '../service/ports/control-number-store.js';

/** `stream` in the key is a hash: senders' names are of any length, and hold any character. */
export const controlNumberSchema = new Schema(
  {
    _id: { tenant_id: String, stream: String },
    format: String,
    level: String,
    source_system: String,
    sender: String,
    receiver: String,
    state: { type: Schema.Types.Mixed, required: true },
    revision: { type: Number, required: true },
  },
  { collection: 'control_numbers', versionKey: false, autoIndex: false, minimize: false },
);

interface StoredStream extends NumberStream {
  readonly _id: { readonly tenant_id: string; readonly stream: string };
  readonly state: NumberState;
  readonly revision: number;
}

/** Control numbers of one tenant over the driver's collection. */
export function mongoControlNumberStore(db: Db): ControlNumberStore {
  const rows = db.collection<StoredStream>('control_numbers');
  return (tenant_id) => {
    const idOf = (stream: NumberStream) => ({ tenant_id, stream: sha256Hex(canonicalJson({ ...stream })) });
    return {
      find: async (stream) => {
        const found = await rows.findOne({ _id: idOf(stream) });
        return found && { state: found.state, revision: found.revision };
      },
      save: async (stream, state, revision) => {
        const _id = idOf(stream);
        if (revision !== null) {
          const change = { $set: { state, revision: revision + 1 } };
          const { matchedCount } = await rows.updateOne({ _id, revision }, change, { writeConcern: DURABLE });
          return matchedCount === 1;
        }
        try {
          await rows.insertOne({ _id, ...stream, state, revision: 1 }, { writeConcern: DURABLE });
          return true;
        } catch (error) {
          if (duplicateKeyOf(error)) return false;
          throw error;
        }
      },
    };
  };
}
