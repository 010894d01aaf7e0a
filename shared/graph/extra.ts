import { fault, problem } from '../errors/problem.js';
import { isJsonObject, type JsonObject } from '../json/strict-json.js';
import type { ContractFieldOptions } from './contract-field.js';

// Bodies that the specification calls free-form may hold members that the service does not know. The facade moves them to
// the member `extra` (rest-facade/free-form.ts); the record keeps it, and its answers give it back.

/** Bytes of `extra` as JSON. */
const MAX_EXTRA_BYTES = 16_384;

const SHAPE = { type: 'object', additionalProperties: true } as const;

/** The member `extra` of an input. */
export const EXTRA_INPUT: ContractFieldOptions = {
  description: `Members that the service does not know, kept as sent: at most ${MAX_EXTRA_BYTES} bytes of JSON.`,
  optional: true,
  shape: SHAPE,
};

/** The member `extra` of a record. */
export const EXTRA: ContractFieldOptions = {
  description: 'Members of the request that the service does not know, as sent.',
  optional: true,
  shape: SHAPE,
};

/** Returns `extra` if it is given and not empty. @throws VALIDATION_ERROR for more than MAX_EXTRA_BYTES */
export function extraOf(given: JsonObject | null | undefined): JsonObject | undefined {
  if (given === null || given === undefined || Object.keys(given).length === 0) return undefined;
  if (Buffer.byteLength(JSON.stringify(given)) <= MAX_EXTRA_BYTES) return given;
  const message = `Unknown members must not exceed ${MAX_EXTRA_BYTES} bytes of JSON in all.`;
  throw problem('VALIDATION_ERROR', { errors: [fault('/extra', 'length', message)] });
}

/** The member of a row with `extra`: text, because names may hold characters that no stored name may. */
export interface ExtraRow {
  /** Absent without unknown members. */
  readonly extra?: string;
}

/** How a check of rows knows the member. */
export const EXTRA_ROW = { own: { extra: 'text' }, optional: ['extra'] } as const;

/** @throws VALIDATION_ERROR for more than MAX_EXTRA_BYTES */
export function storedExtra(given: JsonObject | null | undefined): ExtraRow {
  const extra = extraOf(given);
  return extra === undefined ? {} : { extra: JSON.stringify(extra) };
}

export function shownExtra(extra: ExtraRow['extra'] | undefined): { readonly extra?: JsonObject } {
  if (extra === undefined) return {};
  const value: unknown = JSON.parse(extra);
  return isJsonObject(value) ? { extra: value } : {};
}
