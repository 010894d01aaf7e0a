import type { Fact } from '../../../shared/facts/fact.js';
import type { RowDamage } from '../../../shared/facts/guard.js';
import type { RecordState } from '../../../shared/facts/record-states.js';
import {
  recordInForce,
  recordStated,
  recordsEnded,
  recordsInForce,
  SET_ROWS,
} from '../../../shared/facts/set-state.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { sameJson } from '../../../shared/json/same-json.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';

/** Damage of one row. */
export interface RowFinding {
  readonly id: string;
  readonly damage: RowDamage;
  /** Fields that are wrong; null where the whole row is. */
  readonly field: string | null;
  /** The collection of the row, if it is not the page's. */
  readonly collection?: string | undefined;
}

/** BEHIND: a crash may have left the row behind its facts. Null: its latest fact proves it. */
export type RowVerdict = RowFinding | 'BEHIND' | null;

/** The facts of a row's subject; see examineFacts. */
export interface FactsOfSubject {
  readonly known: Fact | null;
  readonly newer: readonly Fact[];
  readonly damaged: object | null;
}

const finding = ({ id, collection }: RecordState, damage: RowDamage, field: string | null = null): RowFinding => ({
  id,
  damage,
  field,
  ...(collection === undefined ? {} : { collection }),
});

/** @param settledMs rows of facts before this time, in ms of the epoch, must be written. */
const isLate = (facts: readonly Fact[], settledMs: number): boolean =>
  facts.some(({ at }) => Date.parse(at) < settledMs);

/** Damage of a row before it is compared; null for none. */
export function unreadable(row: RecordState): RowFinding | null {
  if (row.field !== null) return finding(row, 'ROW_MALFORMED', row.field);
  return row.mark === 'GONE' ? finding(row, 'ROW_MISSING') : null;
}

/** Compares a subject that has no row. */
export function compareAbsent(id: string, { newer, damaged }: FactsOfSubject, settledMs: number): RowVerdict {
  if (damaged === null && newer.length === 0) return null;
  return isLate(newer, settledMs) || damaged !== null ? { id, damage: 'ROW_MISSING', field: null } : 'BEHIND';
}

/** Compares the row of a subject, which names its latest fact. @param statedBy the fields that a fact states of it. */
export function compareSubject(
  row: RecordState,
  { known, newer, damaged }: FactsOfSubject,
  settledMs: number,
  statedBy = ({ state }: Fact): JsonObject => state,
): RowVerdict {
  // A row that names no fact although its subject has one.
  if (row.fact === null && newer.length > 0) return finding(row, 'ROW_MALFORMED', 'fact');
  if (known === null || damaged !== null) return finding(row, 'FACT_MISSING');
  return compareFields(row, statedBy(known)) ?? comparePlace(row, newer, settledMs);
}

function comparePlace(row: RecordState, newer: readonly Fact[], settledMs: number): RowVerdict {
  if (newer.length === 0) return null;
  return isLate(newer, settledMs) ? finding(row, 'ROW_DIFFERS', 'fact') : 'BEHIND';
}

/** The identifiers that the row of a set lists, as a fact states them. */
export const listedBy =
  (kind: keyof typeof SET_ROWS) =>
  ({ state }: Fact): JsonObject => ({
    [SET_ROWS[kind].ids]: [
      ...recordsInForce({ state }).map((record) => String(record[SET_ROWS[kind].id])),
      ...recordsEnded({ state }),
    ].sort(),
  });

/** Compares the row of a fact. Behind the last row, there must be no fact. */
export function compareEach(
  row: RecordState,
  { known, newer, damaged }: FactsOfSubject,
  settledMs: number,
): RowVerdict {
  if (row.mark === 'LAST') return compareAbsent(row.id, { known, newer, damaged }, settledMs);
  if (known === null || damaged !== null) return finding(row, 'FACT_MISSING');
  return compareFields(row, known.state);
}

/** Compares a row that names no fact with the latest one. @param newer all facts of the subject. */
export function compareLatest(row: RecordState, { newer, damaged }: FactsOfSubject, settledMs: number): RowVerdict {
  if (damaged !== null) return finding(row, 'FACT_MISSING');
  const own = row.state ?? {};
  const isEmpty = Object.values(own).every((value) => value === null);
  const latest = newer.at(-1);
  if (latest === undefined) return isEmpty ? compareFields(row, own) : finding(row, 'FACT_MISSING');
  const found = compareFields(row, partOf(latest.state, own));
  if (found === null || isLate([latest], settledMs)) return found;
  const isEarlier = isEmpty || newer.some(({ state }) => compareFields(row, partOf(state, own)) === null);
  return isEarlier ? 'BEHIND' : found;
}

const partOf = (state: JsonObject, names: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(names).map((name) => [name, state[name] ?? null]));

/**
 * Compares the row of one record of a set.
 *
 * @param own the fact that changed the record, by the row.
 * @param set the facts of the whole set, by its row.
 */
export function compareRecord(
  row: RecordState,
  kind: keyof typeof SET_ROWS,
  { own, set, settledMs }: { readonly own: FactsOfSubject; readonly set: FactsOfSubject; readonly settledMs: number },
): RowVerdict {
  const latest = set.newer.at(-1) ?? set.known;
  if (latest === null || set.damaged !== null || own.known === null || own.damaged !== null) {
    return finding(row, 'FACT_MISSING');
  }
  const { id } = SET_ROWS[kind];
  const found = compareFields(row, recordStated(own.known, id, row.id) ?? {});
  if (found !== null) return found;
  const inForce = recordInForce(latest, id, row.id);
  if (inForce !== null) return compareFields(row, inForce);
  if (!recordsEnded(latest).includes(row.id)) return finding(row, 'FACT_MISSING');
  // It has ended since the fact that the row names.
  if (recordInForce(own.known, id, row.id) === null) return null;
  return isLate([latest], settledMs) ? finding(row, 'ROW_DIFFERS', 'fact') : 'BEHIND';
}

/** @returns null for a row with the stated fields. */
function compareFields(row: RecordState, stated: JsonObject): RowFinding | null {
  const stored = row.state ?? {};
  // Names the fields only if there is something to name.
  if (row.differing === undefined && sameJson(stated, stored)) return null;
  const differing = [...differingFields(stated, stored), ...(row.differing ?? [])].sort();
  return differing.length === 0 ? null : finding(row, 'ROW_DIFFERS', differing.join(','));
}

function differingFields(stated: JsonObject, stored: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(stated), ...Object.keys(stored)]);
  return [...names].filter((name) => textOf(stated, name) !== textOf(stored, name));
}

/** Absent and null differ. */
const textOf = (object: JsonObject, name: string): string | undefined => {
  const value = object[name];
  return value === undefined ? undefined : canonicalJson(value);
};
