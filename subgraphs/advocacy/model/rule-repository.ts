import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import { namesOfCode } from '../domain/rules/rule-codes.js';
import type { RuleKind } from '../domain/rules/rule-kinds.js';
import { type Period, periodsOf } from '../domain/rules/rule-periods.js';
import type {
  RuleQuery,
  RuleStore,
  RuleWrite,
  StoredRevision,
  StoredRule,
  TenantRules,
} from '../service/ports/rule-store.js';
import { RULE_COLLECTION } from './rule-model.js';

/** `_id` is the rule_id. What lists and look-ups ask for stands beside the revisions that it follows from. */
interface RuleDocument extends Omit<StoredRule, 'rule_id'> {
  readonly _id: string;
  readonly kind: RuleKind;
  /** Of the newest revision. */
  readonly program: string | null;
  readonly jurisdiction: string | null;
  /** Of any revision. */
  readonly index_codes: readonly string[];
  readonly periods: readonly Period[];
  readonly pending: readonly PendingEffect[];
}

const ruleOf = ({ _id, tenant_id, key, created_at, updated_at, revision, revisions }: RuleDocument): StoredRule => ({
  rule_id: _id,
  tenant_id,
  key,
  created_at,
  updated_at,
  revision,
  revisions,
});

/** Shown in a list: the newest revision, without the others that a rule may have. */
const NEWEST_ALONE = { revisions: { $slice: -1 } } as const;

/** Rules by tenant; every filter begins with the tenant, or with the tenant and the owner of the shared corpus. */
export function ruleStore(db: Db, outbox: EffectRelay): RuleStore {
  const rows = db.collection<RuleDocument>(RULE_COLLECTION);
  return (tenantId) => new MongoTenantRules(rows, outbox, tenantId);
}

const readableBy = (tenantId: TenantId) => ({ tenant_id: { $in: [...new Set([tenantId, OPERATOR_TENANT])] } });

/** Rules of these kinds that name one of these codes, or a family of one: read by the index over codes, whatever their number. */
export const withCodesFilter = (
  tenantId: TenantId,
  codes: readonly string[] | undefined,
  kinds: readonly RuleKind[],
): Readonly<Record<string, unknown>> => ({
  ...readableBy(tenantId),
  ...(codes === undefined ? {} : { index_codes: { $in: [...new Set(codes.flatMap(namesOfCode))] } }),
  kind: { $in: [...kinds] },
});

class MongoTenantRules implements TenantRules {
  readonly #rows: Collection<RuleDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;
  readonly #readable: { readonly tenant_id: { readonly $in: readonly TenantId[] } };

  constructor(rows: Collection<RuleDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
    this.#readable = readableBy(tenantId);
  }

  async get(ruleId: string): Promise<StoredRule | null> {
    return this.#one({ _id: ruleId, ...this.#readable });
  }

  async byKey(key: string): Promise<StoredRule | null> {
    return this.#one({ tenant_id: this.#tenantId, key });
  }

  async list(query: RuleQuery): Promise<readonly StoredRule[]> {
    const page = keysetQuery('created_at', query);
    const { kind, program, jurisdiction, key, code, at, shared } = query;
    const readable = shared === undefined ? this.#readable : { tenant_id: shared ? OPERATOR_TENANT : this.#tenantId };
    const equal = { kind, program, jurisdiction, key };
    const filters: Record<string, unknown>[] = Object.entries(equal).flatMap(([name, value]) =>
      value === undefined ? [] : [{ [name]: value }],
    );
    if (code !== undefined) filters.push({ index_codes: { $in: namesOfCode(code) } });
    if (at !== undefined) {
      filters.push({
        periods: { $elemMatch: { from: { $lte: at }, $or: [{ to: null }, { to: { $gt: at } }] } },
      });
    }
    const rows = await this.#rows
      .find({ $and: [readable, ...filters, page.filter] } as Filter<RuleDocument>, {
        // Which revision was in force then is known from all of them.
        ...(at === undefined ? { projection: NEWEST_ALONE } : {}),
      })
      .sort(page.sort)
      .limit(page.fetch)
      .toArray();
    return rows.map((row) => ruleOf(row as RuleDocument));
  }

