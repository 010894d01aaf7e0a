import type { Collection, Db } from 'mongodb';
import type { FactPlace } from '../../../../shared/facts/fact.js';
import type { FactGuard } from '../../../../shared/facts/guard.js';
import { ProjectedFacts } from '../../../../shared/facts/projected-facts.js';
import { jsonOf } from '../../../../shared/facts/state-json.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import type { EffectRelay } from '../../../../shared/outbox/outbox.js';
import { packed, writeBehind } from '../../../../shared/records/projected-row.js';
import type { MemberReference } from '../../records/index.js';
import type { MergeEntry, MergeLinks } from '../domain/merges.js';
import type { MergeStore, MergeWrite, StoredMember, TenantMerges } from '../ports.js';
import { adoptableMerges } from './adopt-merges.js';
import { MemberFacts, type NotedMerge } from './member-facts.js';
import { MERGES } from './members.js';
import { entryOf, idOf, type MergeDocument, ORDER_KEY, orderSubjects, stateOf } from './merge-order.js';
import { memberStates, mergedMembers, mergeStates } from './merge-states.js';

interface MergeStoreDeps {
  readonly db: Db;
  readonly outbox: EffectRelay;
  readonly guard: FactGuard;
  readonly referenceOf: MemberReference;
}

/** Merges of one tenant have one order, so that concurrent ones wait for each other. */
const MAX_ATTEMPTS = 20;

type Order = ProjectedFacts<MergeDocument | null>;

export function mergeStore(deps: MergeStoreDeps): MergeStore {
  const rows = deps.db.collection<MergeDocument>(MERGES.name);
  const facts = new MemberFacts(deps.guard, deps.referenceOf);
  deps.guard.states('member-merges', mergeStates(deps.db));
  deps.guard.states('member', memberStates(deps.db, deps.referenceOf), mergedMembers(deps.db, deps.referenceOf));
  const subjects = orderSubjects({ rows, facts, outbox: deps.outbox });
  const order = new ProjectedFacts(deps.guard, subjects, MAX_ATTEMPTS);
  deps.guard.adopts('member-merges', adoptableMerges(rows, subjects.write));
  return (tenantId) => new MongoTenantMerges({ ...deps, rows, facts, order }, tenantId);
}

interface OpenDeps extends MergeStoreDeps {
  readonly rows: Collection<MergeDocument>;
  readonly facts: MemberFacts;
  readonly order: Order;
}

class MongoTenantMerges implements TenantMerges {
  readonly #deps: OpenDeps;
  readonly #tenantId: TenantId;

  constructor(deps: OpenDeps, tenantId: TenantId) {
    this.#deps = deps;
    this.#tenantId = tenantId;
  }

