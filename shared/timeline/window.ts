import type { RequestContext } from '../auth/context.js';
import { isWithin, type Reading, readingOf } from '../auth/reading.js';
import { type FieldFault, fault, problem } from '../errors/problem.js';
import { keysOfFilters } from '../event-keys/event-keys.js';
import { withoutNulls } from '../graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../pagination/cursor.js';
import { instantOf } from '../time/rfc3339.js';
import { CONTENT_KINDS, kindsAsked, type TimelineKind } from './kinds.js';

/** As a request asks for it; null is not given. */
export interface TimelineAsked {
  readonly kinds?: string | null | undefined;
  readonly purpose?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly outcome?: string | null | undefined;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly order?: 'asc' | 'desc' | null | undefined;
  readonly limit?: number | null | undefined;
  readonly cursor?: string | null | undefined;
}

/** What the content of an entry must name. */
interface TimelineContent {
  readonly code?: string;
  readonly provider?: string;
  readonly outcome?: string;
}

/** One page, as all kinds read it: from ≤ t < to, after the place that the cursor names. */
export interface TimelineWindow {
  readonly kinds: ReadonlySet<TimelineKind>;
  readonly content: TimelineContent;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Fields below a root field are checked here: the contract guards root fields alone. @throws VALIDATION_ERROR */
export function timelineWindow(asked: TimelineAsked): TimelineWindow {
  const faults: FieldFault[] = [];
  const named = kindsAsked(asked.kinds);
  if (named === null) faults.push(fault('/kinds', 'enum', 'Must be kinds of a timeline, parted by commas.'));
  const limit = asked.limit ?? DEFAULT_PAGE_LIMIT;
  if (!(limit >= 1 && limit <= MAX_PAGE_LIMIT)) {
    faults.push(fault('/limit', 'range', `Must be 1 to ${MAX_PAGE_LIMIT}.`));
  }
  const content = contentOf(asked, faults);
  const fromMs = timeOf('/from', asked.from, faults);
  const toMs = timeOf('/to', asked.to, faults);
  if (faults.length > 0 || named === null) throw problem('VALIDATION_ERROR', { errors: faults });
  const isFiltered = Object.keys(content).length > 0;
  const kinds = isFiltered ? new Set([...named].filter((kind) => CONTENT_KINDS.has(kind))) : named;
  return { kinds, content, fromMs, toMs, order: asked.order ?? 'asc', limit, cursor: asked.cursor ?? undefined };
}

function contentOf({ code, provider, outcome }: TimelineAsked, faults: FieldFault[]): TimelineContent {
  const content = withoutNulls({ code, provider, outcome });
  keysOfFilters(content, faults);
  if (content.outcome?.trim() === '') faults.push(fault('/outcome', 'range', 'Must not be empty.'));
  return content;
}

function timeOf(path: string, text: string | null | undefined, faults: FieldFault[]): number | undefined {
  if (text == null) return undefined;
  const instant = instantOf(text);
  if (instant === undefined) faults.push(fault(path, 'format', 'Must be an RFC 3339 time with a zone.'));
  return instant;
}

/**
 * Who reads a part of a timeline: judged again in every subgraph. @throws FORBIDDEN for another member's, under a token
 */
export function timelineReading(context: RequestContext, memberId: string, purpose?: string | null): Reading {
  const reading = readingOf(context, 'events:read', purpose);
  if (isWithin(reading, [memberId])) return reading;
  throw problem('FORBIDDEN', { message: 'This token opens the record of another member.' });
}
