import type { Collection, Db, Filter } from 'mongodb';
import { Schema } from 'mongoose';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { AiCell } from '../domain/ai-summary.js';
import type {
  AiDecisionQuery,
  AiDecisionRow,
  AiDecisionStore,
  AiPlace,
  TenantAiDecisions,
} from '../service/ports/ai-decision-store.js';

const PLACE = { seq: Number, event_id: String, entry_hash: String, recorded_at: Date };

/** Derived from the chain: dropping the collections costs deriving them again. */
export const aiDecisionSchema = new Schema(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    place: PLACE,
    decision_type: String,
    model_name: String,
    model_version: String,
    member_id: String,
    event_id: String,
    recommendation: String,
    adverse: Boolean,
    unreviewed: Boolean,
    decided_at: Date,
    month: String,
    created_at: Date,
    status: String,
    exception_id: String,
    overrides: [PLACE],
  },
  { collection: 'ai_decisions', versionKey: false, autoIndex: false },
);
aiDecisionSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
aiDecisionSchema.index({ tenant_id: 1, member_id: 1, created_at: -1, _id: -1 });
aiDecisionSchema.index({ tenant_id: 1, model_name: 1, model_version: 1, created_at: -1, _id: -1 });
aiDecisionSchema.index({ tenant_id: 1, decided_at: 1 });

export const aiDerivedSchema = new Schema(
  { _id: { type: String, required: true }, seq: { type: Number, required: true } },
  { collection: 'ai_decisions_derived', versionKey: false, autoIndex: false },
);

interface StoredDecision extends Omit<AiDecisionRow, 'decision_id'> {
  readonly _id: string;
  readonly tenant_id: string;
}

interface StoredMark {
  readonly _id: string;
  readonly seq: number;
}

const FILTERS = [
  'decision_type',
  'model_name',
  'model_version',
  'member_id',
  'event_id',
  'recommendation',
  'adverse',
  'unreviewed',
  'status',
] as const;

const rowOf = ({ _id, tenant_id: _, ...rest }: StoredDecision): AiDecisionRow => ({ ...rest, decision_id: _id });

/** AI decisions by tenant over the driver's collections; every filter begins with the tenant. */
export function mongoAiDecisionStore(db: Db): AiDecisionStore {
  const rows = db.collection<StoredDecision>('ai_decisions');
  const marks = db.collection<StoredMark>('ai_decisions_derived');
  return (tenantId) => new MongoTenantAiDecisions(rows, marks, tenantId);
}

class MongoTenantAiDecisions implements TenantAiDecisions {
  readonly #rows: Collection<StoredDecision>;
  readonly #marks: Collection<StoredMark>;
  readonly #tenantId: string;

  constructor(rows: Collection<StoredDecision>, marks: Collection<StoredMark>, tenantId: string) {
    this.#rows = rows;
    this.#marks = marks;
    this.#tenantId = tenantId;
  }

  async get(decisionId: string): Promise<AiDecisionRow | null> {
    const found = await this.#rows.findOne(this.#one(decisionId));
    return found && rowOf(found);
  }

  async list(query: AiDecisionQuery): Promise<readonly AiDecisionRow[]> {
    const page = keysetQuery('created_at', query);
    const filters = FILTERS.flatMap((name) => (query[name] === undefined ? [] : [{ [name]: query[name] }]));
    const filter = { $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] } as Filter<StoredDecision>;
    return (await this.#rows.find(filter).sort(page.sort).limit(page.fetch).toArray()).map(rowOf);
  }

  async add({ decision_id, ...rest }: AiDecisionRow): Promise<void> {
    try {
      const change = { $setOnInsert: rest };
      await this.#rows.updateOne(this.#one(decision_id), change, { upsert: true, writeConcern: DURABLE });
    } catch (error) {
      // Of two that derive it at once one inserts.
      if (!duplicateKeyOf(error)) throw error;
    }
  }

  async addOverride(decisionId: string, place: AiPlace): Promise<void> {
    await this.#rows.updateOne(
      { ...this.#one(decisionId), 'overrides.seq': { $ne: place.seq } },
      { $push: { overrides: { $each: [place], $sort: { seq: 1 } } }, $set: { status: 'OVERRIDDEN' } } as never,
      { writeConcern: DURABLE },
    );
  }

  async cells(window: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined }): Promise<AiCell[]> {
    const { fromMs, toMs } = window;
    const bounds = {
      ...(fromMs === undefined ? {} : { $gte: new Date(fromMs) }),
      ...(toMs === undefined ? {} : { $lt: new Date(toMs) }),
    };
    const matching = { tenant_id: this.#tenantId, ...(Object.keys(bounds).length > 0 ? { decided_at: bounds } : {}) };
    const names = ['decision_type', 'model_name', 'model_version', 'recommendation', 'month'] as const;
    const countIf = (condition: unknown) => ({ $sum: { $cond: [condition, 1, 0] } });
    const found = await this.#rows
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

  async derivedUpTo(): Promise<number> {
    return (await this.#marks.findOne({ _id: this.#tenantId }))?.seq ?? 0;
  }

  async markDerived(seq: number): Promise<void> {
    await this.#marks.updateOne({ _id: this.#tenantId }, { $max: { seq } }, { upsert: true });
  }

  #one(decisionId: string): { readonly _id: string; readonly tenant_id: string } {
    return { _id: decisionId, tenant_id: this.#tenantId };
  }
}

type Counted = 'count' | 'adverse' | 'unreviewed' | 'overridden';
