import type { SensitiveView } from '../consent/sensitivity.js';
import type { WithheldReason } from '../consent/verdict.js';
import { reasonsToWithhold, type StatedPurpose } from '../consent/withheld.js';
import type { ConsentGate } from '../contracts/consent.js';
import type { TenantId } from '../ids/tenant.js';
import { encodeCursor, type Keyset } from '../pagination/cursor.js';
import type { TimelineKind } from './kinds.js';

/** One record of one kind at its time. */
export interface TimelineEntry {
  readonly kind: TimelineKind;
  readonly id: string;
  /** ISO 8601, UTC with milliseconds. */
  readonly at: string;
  /** Member identifier in the record. */
  readonly member_id: string;
  readonly type: string | null;
  readonly status: string | null;
  readonly source_system: string | null;
  /** Null where it is withheld. */
  readonly record: object | null;
  /** Reason why consent withholds it; only its place is shown, so that pages can be counted. */
  readonly withheld: WithheldReason | null;
}

/** A page of one kind. */
export interface TimelinePart {
  readonly items: readonly TimelineEntry[];
  /** The last place that was looked at, where there is more. */
  readonly next_cursor: string | null;
}

/** A record that may go onto the timeline, and what consent looks at in it. */
export interface TimelineRecord {
  readonly entry: Omit<TimelineEntry, 'withheld'>;
  readonly view: SensitiveView;
}

export const EMPTY_PART: TimelinePart = { items: [], next_cursor: null };

export const placeOf = ({ at, id }: Pick<TimelineEntry, 'at' | 'id'>): Keyset => ({ atMs: Date.parse(at), id });

/** Negative if the first precedes the second: by time, then by id (api.md section 1). */
export const comparePlaces = (a: Keyset, b: Keyset): number =>
  a.atMs - b.atMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Cuts `limit + 1` records to a page. */
export function partOf(entries: readonly TimelineEntry[], limit: number): TimelinePart {
  const items = entries.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: entries.length > limit && last ? encodeCursor(placeOf(last)) : null };
}

/** Removes everything but the place of withheld records. @throws UNAVAILABLE if consent cannot be checked. */
export async function judgedEntries(
  gate: ConsentGate,
  tenantId: TenantId,
  stated: StatedPurpose | null,
  records: readonly TimelineRecord[],
): Promise<readonly TimelineEntry[]> {
  if (stated === null) return records.map(({ entry }) => ({ ...entry, withheld: null }));
  const views = records.map(({ view }) => view);
  const reasons = await reasonsToWithhold(gate, tenantId, stated, views);
  return records.map(({ entry }, index) => {
    const withheld = reasons[index] ?? null;
    if (withheld === null) return { ...entry, withheld };
    return { ...entry, type: null, status: null, source_system: null, record: null, withheld };
  });
}

/** What only says that something is there (a hold, a bundle, a consent), as consent looks at it. */
export const plainView = (category: string, member_id: string): SensitiveView => ({
  member_ids: [member_id],
  category,
  source_system: null,
  labels: [],
  diagnosis_codes: [],
  opaque: true,
});
