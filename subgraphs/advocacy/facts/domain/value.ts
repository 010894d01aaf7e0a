import type { JsonValue } from '../../../../shared/json/strict-json.js';

/** The source of a fact: a field of an event, by JSON Pointer, and its value. */
export interface Evidence {
  readonly event_id: string;
  readonly field: string;
  readonly value: JsonValue;
}

/** The value of one fact. An absent fact is `unknown`, never false, unless its kind says otherwise. */
export type FactValue =
  | { readonly kind: 'unknown' }
  /** A number, or its bounds; `Infinity` where the record gives no bound. */
  | {
      readonly kind: 'number';
      readonly min: number;
      readonly max: number;
      readonly evidence: readonly Evidence[];
    }
  /** An open text may omit facts: a word that it does not contain is unknown. */
  | {
      readonly kind: 'text';
      readonly value: string;
      readonly open: boolean;
      readonly evidence: readonly Evidence[];
    }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly evidence: readonly Evidence[] }
  /** Complete: a code that is not listed does not apply. */
  | { readonly kind: 'codes'; readonly codes: ReadonlyMap<string, Evidence>; readonly complete: boolean };

export const UNKNOWN: FactValue = { kind: 'unknown' };

/** The facts of a record, by the names of names.ts. */
export interface Facts {
  get(name: string): FactValue;
}

/** Evidence shown for one fact or criterion: the first entries. */
export const MAX_EVIDENCE = 10;

export function evidenceOf(value: FactValue): readonly Evidence[] {
  if (value.kind === 'unknown') return [];
  if (value.kind !== 'codes') return value.evidence;
  return [...new Set(value.codes.values())].slice(0, MAX_EVIDENCE);
}
