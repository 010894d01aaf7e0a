import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { untilLeft } from '../../../shared/errors/caller-left.js';
import { Problem, problem } from '../../../shared/errors/problem.js';
import { MANIFEST_PATH } from '../../../shared/evidence/bundle/entries.js';
import { manifestParts } from '../../../shared/evidence/edx/manifest-parts.js';
import { openStoredArchive, type RandomAccess } from '../../../shared/evidence/edx/stored-archive.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import type { TenantWorm, WormStore } from '../../../shared/worm/worm-store.js';
import type { SealedBundle } from './read-bundles.js';

export interface ArchiveDeps {
  readonly tenants: TenantDirectory;
  readonly worm: WormStore;
  /** Of the client that asked; checked at each block of an archive. */
  readonly signal?: AbortSignal | undefined;
}

export async function wormOf({ tenants, worm }: ArchiveDeps, tenantId: TenantId): Promise<TenantWorm> {
  const tenant = await tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND');
  return worm.forTenant({ tenantId, logId: tenant.log_id });
}

/** Reads the ZIP from the write-once store, which verifies each block. */
export async function archiveBytes(deps: ArchiveDeps, { tenant_id, seal }: SealedBundle): Promise<RandomAccess> {
  const worm = await wormOf(deps, tenant_id);
  const { worm_blob_sha256, size } = seal;
  const read = (start: number, end: number) => untilLeft(worm.readBlob(worm_blob_sha256, { start, end }), deps.signal);
  return { sizeBytes: size, read };
}

/** Bytes at the beginning of manifest.json; the identifier is among its first members. */
const HEAD_BYTES = 65_536;

/**
 * Checks that the archive names the bundle, before it is served.
 *
 * @throws INTEGRITY_FAILURE
 */
export async function requireOwnArchive(deps: ArchiveDeps, bundle: SealedBundle): Promise<void> {
  const bytes = await archiveBytes(deps, bundle);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes.read(0, Math.min(bytes.sizeBytes, HEAD_BYTES))) chunks.push(chunk);
  const named = `"bundle_id":${JSON.stringify(bundle.bundle_id)},`;
  if (!Buffer.concat(chunks).includes(named))
    throw problem('INTEGRITY_FAILURE', { internal: 'the archive of a bundle names another bundle' });
}

/** An event or document of a sealed manifest, as far as a comparison reads it. */
export interface SealedItem {
  readonly id: string;
  readonly sha256: string | null;
  readonly state: string;
  /** Place of an event; 0 for a document. */
  readonly tree_index: number;
  /** Chain of an event, and its place there; 0 for a document. */
  readonly source_system: string;
  readonly seq: number;
}

/** Yields the events of a sealed manifest in tree order, or its documents, one at a time. */
export async function* itemsOf(
  deps: ArchiveDeps,
  bundle: SealedBundle,
  list: 'events' | 'documents',
): AsyncGenerator<SealedItem> {
  const archive = await openStoredArchive(await archiveBytes(deps, bundle));
  for await (const { isElement, value } of manifestParts(archive.read(MANIFEST_PATH), (name) => name === list)) {
    if (!isElement || !isJsonObject(value)) continue;
    const { event_id, document_id, sha256, state, tree_index, source_system, seq } = value;
    yield {
      id: String(event_id ?? document_id),
      sha256: typeof sha256 === 'string' ? sha256 : null,
      state: String(state),
      tree_index: Number(tree_index ?? 0),
      source_system: String(source_system ?? ''),
      seq: Number(seq ?? 0),
    };
  }
}

/** The redactions that a sealed archive applies. */
export async function sealedRedactions(deps: ArchiveDeps, bundle: SealedBundle): Promise<readonly string[]> {
  const archive = await openStoredArchive(await archiveBytes(deps, bundle));
  const found: string[] = [];
  for await (const { isElement, value } of manifestParts(
    archive.read(MANIFEST_PATH),
    (name) => name === 'redactions',
  )) {
    if (isElement && isJsonObject(value)) found.push(String(value['redaction_id']));
  }
  return found;
}

/** Errors that a damaged or missing copy raises. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'INTEGRITY_FAILURE' || error.code === 'NOT_FOUND');
