import { problem } from '../../../shared/errors/problem.js';
import { type ErrorCode, isErrorCode } from '../../../shared/errors/registry.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { WorkDeps } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { AiDeriveDeps } from './ai-derive.js';
import { type IngestDeps, ingestEvents } from './ingest-events.js';
import type { AiPlace } from './ports/ai-decision-store.js';
import type { TenantContext, TenantContexts } from './tenant-context.js';

export interface AiDeps extends IngestDeps, WorkDeps, AiDeriveDeps {
  readonly contexts: TenantContexts;
}

/**
 * Appends one entry to `ai-provenance` and tells its place; sent again by the same request it is there already.
 * @throws VALIDATION_ERROR or PAYLOAD_TOO_LARGE for what no record can hold, UNAVAILABLE when a write failed.
 */
export async function appendAiEntry(
  deps: AiDeps,
  tenant: TenantContext,
  envelope: JsonObject,
  ids: Ids,
): Promise<AiPlace> {
  const { results } = await ingestEvents(deps, tenant, { items: [envelope], ids, writer: 'SERVICE' });
  const [result] = results;
  if (result?.error) {
    const { code, message, errors } = result.error;
    const known: ErrorCode = isErrorCode(code) ? code : 'VALIDATION_ERROR';
    throw problem(known, { message, ...(errors ? { errors } : {}) });
  }
  const { event_id, sequence, entry_hash, accepted_at } = result ?? {};
  if (event_id === undefined || sequence === undefined || entry_hash === undefined || accepted_at === undefined) {
    throw new Error('an entry was taken and has no place');
  }
  return { seq: sequence, event_id, entry_hash, recorded_at: new Date(accepted_at) };
}
