import type { SystemEntry } from '../../../shared/contracts/system-ledger.js';
import type { FieldFault } from '../../../shared/errors/problem.js';
import { problem } from '../../../shared/errors/problem.js';
import { factPayloadOf } from '../../../shared/facts/fact.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { validateEnvelope } from './domain/validate-envelope.js';
import { type IngestDeps, ingestEvents } from './ingest-envelopes.js';
import type { TenantContext } from './tenant-context.js';

/**
 * Appends the service's own entries to the tenant's reserved partitions (evidence.md section 2). Skips entries that
 * exist already, so that callers may safely retry.
 *
 * @returns the number of new entries.
 * @throws INTERNAL if an entry is rejected: the service made it, so the service is wrong. A fact is rejected too: entries
 * come from pending effects of rows, and an editor of rows must not make a fact.
 */
export async function appendSystemEntries(
  deps: IngestDeps,
  tenant: TenantContext,
  items: readonly unknown[],
): Promise<number> {
  if (items.some((item) => isJsonObject(item) && factPayloadOf(item) !== null)) {
    throw problem('INTERNAL', { internal: 'a pending entry claims to be a fact' });
  }
  const { accepted, results } = await ingestEvents(deps, tenant, { items, writer: 'SERVICE' });
  const refused = results.find(({ status }) => status === 'REJECTED')?.error;
  if (refused) throw rejected(refused.errors ?? []);
  return accepted;
}

/** @throws INTERNAL if the entry is rejected. */
export function validateEntry(
  deps: Pick<IngestDeps, 'contractCheck'>,
  tenantId: string,
  entry: SystemEntry,
): JsonObject {
  const { envelope, faults } = validateEnvelope({ ...entry }, tenantId, deps.contractCheck, 'SERVICE');
  if (envelope === null) throw rejected(faults);
  return envelope;
}

function rejected(faults: readonly FieldFault[]): Error {
  const places = faults.map(({ path, code }) => `${path}: ${code}`);
  return problem('INTERNAL', { internal: `a system entry was rejected: ${places.join(', ')}` });
}
