import type { Db } from 'mongodb';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { BuildInputsOf } from '../service/ports/build-inputs.js';
import { BUNDLE_INPUT_COLLECTION } from './bundle-model.js';

interface InputDocument {
  readonly _id: {
    readonly tenant_id: string;
    readonly bundle_id: string;
    readonly round: number;
    readonly kind: string;
    readonly n: number;
  };
  readonly value: object;
}

export function mongoBuildInputs(db: Db): BuildInputsOf {
  const rows = db.collection<InputDocument>(BUNDLE_INPUT_COLLECTION, { promoteBuffers: true });
  return (tenant_id, bundle_id, round) => ({
    async kept<T extends object>(kind: string, n: number, make: () => Promise<T>): Promise<T> {
      const _id = { tenant_id, bundle_id, round, kind, n };
      const found = await rows.findOne({ _id });
      if (found) return found.value as T;
      const value = await make();
      try {
        await rows.insertOne({ _id, value });
        return value;
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
      const first = await rows.findOne({ _id });
      if (!first) throw new Error('inputs of a build were taken away under it');
      return first.value as T;
    },
    async forget() {
      const from = { tenant_id, bundle_id, round: 0, kind: '', n: 0 };
      await rows.deleteMany({ _id: { $gte: from, $lt: { ...from, bundle_id: `${bundle_id}\u0000` } } });
    },
  });
}