  async withCodes(codes: readonly string[] | undefined, kinds: readonly RuleKind[]): Promise<readonly StoredRule[]> {
    const rows = await this.#rows.find(withCodesFilter(this.#tenantId, codes, kinds) as Filter<RuleDocument>).toArray();
    return rows.map((row) => ruleOf(row as RuleDocument));
  }

  async withKeys(keys: readonly string[]): Promise<readonly StoredRule[]> {
    const rows = await this.#rows
      .find({ tenant_id: this.#tenantId, key: { $in: [...keys] } } as Filter<RuleDocument>)
      .toArray();
    return rows.map((row) => ruleOf(row as RuleDocument));
  }

  async contentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const projection = { key: 1, revisions: { $slice: -1 } };
    const rows = await this.#rows
      .find({ tenant_id: this.#tenantId, key: { $in: [...keys] } } as Filter<RuleDocument>, { projection })
      .toArray();
    return new Map(rows.map(({ key, revisions }) => [key, revisions.at(-1)?.content_sha256 ?? '']));
  }

  async insertMany(writes: readonly RuleWrite[]): Promise<number> {
    const options = { writeConcern: DURABLE, ordered: false };
    try {
      return (await this.#rows.insertMany(writes.map(documentOf) as never, options)).insertedCount;
    } catch (error) {
      // Another process imports the same: what it has written stands.
      if (!duplicateKeyOf(error)) throw error;
      return (error as { insertedCount?: number }).insertedCount ?? 0;
    }
  }

  async insert(write: RuleWrite): Promise<StoredRule | null> {
    const document = documentOf(write);
    try {
      await this.#rows.insertOne(document as never, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return ruleOf(document);
  }

  async addRevision({ rule, before, added, pending }: RuleWrite): Promise<StoredRule | null> {
    const changed = await this.#rows.findOneAndUpdate(
      { _id: rule.rule_id, tenant_id: this.#tenantId, revision: added.revision - 1 },
      {
        $set: { revision: added.revision, updated_at: rule.updated_at, ...derived([...before, added]) },
        $push: { revisions: added, pending: { $each: pending } },
      } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed === null ? null : ruleOf(changed as RuleDocument);
  }

  async artifacts(sha256s: readonly string[]): Promise<readonly string[]> {
    const named = { tenant_id: this.#tenantId, 'revisions.artifact_sha256': { $in: [...sha256s] } };
    const projection = { 'revisions.artifact_sha256': 1 };
    const rows = await this.#rows.find(named as Filter<RuleDocument>, { projection }).toArray();
    const found = new Set(rows.flatMap(({ revisions }) => revisions.map(({ artifact_sha256 }) => artifact_sha256)));
    return sha256s.filter((sha256) => found.has(sha256));
  }

  relay({ rule, pending }: RuleWrite): Promise<void> {
    return this.#outbox.relay(RULE_COLLECTION, rule.rule_id, pending);
  }

  async #one(filter: Record<string, unknown>): Promise<StoredRule | null> {
    const found = await this.#rows.findOne(filter as Filter<RuleDocument>);
    return found === null ? null : ruleOf(found as RuleDocument);
  }
}

/** A rule with its first revision. */
const documentOf = ({ rule: { rule_id, ...rest }, added, pending }: RuleWrite): RuleDocument => ({
  _id: rule_id,
  ...rest,
  revision: 1,
  revisions: [added],
  ...derived([added]),
  pending,
});

/** What follows from the revisions. */
function derived(revisions: readonly StoredRevision[]) {
  const newest = revisions.at(-1);
  const periods = periodsOf(revisions);
  if (newest === undefined || periods === null) throw new RangeError('no revision, or two in force at once');
  return {
    kind: newest.kind,
    program: newest.program,
    jurisdiction: newest.jurisdiction,
    index_codes: [...new Set(revisions.flatMap(({ codes }) => codes))],
    periods,
  };
}
