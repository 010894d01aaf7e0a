import type { Db } from 'mongodb';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import type { BuildInputsOf } from './build-deps.js';

/** Answers of other subgraphs that a build has read, page by page, until it is sealed. */
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
  const rows = db.collection<InputDocument>('bundle_inputs', { promoteBuffers: true });
  return (tenant_id, bundle_id, round) => ({
    async kept<T extends object>(kind: string, n: number, make: () => Promise<T>): Promise<T> {
      const _id = { tenant_id, bundle_id, round, kind, n };
      const stored = async (): Promise<T | undefined> => {
        const found = await rows.findOne({ _id });
        // The same name is only ever stored with values of the same type.
        return found?.value as T | undefined;
      };
      const known = await stored();
      if (known) return known;
      const value = await make();
      try {
        await rows.insertOne({ _id, value });
        return value;
      } catch (error) {
        if (!duplicateKeyOf(error)) throw error;
      }
      const first = await stored();
      if (!first) throw new Error('the inputs of a build were deleted during the build');
      return first;
    },
    async forget() {
      const from = { tenant_id, bundle_id, round: 0, kind: '', n: 0 };
      await rows.deleteMany({ _id: { $gte: from, $lt: { ...from, bundle_id: `${bundle_id}\u0000` } } });
    },
  });
}
