import { type Db, MongoBulkWriteError } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { FactPlace } from '../../../shared/facts/fact.js';
import type { StateRows } from '../../../shared/facts/record-states.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type EffectRelay, PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { rowStates } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { RowStore } from '../../../shared/records/row-store.js';
import { namesOfCode } from '../codes/domain/index.js';
import type { RuleKind } from './domain/kinds.js';
import { ruleColumns } from './domain/rule-columns.js';
import type { RuleQuery, RuleRows, RuleWrite, StoredRule, TenantRuleRows } from './ports.js';

export const RULES = declareCollection(
  'rules',
  [{ tenant_id: 1, key: 1 }, { unique: true }],
  [{ tenant_id: 1, index_codes: 1 }],
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, kind: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, 'revisions.artifact_sha256': 1 }],
  PENDING_INDEX,
);

const NEWEST_ONLY = { revisions: { $slice: -1 } } as const;

/** Rules by tenant. Every filter starts with the tenant, or with the tenant and the owner of the shared corpus. */
export function ruleStore(db: Db, outbox: EffectRelay): RuleRows {
  const rows = new RowStore<StoredRule>(
    { db, outbox },
    {
      collection: RULES,
      id: 'rule_id',
      hidden: ['kind', 'program', 'jurisdiction', 'index_codes', 'periods'],
    },
  );
  return (tenantId) => new MongoTenantRules(rows, tenantId);
}

class MongoTenantRules implements TenantRuleRows {
  readonly #rows: RowStore<StoredRule>;
  readonly #own: { readonly tenant_id: TenantId };
  readonly #readable: { readonly tenant_id: { readonly $in: readonly TenantId[] } };

  constructor(rows: RowStore<StoredRule>, tenantId: TenantId) {
    this.#rows = rows;
    this.#own = { tenant_id: tenantId };
    this.#readable = { tenant_id: { $in: [...new Set([tenantId, OPERATOR_TENANT])] } };
  }

  get(ruleId: string): Promise<StoredRule | null> {
    return this.#rows.findOne({ _id: ruleId, ...this.#readable });
  }

  byKey(key: string): Promise<StoredRule | null> {
    return this.#rows.findOne({ ...this.#own, key });
  }

  async list(query: RuleQuery): Promise<readonly StoredRule[]> {
    const { at, where } = query;
    const { code, shared, ...equal } = where;
    const page = keysetQuery('created_at', query);
    const readable = shared === undefined ? this.#readable : shared ? { tenant_id: OPERATOR_TENANT } : this.#own;
    const filters = [
      ...(code === undefined ? [] : [{ index_codes: { $in: namesOfCode(code) } }]),
      ...(at === undefined ? [] : [{ periods: { $elemMatch: { from: { $lte: at }, ...endsAfter(at) } } }]),
    ];
    const found = this.#rows.documents.find({ $and: [readable, equal, ...filters, page.filter] });
    const rules = await found.sort(page.sort).limit(page.fetch).toArray();
    return rules.map((rule) => this.#rows.rowOf(rule));
  }

  /** Served by the index over codes. */
  async withCodes(codes: readonly string[] | undefined, kinds: readonly RuleKind[]): Promise<readonly StoredRule[]> {
    return this.#where({
      ...this.#readable,
      ...(codes === undefined ? {} : { index_codes: { $in: [...new Set(codes.flatMap(namesOfCode))] } }),
      kind: { $in: [...kinds] },
    });
  }

  withKeys(keys: readonly string[]): Promise<readonly StoredRule[]> {
    return this.#where({ ...this.#own, key: { $in: [...keys] } });
  }

  async keys(): Promise<readonly string[]> {
    const rules = await this.#rows.documents.find(this.#own, { projection: { key: 1 } }).toArray();
    return rules.map(({ key }) => String(key));
  }

  async contentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rules = await this.#where({ ...this.#own, key: { $in: [...keys] } }, NEWEST_ONLY);
    return new Map(rules.map(({ key, revisions }) => [key, revisions.at(-1)?.content_sha256 ?? '']));
  }

  async insertMany(writes: readonly RuleWrite[]): Promise<number> {
    const documents = writes.map((write) =>
      this.#rows.documentOf(firstOf(write), write.pending, ruleColumns([write.added])),
    );
    const options = { writeConcern: DURABLE, ordered: false };
    try {
      return (await this.#rows.documents.insertMany(documents, options)).insertedCount;
    } catch (error) {
      // Another process has imported the same rules.
      if (!duplicateKeyOf(error)) throw error;
      return error instanceof MongoBulkWriteError ? error.insertedCount : 0;
    }
  }

  async insert(write: RuleWrite, fact?: FactPlace): Promise<StoredRule | null> {
    const rule = { ...firstOf(write), ...(fact && { fact }) };
    return (await this.#rows.insert(rule, write.pending, ruleColumns(rule.revisions))) ? rule : null;
  }

  async adopt(ruleId: string, fact: FactPlace): Promise<void> {
    const unnamed = { _id: ruleId, ...this.#own, fact: { $exists: false } };
    await this.#rows.documents.updateOne(unnamed, { $set: { fact } }, { writeConcern: DURABLE });
  }

  async *all(): AsyncGenerator<StoredRule> {
    for await (const document of this.#rows.documents.find(this.#own, { sort: { key: 1 } })) {
      yield this.#rows.rowOf(document);
    }
  }

  addRevision({ rule, before, added, pending }: RuleWrite, fact?: FactPlace): Promise<StoredRule | null> {
    const read = { _id: rule.rule_id, ...this.#own, revision: added.revision - 1 };
    const $set = {
      revision: added.revision,
      updated_at: rule.updated_at,
      ...ruleColumns([...before, added]),
      ...(fact && { fact }),
    };
    return this.#rows.update([read], { $set, $push: { revisions: added } }, pending);
  }

  async artifacts(sha256s: readonly string[]): Promise<readonly string[]> {
    const named = { ...this.#own, 'revisions.artifact_sha256': { $in: [...sha256s] } };
    const rules = await this.#where(named, { 'revisions.artifact_sha256': 1 });
    const found = new Set(rules.flatMap(({ revisions }) => revisions.map(({ artifact_sha256 }) => artifact_sha256)));
    return sha256s.filter((sha256) => found.has(sha256));
  }

  async #where(filter: object, projection: object = {}): Promise<readonly StoredRule[]> {
    const found = await this.#rows.documents.find(filter, { projection }).toArray();
    return found.map((document) => this.#rows.rowOf(document));
  }
}

const endsAfter = (at: Date) => ({ $or: [{ to: null }, { to: { $gt: at } }] });

/** A new row: a rule with its first revision, or an adopted rule with all of them. */
const firstOf = ({ rule, before, added }: RuleWrite): StoredRule => ({
  ...rule,
  revision: before.length + 1,
  revisions: [...before, added],
});

/**
 * The rules of a tenant, for verification. Those of the shared corpus have no facts.
 *
 * @param stateOf derives the evidential fields.
 */
export function ruleStates(db: Db, stateOf: (rule: StoredRule) => JsonObject): StateRows {
  const states = rowStates<StoredRule & { readonly _id: string }>({
    db,
    collection: RULES.name,
    by: 'key',
    stateOf: (row) => stateOf({ ...row, rule_id: row._id }),
    columnsOf: ({ revisions }) => ruleColumns(revisions),
  });
  return {
    ...states,
    page: async (tenantId, after, limit) =>
      tenantId === OPERATOR_TENANT ? { rows: [], next: null } : states.page(tenantId, after, limit),
  };
}
