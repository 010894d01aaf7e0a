import type { JsonValue } from '../../../../shared/json/strict-json.js';

/** Where a fact comes from: a member of an event, by JSON Pointer, and what stands there. */
export interface Evidence {
  readonly event_id: string;
  readonly field: string;
  readonly value: JsonValue;
}

/** What the record says of one fact. Absence is `unknown`, never false, unless the fact is of a kind that says otherwise. */
export type FactValue =
  | { readonly kind: 'unknown' }
  /** A number, or the bounds that the record gives: `Infinity` where it gives none. */
  | {
      readonly kind: 'number';
      readonly min: number;
      readonly max: number;
      readonly evidence: readonly Evidence[];
    }
  /** An open text may be silent on what is so: a word that it does not hold is unknown. */
  | {
      readonly kind: 'text';
      readonly value: string;
      readonly open: boolean;
      readonly evidence: readonly Evidence[];
    }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly evidence: readonly Evidence[] }
  /** Complete: a code that it does not hold is not so. */
  | { readonly kind: 'codes'; readonly codes: ReadonlyMap<string, Evidence>; readonly complete: boolean };

export const UNKNOWN: FactValue = { kind: 'unknown' };

/** The record as criteria ask it, by names of fact-names.ts. */
export interface Facts {
  get(name: string): FactValue;
}

/** Most pieces of evidence that one fact, or one criterion, shows: the first ones. */
export const MOST_EVIDENCE = 10;

export function evidenceOf(value: FactValue): readonly Evidence[] {
  if (value.kind === 'unknown') return [];
  if (value.kind !== 'codes') return value.evidence;
  return [...new Set(value.codes.values())].slice(0, MOST_EVIDENCE);
}
