import { z } from 'zod';
import { type FieldFault, fault, type Problem, problem, unknownName } from '../../../shared/errors/problem.js';
import { isErrorCode } from '../../../shared/errors/registry.js';
import { isJsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import type { JsonBody, RouteServices } from '../../route.js';
import { itemSizes } from './item-sizes.js';

/** The body of POST /v1/events in its three forms: one envelope, an array of them, `{ events }`. */
interface Submission {
  readonly items: readonly JsonValue[];
  /** Null if no item can exceed the envelope limit. */
  readonly byteSizes: readonly number[] | null;
  /** A single envelope gets its own receipt or error; an array of one is a batch. */
  readonly alone: boolean;
}

/** @throws PAYLOAD_TOO_LARGE, VALIDATION_ERROR; then no item is accepted */
export function submissionOf({ bytes, value }: JsonBody, limits: RouteServices['limits']): Submission {
  const items = Array.isArray(value) ? value : eventsMember(value);
  if (!items) {
    if (bytes.length > limits.envelopeBytes)
      throw tooLarge(`An envelope must not exceed ${limits.envelopeBytes} bytes.`);
    return { items: [value], byteSizes: null, alone: true };
  }
  if (items.length === 0) {
    throw problem('VALIDATION_ERROR', { errors: [fault('', 'length', 'A batch must hold at least one envelope.')] });
  }
  if (items.length > limits.batchEvents) throw tooLarge(`A batch must not exceed ${limits.batchEvents} envelopes.`);
  return { items, byteSizes: bytes.length > limits.envelopeBytes ? itemSizes(bytes) : null, alone: false };
}

const tooLarge = (message: string): Problem => problem('PAYLOAD_TOO_LARGE', { message });

const UNKNOWN_FIELD = { code: 'unknown_field', noun: 'field', nearest: undefined } as const;

/** The array of `{ events: [...] }`; undefined for an envelope, which has no such member. */
function eventsMember(value: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'events')) return undefined;
  const errors: FieldFault[] = Object.keys(value)
    .filter((name) => name !== 'events' && name !== 'tenant_id')
    .map((name) => unknownName(`/${name.slice(0, 100)}`, UNKNOWN_FIELD));
  const { events } = value;
  if (!Array.isArray(events)) errors.push(fault('/events', 'type', 'Must be of type array.'));
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  return Array.isArray(events) ? events : [];
}

/** The answer of the root field `ingestEvents`: only the members that the facade reads; the others pass through. */
export const IngestedBatch = z.looseObject({
  accepted: z.int(),
  duplicated: z.int(),
  rejected: z.int(),
  results: z.array(
    z.looseObject({
      index: z.int(),
      status: z.enum(['ACCEPTED', 'DUPLICATE', 'REJECTED']),
      error: z
        .looseObject({
          code: z.string().optional(),
          message: z.string().optional(),
          errors: z.array(z.looseObject({ path: z.string(), code: z.string(), message: z.string() })).optional(),
        })
        .optional(),
    }),
  ),
});
type IngestedBatch = z.infer<typeof IngestedBatch>;

/** The receipt of a single envelope. @throws the error of a rejected one */
export function receiptOf(batch: IngestedBatch): unknown {
  const [item] = batch.results;
  if (!item) throw problem('INTERNAL', { internal: 'the ledger returned no result for the item' });
  if (item.status !== 'REJECTED') {
    const { index: _, ...receipt } = item;
    return receipt;
  }
  const { code, message, errors } = item.error ?? {};
  throw problem(isErrorCode(code) ? code : 'VALIDATION_ERROR', {
    ...(message ? { message } : {}),
    ...(errors ? { errors } : {}),
  });
}

const MAX_ERRORS_SHOWN = 100;

/** 200 if any item was accepted or a duplicate; else the Error object with the results as extra members. */
export function batchAnswer(batch: IngestedBatch): IngestedBatch {
  if (batch.accepted + batch.duplicated > 0) return batch;
  const errors = batch.results.flatMap(({ index, error }) =>
    (error?.errors ?? []).map((item) => ({ ...item, path: `/${index}${item.path}` })),
  );
  throw problem('VALIDATION_ERROR', {
    message: 'No envelope of the batch was accepted; see results.',
    errors: errors.slice(0, MAX_ERRORS_SHOWN),
    extra: { ...batch },
  });
}
