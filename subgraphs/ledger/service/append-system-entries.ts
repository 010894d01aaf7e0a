import { problem } from '../../../shared/errors/problem.js';
import { type IngestDeps, ingestEvents } from './ingest-events.js';
import type { TenantContext } from './tenant-context.js';

/**
 * Appends entries of the service's own to the tenant's reserved partitions (evidence.md section 2). Entries that are there
 * already change nothing, so that whoever is not sure may send them again. @returns how many were new.
 *
 * @throws INTERNAL when one is refused: they are made by this service, so it is the service that is wrong.
 */
export async function appendSystemEntries(
  deps: IngestDeps,
  tenant: TenantContext,
  items: readonly unknown[],
): Promise<number> {
  const { accepted, results } = await ingestEvents(deps, tenant, { items, writer: 'SERVICE' });
  const refused = results.find(({ status }) => status === 'REJECTED')?.error;
  if (refused) {
    const places = (refused.errors ?? []).map(({ path, code }) => `${path}: ${code}`);
    throw problem('INTERNAL', { internal: `a system entry was refused: ${refused.code} ${places.join(', ')}` });
  }
  return accepted;
}
