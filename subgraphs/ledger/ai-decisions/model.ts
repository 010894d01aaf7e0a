import type { Db, Document } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore } from '../../../shared/records/row-store.js';
import type { AiCell } from './domain/summary.js';
import type { AiDecisionRow, AiDecisionStore, AiWindow } from './ports.js';

/** Derived from the chain: a dropped collection is derived again. */
export const AI_DECISIONS = declareCollection(
  'ai_decisions',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, model_name: 1, model_version: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, decided_at: 1 }],
);

interface StoredMark {
  readonly _id: string;
  readonly seq: number;
}

type Counted = 'count' | 'adverse' | 'unreviewed' | 'overridden';

/** AI decisions by tenant; every filter starts with the tenant. */
export function mongoAiDecisionStore(db: Db): AiDecisionStore {
  const store = new RowStore<AiDecisionRow>(
    { db },
    { collection: AI_DECISIONS, id: 'decision_id', hidden: ['tenant_id'] },
  );
  const marks = db.collection<StoredMark>('ai_decisions_derived');
  return (tenant_id) => ({
    ...store.reader({ tenant_id }),
    add: async ({ decision_id: _id, ...row }) => {
      const options = { upsert: true, writeConcern: DURABLE } as const;
      try {
        await store.documents.updateOne({ _id, tenant_id }, { $setOnInsert: row }, options);
      } catch (error) {
        // Of two concurrent derivations, one inserts.
        if (!duplicateKeyOf(error)) throw error;
      }
    },
    addOverride: async (_id, place) => {
      const change: Document = {
        $push: { overrides: { $each: [place], $sort: { seq: 1 } } },
        $set: { status: 'OVERRIDDEN' },
      };
      const filter = { _id, tenant_id, 'overrides.seq': { $ne: place.seq } };
      await store.documents.updateOne(filter, change, { writeConcern: DURABLE });
    },
    cells: (window) => cellsOf(store, tenant_id, window),
    derivedUpTo: async () => (await marks.findOne({ _id: tenant_id }))?.seq ?? 0,
    markDerived: async (seq) => void (await marks.updateOne({ _id: tenant_id }, { $max: { seq } }, { upsert: true })),
  });
}

async function cellsOf(
  { documents }: RowStore<AiDecisionRow>,
  tenant_id: string,
  { fromMs, toMs }: AiWindow,
): Promise<AiCell[]> {
  const bounds = {
    ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
    ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
  };
  const matching = { tenant_id, ...(Object.keys(bounds).length > 0 ? { decided_at: bounds } : {}) };
  const names = ['decision_type', 'model_name', 'model_version', 'recommendation', 'month'] as const;
  const countIf = (condition: unknown) => ({ $sum: { $cond: [condition, 1, 0] } });
  const found = await documents
    .aggregate<{ readonly _id: Omit<AiCell, Counted> } & Pick<AiCell, Counted>>([
      { $match: matching },
      {
        $group: {
          _id: Object.fromEntries(names.map((name) => [name, `$${name}`])),
          count: { $sum: 1 },
          adverse: countIf('$adverse'),
          unreviewed: countIf('$unreviewed'),
          overridden: countIf({ $eq: ['$status', 'OVERRIDDEN'] }),
        },
      },
    ])
    .toArray();
  return found.map(({ _id, ...counts }) => ({ ..._id, ...counts }));
}