  async change(decide: (number: number) => Promise<MergeWrite | null>): Promise<void> {
    await this.#deps.order.change(this.#tenantId, ORDER_KEY, async ({ stored }) => {
      const write = await decide((stored?.number ?? 0) + 1);
      if (write === null) return null;
      const { entry, pending, steps } = write;
      const { order, source, target } = steps;
      return { ...order, state: stateOf(entry), row: packed({ entry, pending, steps: { source, target } }) };
    });
  }

  async after(number: number, limit: number): Promise<readonly MergeEntry[]> {
    const { stored: last } = await this.#deps.order.readOne(this.#tenantId, ORDER_KEY);
    const known = last?.number ?? 0;
    if (known < number) await this.#reject('ROW_MISSING');
    if (known <= number) return [];
    const found = await this.#deps.rows
      .find({ tenant_id: this.#tenantId, number: { $gt: number, $lte: known } }, { projection: { pending: 0 } })
      .sort({ number: 1 })
      .limit(limit)
      .toArray();
    const isWhole = found.every((row, i) => row.number === number + 1 + i);
    if (!isWhole || found.length < Math.min(limit, known - number)) await this.#reject('ROW_MISSING');
    await this.#requireProven(found);
    return found.map(entryOf);
  }

  async naming(memberIds: readonly string[]): Promise<readonly MergeEntry[]> {
    // Rows are written after the facts of both members: rows that are read first are not ahead.
    const rows = await this.#rowsNaming(memberIds);
    const noted = await this.#deps.facts.of(this.#tenantId, memberIds);
    const named = new Map([...noted.values()].flat().map((each) => [each.entry.number, each]));
    const others = [...named.values()].map(({ entry }) => entry.source_id).filter((id) => !noted.has(id));
    const sources = new Map([...noted, ...(await this.#deps.facts.of(this.#tenantId, others))]);
    // The fact of the source commits a merge; that of the target is written before.
    const committed = [...named.values()].filter(({ entry }) =>
      sources.get(entry.source_id)?.some((each) => each.entry.number === entry.number),
    );
    await this.#compare(rows, committed);
    return committed.map(({ entry }) => entry).sort((a, b) => a.number - b.number);
  }

  async requireShown(
    members: readonly Pick<StoredMember, 'member_id' | 'merged_into'>[],
    links: MergeLinks,
  ): Promise<void> {
    for (const { member_id, merged_into } of members) {
      if (merged_into === (links.get(member_id)?.target_id ?? null)) continue;
      if (!(await this.#isBehind(member_id, merged_into))) {
        const damage = merged_into === null ? 'ROW_DIFFERS' : 'FACT_MISSING';
        await this.#deps.facts.reject(this.#tenantId, member_id, damage);
      }
    }
  }

  /** True for a record that a recent merge has not reached yet; show-merge.ts writes it. */
  async #isBehind(memberId: string, merged_into: string | null): Promise<boolean> {
    const own = (await this.naming([memberId])).filter(({ source_id }) => source_id === memberId);
    const last = own.at(-1);
    if (!last) return false;
    if (merged_into !== null && !own.some(({ target_id }) => target_id === merged_into)) return false;
    if (!(await this.#deps.guard.hasSwept(last.at.getTime()))) return true;
    const row = await this.#deps.rows.findOne({ _id: idOf(this.#tenantId, last.number) });
    return row !== null && row.pending.length > 0;
  }

  #rowsNaming(memberIds: readonly string[]): Promise<readonly MergeDocument[]> {
    const side = { $in: [...memberIds] };
    const own = { tenant_id: this.#tenantId };
    // One call; each branch is a range of one index.
    return this.#deps.rows
      .find({
        $or: [
          { ...own, source_id: side },
          { ...own, target_id: side },
        ],
      })
      .toArray();
  }

  /** @throws INTEGRITY_FAILURE for rows that are not those of the facts. */
  async #compare(rows: readonly MergeDocument[], committed: readonly NotedMerge[]): Promise<void> {
    const byNumber = new Map(committed.map((each) => [each.entry.number, each]));
    for (const row of rows) {
      const noted = byNumber.get(row.number);
      if (!noted) await this.#deps.facts.reject(this.#tenantId, String(row.source_id), 'FACT_MISSING');
      else await this.#requireSame(row, noted);
    }
    const numbers = new Set(rows.map(({ number }) => number));
    for (const noted of committed) if (!numbers.has(noted.entry.number)) await this.#restore(noted);
  }

  /** Writes a row that a crash left out. @throws INTEGRITY_FAILURE for a removed or changed row. */
  async #restore(noted: NotedMerge): Promise<void> {
    const { entry, pending, order } = noted;
    const reject = () => this.#deps.facts.reject(this.#tenantId, entry.source_id, 'ROW_MISSING');
    if (await this.#deps.guard.hasSwept(entry.at.getTime())) await reject();
    const _id = idOf(this.#tenantId, entry.number);
    await writeBehind(this.#deps.rows, { _id, tenant_id: this.#tenantId, ...entry, pending, fact: order });
    const row = await this.#deps.rows.findOne({ _id, tenant_id: this.#tenantId });
    await (row === null ? reject() : this.#requireSame(row, noted));
  }

  async #requireSame(row: MergeDocument, { entry, order }: NotedMerge): Promise<void> {
    const isSame = canonicalJson(jsonOf(entryOf(row))) === canonicalJson(stateOf(entry)) && isPlace(row.fact, order);
    if (!isSame) await this.#deps.facts.reject(this.#tenantId, entry.source_id, 'ROW_DIFFERS');
  }

  /** Compares rows with the facts of the tenant's order. */
  async #requireProven(rows: readonly MergeDocument[]): Promise<void> {
    const subject = { kind: 'member-merges', id: ORDER_KEY } as const;
    const questions = rows.map((row) => ({ subject, known: row.fact ?? null, alone: true }));
    const answers = await this.#deps.guard.read(this.#tenantId, questions);
    for (const [i, row] of rows.entries()) {
      const fact = answers[i]?.known ?? null;
      if (fact === null) await this.#reject('FACT_MISSING');
      else if (canonicalJson(fact.state) !== canonicalJson(jsonOf(entryOf(row)))) await this.#reject('ROW_DIFFERS');
    }
  }

  #reject(damage: 'ROW_MISSING' | 'ROW_DIFFERS' | 'FACT_MISSING'): Promise<never> {
    return this.#deps.order.reject(this.#tenantId, ORDER_KEY, damage);
  }
}

const isPlace = (place: FactPlace | undefined, other: FactPlace): boolean => place?.entry_hash === other.entry_hash;
