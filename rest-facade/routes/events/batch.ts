import { type FieldFault, fault, type Problem, problem } from '../../../shared/errors/problem.js';
import { isErrorCode } from '../../../shared/errors/registry.js';
import { isJsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import type { JsonBody, RouteServices } from '../../route.js';
import { itemSizes } from './item-sizes.js';

/** The body of POST /v1/events in its three forms: one envelope, an array of them, `{ events }`. */
export interface Submission {
  readonly items: readonly JsonValue[];
  /** Null where no item can be over the envelope limit. */
  readonly byteSizes: readonly number[] | null;
  /** An array of one is a batch; an envelope alone gets its own receipt or its own error. */
  readonly alone: boolean;
}

/** @throws PAYLOAD_TOO_LARGE, VALIDATION_ERROR; nothing is taken then. */
export function submissionOf({ bytes, value }: JsonBody, limits: RouteServices['limits']): Submission {
  const items = Array.isArray(value) ? value : eventsMember(value);
  if (!items) {
    if (bytes.length > limits.envelopeBytes) throw tooLarge(`An envelope may have ${limits.envelopeBytes} bytes.`);
    return { items: [value], byteSizes: null, alone: true };
  }
  if (items.length === 0) {
    throw problem('VALIDATION_ERROR', { errors: [fault('', 'length', 'A batch must hold at least one envelope.')] });
  }
  if (items.length > limits.batchEvents) throw tooLarge(`A batch may hold ${limits.batchEvents} envelopes.`);
  return { items, byteSizes: bytes.length > limits.envelopeBytes ? itemSizes(bytes) : null, alone: false };
}

const tooLarge = (message: string): Problem => problem('PAYLOAD_TOO_LARGE', { message });

/** The array of `{ events: [...] }`; undefined for what is an envelope (no envelope has a member of that name). */
function eventsMember(value: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'events')) return undefined;
  const errors: FieldFault[] = Object.keys(value)
    .filter((name) => name !== 'events' && name !== 'tenant_id')
    .map((name) => fault(`/${name.slice(0, 100)}`, 'unknown_field', 'Unknown field.'));
  const { events } = value;
  if (!Array.isArray(events)) errors.push(fault('/events', 'type', 'Must be of type array.'));
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
  return events as readonly JsonValue[];
}

export interface IngestedBatch {
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly results: readonly IngestedItem[];
}

export interface IngestedItem {
  readonly index: number;
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  readonly error?: { readonly code?: string; readonly message?: string; readonly errors?: readonly FieldFault[] };
}

/** The receipt of an envelope sent alone. @throws the item's own error where it was refused. */
export function receiptOf(batch: IngestedBatch): unknown {
  const [item] = batch.results;
  if (!item) throw problem('INTERNAL', { internal: 'one item went in and none came out' });
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

/** 200 where anything was accepted or known already; where nothing was, the Error object with the same members beside. */
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
