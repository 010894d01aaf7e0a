import { T, typeNames } from '../bson/types.js';
import type { BsonValue } from '../bson/value.js';
import type { MatchExpressions } from '../match/matcher.js';
import { type Slot, slotType } from './tree.js';

/** What a change makes of a field: a new value, its removal, or nothing. */
export const keep = Symbol('keep');
export const remove = Symbol('remove');
export type Outcome = Slot | typeof keep | typeof remove;

export interface UpdateContext {
  readonly isUpsertInsert: boolean;
  /** Position the query matched in its array, for `$`; -1 where none. */
  readonly matchedArrayIndex: number;
  readonly nowMs: number;
}

/** One change of one field. */
export interface Modifier {
  /** Whether missing fields on the way are made; others do nothing where the path ends early. */
  readonly creates: boolean;
  apply(old: Slot | undefined, path: string, context: UpdateContext): Outcome;
}

/** Compiles the modifier of one operator for one path; comparisons follow the collation. */
export type MakeModifier = (argument: BsonValue, path: string, expressions: MatchExpressions) => Modifier;

export function slotTypeName(slot: Slot): string {
  return typeNames.get(slotType(slot)) ?? 'unknown';
}

export function isArraySlot(slot: Slot): boolean {
  return slotType(slot) === T.array;
}
