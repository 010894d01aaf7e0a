import { problem } from '../errors/problem.js';
import { canonicalJson } from '../json/canonical.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/strict-json.js';
import type { Fact, FactKind } from './fact.js';
import { countAndRoot } from './state-json.js';

// The state of a subject with facts that state a whole set of records: the consents of a member, the policies of a tenant.
// Each fact holds every record in force, so that one fact answers which records are in force and which are not.

/** An entry of the ledger holds at most 20,000 values; those of the whole set and of the step must fit into it. */
const MAX_SCALARS = 15_000;

/**
 * The evidential fields of a set of records.
 *
 * @param inForce whole records as JSON (`jsonOf`); their order does not matter.
 * @param changed the record that the step changed, as it is after the step; null when the step replaces the whole set.
 * @returns `{count, root, in_force, changed}`; `root` is the RFC 6962 root over the sorted JCS texts of `in_force`.
 * @throws CONFLICT for a set that is too large for one fact.
 */
export function setState(inForce: readonly JsonObject[], changed: JsonObject | null = null): JsonObject {
  if (scalarsIn([...inForce]) > MAX_SCALARS) {
    throw problem('CONFLICT', { message: 'Too many records are in force together; end one of them first.' });
  }
  const sorted = inForce.map((record) => ({ record, text: canonicalJson(record) })).sort(byText);
  return { ...countAndRoot(sorted.map(({ text }) => text)), in_force: sorted.map(({ record }) => record), changed };
}

const byText = (a: { readonly text: string }, b: { readonly text: string }): number => (a.text < b.text ? -1 : 1);

/** The records in force that a fact states; none without a fact. */
export function recordsInForce(fact: Pick<Fact, 'state'> | null): readonly JsonObject[] {
  const inForce = fact?.state['in_force'];
  return Array.isArray(inForce) ? inForce.filter((record) => isJsonObject(record)) : [];
}

/** One record in force that a fact states, by its identifier; null for none. */
export const recordInForce = (fact: Pick<Fact, 'state'>, member: string, id: string): JsonObject | null =>
  recordsInForce(fact).find((record) => record[member] === id) ?? null;

/** The record that a fact states: the one that its step changed, or the one with this identifier of those it adopts. */
export function recordStated(fact: Pick<Fact, 'state'>, member: string, id: string): JsonObject | null {
  const { changed, adopted } = fact.state;
  if (isJsonObject(changed)) return changed;
  const ended = Array.isArray(adopted) ? adopted.filter((record) => isJsonObject(record)) : [];
  return [...recordsInForce(fact), ...ended].find((record) => record[member] === id) ?? null;
}

/** Identifiers of the records of a set that are no longer in force. */
export function recordsEnded(fact: Pick<Fact, 'state'> | null): string[] {
  const ended = fact?.state['ended'];
  return Array.isArray(ended) ? ended.map(String) : [];
}

/** The members that identify the records of a set: in a record, and in the row of the whole set. */
export const SET_ROWS = {
  consent: { id: 'consent_id', ids: 'consent_ids' },
} as const satisfies Partial<Record<FactKind, { readonly id: string; readonly ids: string }>>;

/** True when the records are exactly those that a fact states as in force. */
export const isWholeSet = (records: readonly JsonObject[], fact: Pick<Fact, 'state'> | null): boolean =>
  canonicalJson(setState(records)) === canonicalJson(setState(recordsInForce(fact)));

const scalarsIn = (value: JsonValue): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + scalarsIn(member), 0)
    : 1;
