import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { SIGNATURE_PATH } from '../../../shared/evidence/bundle/entries.js';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import type { QueueSpec } from '../../../shared/jobs/work-queue.js';
import { type StampDeps, stampQueue } from '../../../shared/timestamp/obtain-stamp.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import type { BundleStore } from '../bundles/index.js';
import type { TimestampRow } from './ports.js';

interface TimestampDeps extends StampDeps {
  readonly bundles: BundleStore;
  readonly tenants: TenantDirectory;
  readonly worm: WormStore;
}

/** Failures of the authority do not affect the bundle, which is sealed: the time-stamp is retried. */
export const timestampQueue = (deps: TimestampDeps, collection: string): QueueSpec<TimestampRow> =>
  stampQueue(deps, {
    name: 'bundles.timestamp',
    description: 'Obtains time-stamps for the signatures of sealed bundles.',
    collection,
    contentOf: (row) => signatureOf(deps, row),
  });

/** Reads signature.sig from the stored archive. */
async function signatureOf({ bundles, tenants, worm }: TimestampDeps, row: TimestampRow): Promise<Buffer> {
  const [bundle, tenant] = await Promise.all([bundles(row.tenant_id).get(row._id), tenants.find(row.tenant_id)]);
  if (!bundle?.seal || !tenant) throw new Error('a time-stamp was requested for a bundle that is not sealed');
  const { worm_blob_sha256, size } = bundle.seal;
  const stored = worm.forTenant({ tenantId: tenant.tenant_id, logId: tenant.log_id });
  const archive = await openStoredArchive({
    sizeBytes: size,
    read: (start, end) => stored.readBlob(worm_blob_sha256, { start, end }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.read(SIGNATURE_PATH)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
