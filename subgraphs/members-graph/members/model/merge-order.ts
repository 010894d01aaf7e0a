import type { Collection } from 'mongodb';
import { isAdoption } from '../../../../shared/facts/adoption.js';
import type { Fact, FactPlace } from '../../../../shared/facts/fact.js';
import type { ProjectedSubjects } from '../../../../shared/facts/projected-facts.js';
import { jsonOf } from '../../../../shared/facts/state-json.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import type { EffectRelay } from '../../../../shared/outbox/outbox.js';
import { unpacked, writeAdopted, writeBehind } from '../../../../shared/records/projected-row.js';
import type { MergeEntry } from '../domain/merges.js';
import type { MemberEffect, MergeSteps, MergeWrite } from '../ports.js';
import type { MemberFacts } from './member-facts.js';
import { MERGES } from './members.js';

// The merges of a tenant have one order: each is a fact of the subject `member-merges/tenant`. Of two concurrent merges
// the ledger accepts one, so that links form no circle. The row and the facts of both members follow the order.

/** The one subject of a tenant. */
export const ORDER_KEY = 'tenant';

/** `_id` is `tenant_id/number`. */
export interface MergeDocument extends MergeEntry {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly pending: readonly MemberEffect[];
  /** The fact of the tenant's order. */
  readonly fact: FactPlace;
}

export const idOf = (tenantId: TenantId, number: number): string => `${tenantId}/${number}`;

export const entryOf = ({ _id, tenant_id: _, pending: __, fact: ___, ...entry }: MergeDocument): MergeEntry => entry;

/** The evidential fields of an entry: all of them. */
export function stateOf(entry: MergeEntry): JsonObject {
  const state = jsonOf(entry);
  if (!isJsonObject(state)) throw new TypeError('an entry is no object');
  return state;
}

interface OrderDeps {
  readonly rows: Collection<MergeDocument>;
  readonly facts: MemberFacts;
  readonly outbox: EffectRelay;
}

/** The last entry of a tenant, as its row holds it. */
export const orderSubjects = ({ rows, facts, outbox }: OrderDeps): ProjectedSubjects<MergeDocument | null> => ({
  kind: 'member-merges',
  noun: 'merges of the tenant',
  async load(tenantId) {
    const [last] = await rows.find({ tenant_id: tenantId }).sort({ number: -1 }).limit(1).toArray();
    return new Map([[ORDER_KEY, last ?? null]]);
  },
  placeOf: (row) => row?.fact ?? null,
  damageOf(row, fact) {
    if (row === null || fact === null) return row === null ? null : 'FACT_MISSING';
    return canonicalJson(jsonOf(entryOf(row))) === canonicalJson(fact.state) ? null : 'ROW_DIFFERS';
  },
  async write(tenantId, _, fact) {
    const { entry, pending, steps } = mergeIn(fact);
    const order = fact.place;
    await facts.note(tenantId, entry.target_id, { entry, pending, order }, steps.target);
    // This fact commits the merge: readers ignore what only the target states.
    await facts.note(tenantId, entry.source_id, { entry, pending, order }, steps.source);
    const _id = idOf(tenantId, entry.number);
    const write = isAdoption(fact) ? writeAdopted : writeBehind;
    await write(rows, { _id, tenant_id: tenantId, ...entry, pending, fact: order });
    await outbox.relay(MERGES.name, _id, pending);
  },
});

export type OrderedMerge = Pick<MergeWrite, 'entry' | 'pending'> & { readonly steps: Omit<MergeSteps, 'order'> };

/** @throws TypeError for a fact without its merge. */
function mergeIn({ row }: Fact): OrderedMerge {
  if (row === undefined) throw new TypeError('the fact does not hold its merge');
  // TenantMerges.change packed exactly this, and the ledger proves it.
  return unpacked(row) as OrderedMerge;
}
