import type { ListWindow } from '../db/keyset.js';
import type { FactKind } from '../facts/fact.js';
import { encodeTime, ID_PREFIXES, type IdKind, MAX_ID_TIME_MS } from '../ids/ids.js';
import { decodeCursor } from '../pagination/cursor.js';

// Identifiers of records begin with the time at which they were made. So the facts of the records that a page of a list
// shows are neighbours in the index of facts, and a page need not read those of all records.

/** A span of time in ms of the epoch, both ends included; null for an open end. */
export interface TimeSpan {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** Kinds of records with identifiers that the service makes. */
const ID_KINDS: Readonly<Partial<Record<FactKind, IdKind>>> = {
  document: 'document',
  hold: 'hold',
  'hold-notice': 'holdNotice',
  matter: 'matter',
  bundle: 'bundle',
  'bundle-link': 'bundleLink',
  consent: 'consent',
  redaction: 'redaction',
  'data-right': 'dataRight',
};

/**
 * Returns the span from the end of the page before to the end of this page. The spans of all pages cover every time, also
 * where a record got its identifier some time before it was created.
 *
 * @param nextCursor null for the last page
 */
export function spanOfPage({ order, cursor, fromMs, toMs }: ListWindow, nextCursor: string | null): TimeSpan {
  const [begin, end] = [cursor, nextCursor ?? undefined].map((place) =>
    place === undefined ? null : decodeCursor(place).atMs,
  );
  const [first, last] = order === 'asc' ? [begin, end] : [end, begin];
  const earliest = fromMs === undefined ? null : fromMs - MAX_ATTEMPTS_MS;
  return { fromMs: first ?? earliest, toMs: last ?? toMs ?? null };
}

/** A request that its caller repeats gets the identifier of the first attempt: it may be older than its record. */
const MAX_ATTEMPTS_MS = 60_000;

/** Returns texts before and after the identifiers that were made in a span; null for an open end. */
export function idsOfSpan(
  kind: FactKind,
  { fromMs, toMs }: TimeSpan,
): { readonly after: string | null; readonly before: string | null } {
  const idKind = ID_KINDS[kind];
  if (idKind === undefined) return { after: null, before: null };
  // A caller may send a cursor with any time.
  const start = (ms: number): string =>
    `${ID_PREFIXES[idKind]}_${encodeTime(Math.min(Math.max(0, ms), MAX_ID_TIME_MS))}`;
  return { after: fromMs === null ? null : start(fromMs), before: toMs === null ? null : start(toMs + 1) };
}
