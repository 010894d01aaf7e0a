import type { TenantId } from '../ids/tenant.js';
import { QUEUE_MEMBERS } from '../jobs/work-queue.js';
import type { Effect } from '../outbox/pending-effect.js';

/** A row as the driver holds it: `_id` is the record's identifier, `pending` the effects that wait. */
export interface RecordDocument {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly active?: true;
  readonly history: readonly object[];
  readonly pending?: readonly Effect[];
}

const NEVER_IN_ROWS: ReadonlySet<string> = new Set([
  ...['_id', 'pending', 'active', 'poisoned_at', ...QUEUE_MEMBERS],
  // An assignment to it would set no member.
  '__proto__',
]);

/** The row of a document; a RecordStore wrote the document from a checked row. */
export function rowOfDocument<Row>(
  document: RecordDocument,
  id: keyof Row & string,
  hidden: readonly string[] = [],
): Row {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    if (!NEVER_IN_ROWS.has(name) && !hidden.includes(name)) members[name] = value;
  }
  members[id] = document._id;
  // The collection has no other writer of these members.
  return members as Row;
}

/** An edited row may hold no time: a list then continues at the first that has one. */
export function timeOf(row: object, name: string): number {
  const value = new Map<string, unknown>(Object.entries(row)).get(name);
  return value instanceof Date ? value.getTime() : 0;
}

/** Members that a replacement writes: another writer may change the others in between. */
export function changedMembers(
  members: Record<string, unknown>,
  before: object,
  set: readonly string[],
): Record<string, unknown> {
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => set.includes(name) || known.get(name) !== value),
  );
}
