import type { Collection } from 'mongodb';
import {
  type AdoptableRow,
  type AdoptableRows,
  type AdoptedState,
  type AdoptionContext,
  AdoptionRefused,
} from '../../../../shared/facts/adoption.js';
import type { ProjectedSubjects } from '../../../../shared/facts/projected-facts.js';
import { packed } from '../../../../shared/records/projected-row.js';
import { MERGES } from './members.js';
import { entryOf, type MergeDocument, ORDER_KEY, type OrderedMerge, stateOf } from './merge-order.js';

/**
 * The merges of a tenant, for the command that adopts rows of earlier versions: one fact a merge, in their order. The
 * facts of the members follow, as after a merge.
 */
export const adoptableMerges = (
  rows: Collection<MergeDocument>,
  write: ProjectedSubjects<MergeDocument | null>['write'],
): AdoptableRows => ({
  collection: MERGES.name,
  rows: async function* (tenantId) {
    const found = await rows.find({ tenant_id: tenantId }, { sort: { number: 1 } }).toArray();
    const unnamed = found.filter(({ fact }) => fact === undefined);
    for (const row of found) if (row.fact !== undefined) yield alone(row);
    if (unnamed.length > 0) yield together(found);
  },
  place: async (tenantId, facts) => {
    for (const fact of facts) await write(tenantId, ORDER_KEY, fact);
  },
});

const timeOf = (value: unknown): Date | null => (value instanceof Date ? value : null);

/** A merge that its own fact must prove. */
const alone = ({ _id, fact, at }: MergeDocument): AdoptableRow => ({
  id: ORDER_KEY,
  key: String(_id),
  fact,
  createdAt: timeOf(at),
  adopted: () => {
    throw new AdoptionRefused('CONTRADICTED');
  },
});

function together(rows: readonly MergeDocument[]): AdoptableRow {
  const unnamed = rows.filter(({ fact }) => fact === undefined);
  const [first, last] = [unnamed[0], unnamed.at(-1)];
  return {
    id: ORDER_KEY,
    key: `${String(first?._id)} to ${String(last?._id)}`,
    fact: undefined,
    createdAt: timeOf(last?.at),
    adopted: (context) => {
      // Only a crash after the fact leaves some rows that name theirs.
      const isMixed = rows.length !== unnamed.length;
      const isNumbered = rows.every(({ number }, i) => number === i + 1);
      if (!isNumbered || (isMixed && context.facts.length === 0)) throw new AdoptionRefused('CONTRADICTED');
      return rows.map((row) => adoptionOf(row, context));
    },
  };
}

function adoptionOf(row: MergeDocument, { step }: AdoptionContext): AdoptedState {
  const entry = entryOf(row);
  const { reason, ...rest } = entry;
  if (!['MERGE', 'UNMERGE'].includes(entry.action) || timeOf(rest.at) === null) {
    throw new AdoptionRefused('MALFORMED');
  }
  const named = (member: 'source' | 'target') => step(`${entry.number}/${member}`);
  const steps = { source: named('source'), target: named('target') };
  const merge: OrderedMerge = { entry: { ...rest, reason }, pending: [], steps };
  return { state: stateOf(entry), row: packed(merge) };
}
