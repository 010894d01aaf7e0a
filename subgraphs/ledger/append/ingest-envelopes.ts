import type { Limits } from '../../../shared/config/config.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { ERROR_REGISTRY } from '../../../shared/errors/registry.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { isJsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import type { Receipt } from './append-batch.js';
import { type AppendDeps, type AppendItem, appendEvents } from './append-events.js';
import { type ContractCheck, validateEnvelope, type Writer } from './domain/validate-envelope.js';
import type { TenantContext } from './tenant-context.js';

interface IngestError {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly FieldFault[];
}

interface IngestResult extends Partial<Omit<Receipt, 'status'>> {
  readonly index: number;
  readonly status: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';
  readonly tenant_id?: string;
  readonly error?: IngestError;
}

interface IngestBatchResult {
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly results: readonly IngestResult[];
}

interface EventValidation {
  readonly valid: boolean;
  readonly errors: readonly FieldFault[];
  readonly canonical_sha256: string | null;
}

export interface IngestDeps extends AppendDeps {
  readonly limits: Limits;
  readonly contractCheck: ContractCheck;
  /** Resolves when the notice about repeated events is durable; see DuplicateReporter. */
  readonly reportDuplicates: (tenantId: string, eventIds: Iterable<string>, ids?: Ids) => Promise<void>;
}

interface IngestInput {
  readonly items: readonly unknown[];
  /** Size of each envelope as sent, in bytes; measured here if absent. */
  readonly byteSizes?: readonly number[] | undefined;
  /** See appendEvents. */
  readonly ids?: Ids | undefined;
  /** CALLER by default. */
  readonly writer?: Writer;
}

/**
 * Appends envelopes one by one: a bad envelope gets its own REJECTED result and never stops a good one.
 *
 * @throws VALIDATION_ERROR for an empty batch, PAYLOAD_TOO_LARGE for a batch over the limit (nothing is appended),
 * UNAVAILABLE if a write failed.
 */
export async function ingestEvents(
  deps: IngestDeps,
  tenant: TenantContext,
  input: IngestInput,
): Promise<IngestBatchResult> {
  checkBatch(deps.limits, input);
  const results = new Array<IngestResult>(input.items.length);
  const taken: AppendItem[] = [];
  input.items.forEach((item, index) => {
    const size = input.byteSizes?.[index] ?? Buffer.byteLength(JSON.stringify(item ?? null));
    const error = size > deps.limits.envelopeBytes ? tooLarge(deps.limits.envelopeBytes) : undefined;
    const { envelope, faults } = error
      ? { envelope: null, faults: [] }
      : validateEnvelope(item, tenant.tenantId, deps.contractCheck, input.writer);
    if (envelope) taken.push({ index, envelope });
    else results[index] = { index, status: 'REJECTED', error: error ?? validationError(faults) };
  });
  const receipts = await appendEvents(deps, tenant, taken, input.ids);
  const repeated: string[] = [];
  for (const { index } of taken) {
    const receipt = receipts.get(index);
    if (!receipt) throw new Error('an appended event has no receipt');
    if (receipt.status === 'DUPLICATE') repeated.push(receipt.event_id);
    results[index] = { index, tenant_id: tenant.tenantId, ...receipt };
  }
  const duplicated = repeated.length;
  // The service retries its own entries freely: a repetition of them is no news.
  if (duplicated > 0 && input.writer !== 'SERVICE') await deps.reportDuplicates(tenant.tenantId, repeated, input.ids);
  return { accepted: taken.length - duplicated, duplicated, rejected: results.length - taken.length, results };
}

/** Returns what ingest would answer for an envelope; writes nothing. */
export function validateEvent(
  deps: Pick<IngestDeps, 'limits' | 'contractCheck'>,
  tenantId: string,
  item: unknown,
): EventValidation {
  const { faults } = validateEnvelope(item, tenantId, deps.contractCheck);
  const size = Buffer.byteLength(JSON.stringify(item ?? null));
  const errors = [...faults];
  if (size > deps.limits.envelopeBytes) {
    errors.push(fault('', 'too_large', `An envelope may have at most ${deps.limits.envelopeBytes} bytes.`));
  }
  return { valid: errors.length === 0, errors, canonical_sha256: canonicalSha256(item) };
}

/** Hashes the input of the duplicate key: JCS of the envelope as sent, without tenant_id (api.md section 2). */
function canonicalSha256(item: unknown): string | null {
  if (!isJsonObject(item)) return null;
  const { tenant_id: _, ...sent } = item;
  return sha256Hex(canonicalJson(sent as { [key: string]: JsonValue }));
}

function checkBatch(limits: Limits, { items, byteSizes }: IngestInput): void {
  if (items.length === 0) {
    throw problem('VALIDATION_ERROR', { errors: [fault('', 'empty', 'A batch must hold at least one event.')] });
  }
  if (items.length > limits.batchEvents) {
    throw problem('PAYLOAD_TOO_LARGE', { message: `A batch may hold at most ${limits.batchEvents} events.` });
  }
  if (byteSizes && byteSizes.length !== items.length) {
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/byte_sizes', 'length', 'Must have exactly one size for each item.')],
    });
  }
}

const tooLarge = (limit: number): IngestError => ({
  code: 'PAYLOAD_TOO_LARGE',
  message: `An envelope may have at most ${limit} bytes.`,
});

export const validationError = (errors: NonNullable<IngestError['errors']>): IngestError => ({
  code: 'VALIDATION_ERROR',
  message: ERROR_REGISTRY.VALIDATION_ERROR.publicText,
  errors,
});
