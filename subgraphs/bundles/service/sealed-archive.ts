import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { Problem, problem } from '../../../shared/errors/problem.js';
import { MANIFEST_PATH } from '../../../shared/evidence/bundle/entries.js';
import type { ManifestDocument, ManifestEvent } from '../../../shared/evidence/bundle/manifest.js';
import { manifestParts } from '../../../shared/evidence/edx/manifest-parts.js';
import { openStoredArchive, type RandomAccess } from '../../../shared/evidence/edx/stored-archive.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { TenantWorm, WormStore } from '../../../shared/worm/worm-store.js';
import type { SealedBundle } from './read-bundles.js';

export interface ArchiveDeps {
  readonly tenants: TenantDirectory;
  readonly worm: WormStore;
}

export async function wormOf({ tenants, worm }: ArchiveDeps, tenantId: TenantId): Promise<TenantWorm> {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND');
  return worm.forTenant({ tenantId, logId: tenant.log_id });
}

/** The ZIP as it lies in the write-once store; each block is checked as it is read. */
export async function archiveBytes(deps: ArchiveDeps, { tenant_id, seal }: SealedBundle): Promise<RandomAccess> {
  const worm = await wormOf(deps, tenant_id);
  const { worm_blob_sha256, size } = seal;
  return { sizeBytes: size, read: (start, end) => worm.readBlob(worm_blob_sha256, { start, end }) };
}

/** Events of a sealed manifest, in order of the tree, in memory of one. */
export async function* eventsOf(deps: ArchiveDeps, bundle: SealedBundle): AsyncGenerator<ManifestEvent> {
  yield* listOf<ManifestEvent>(deps, bundle, 'events');
}

export async function documentsOf(deps: ArchiveDeps, bundle: SealedBundle): Promise<readonly ManifestDocument[]> {
  const documents: ManifestDocument[] = [];
  for await (const document of listOf<ManifestDocument>(deps, bundle, 'documents')) documents.push(document);
  return documents;
}

async function* listOf<T>(deps: ArchiveDeps, bundle: SealedBundle, member: string): AsyncGenerator<T> {
  const archive = await openStoredArchive(await archiveBytes(deps, bundle));
  for await (const part of manifestParts(archive.read(MANIFEST_PATH), (name) => name === member)) {
    if (part.isElement) yield part.value as unknown as T;
  }
}

/** What a damaged or missing copy looks like to its reader. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'INTEGRITY_FAILURE' || error.code === 'NOT_FOUND');
