import { isoTime } from '../../../shared/clock/clock.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { BLOB_BLOCK_BYTES, type ByteRange, type TenantWorm, type WormStore } from '../../../shared/worm/worm-store.js';
import { ACTING_BY_ITSELF, type ChangeDocumentDeps, changeDocument } from './change-document.js';
import type { DocumentScan, StoredDocument } from './ports/document-store.js';
import type { ScanEngine } from './ports/scan-engine.js';
import type { OpenExceptionEffect, VaultEffect } from './ports/vault-effects.js';
import { scanContent } from './scan-content.js';

export interface ScanDeps extends ChangeDocumentDeps {
  readonly engines: readonly ScanEngine[];
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Scans a document that no scan has seen yet, and tells what it is then. @throws NOT_FOUND, and what the store throws */
export type ScanDocument = (tenantId: TenantId, documentId: string) => Promise<StoredDocument>;

type Scanned = Pick<StoredDocument, 'tenant_id' | 'sha256' | 'size' | 'media_type' | 'filename'>;

/** What the engines say of stored content. */
export async function scanStored(deps: ScanDeps, scanned: Scanned): Promise<DocumentScan> {
  const { tenant_id: tenantId } = scanned;
  const tenant = await deps.tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND', { internal: 'content of a tenant that there is not' });
  const worm = deps.worm.forTenant({ tenantId, logId: tenant.log_id });
  const content = { ...scanned, read: readerOf(worm, scanned) };
  return scanContent(deps.engines, content, { logger: deps.logger, nowMs: () => deps.clock.nowMs() });
}

/** Engines look at head, whole and tail: of a small content the store is asked once for all of them. */
function readerOf(worm: Pick<TenantWorm, 'readBlob'>, { sha256, size }: Pick<Scanned, 'sha256' | 'size'>) {
  if (size > BLOB_BLOCK_BYTES) return (range?: ByteRange) => worm.readBlob(sha256, range);
  let whole: Promise<Buffer> | undefined;
  return async function* (range?: ByteRange): AsyncGenerator<Buffer> {
    whole ??= collected(worm.readBlob(sha256));
    const bytes = await whole;
    const asked = range === undefined ? bytes : bytes.subarray(range.start, range.end);
    if (asked.length > 0) yield asked;
  };
}

async function collected(blocks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const block of blocks) read.push(block);
  return Buffer.concat(read);
}

export const documentScanner =
  (deps: ScanDeps): ScanDocument =>
  async (tenantId, documentId) => {
    const standing = isIdOf('document', documentId) ? await deps.documents(tenantId).get(documentId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    return scanStanding(deps, standing);
  };

/** The same of a document that was read just now. */
export async function scanStanding(deps: ScanDeps, standing: StoredDocument): Promise<StoredDocument> {
  // What is not given out any more need not be looked at.
  if (standing.scan.status !== 'PENDING' || standing.status !== 'AVAILABLE') return standing;
  const scan = await scanStored(deps, standing);
  return recordScan(deps, standing, scan);
}

/** Another may have scanned it meanwhile: what stands first stays. */
const recordScan = (deps: ScanDeps, { tenant_id, document_id }: StoredDocument, scan: DocumentScan) =>
  changeDocument(deps, tenant_id, document_id, {
    action: scan.status === 'FLAGGED' ? 'quarantine' : 'pass-scan',
    acting: ACTING_BY_ITSELF,
    ids: deps.ids,
    changes: ({ scan: standing }) => (standing.status === 'PENDING' ? { scan } : null),
    ...(scan.status === 'FLAGGED'
      ? { effects: (document, at) => quarantineEffects(deps.ids, { ...document, scan }, at) }
      : {}),
    about: { engine: scan.engine, findings: codesOf(scan) },
  });

export const codesOf = ({ findings }: DocumentScan): string[] => [...new Set(findings.map(({ code }) => code))];

/** What a quarantine leaves behind: receivers are told, and somebody must look. */
export function quarantineEffects(
  ids: Pick<Ids, 'next'>,
  { tenant_id, document_id, scan }: Pick<StoredDocument, 'tenant_id' | 'document_id' | 'scan'>,
  at: Date,
): readonly VaultEffect[] {
  const open: OpenExceptionEffect = {
    id: ids.next('effect'),
    kind: 'open-exception',
    tenant_id,
    exception: {
      kind: 'DOCUMENT_QUARANTINED',
      subject: { document_id },
      detail: { engine: scan.engine, findings: codesOf(scan) },
    },
  };
  const data = { document_id, at: isoTime(at.getTime()) };
  return [platformEventEffect(ids, { tenant_id, type: 'document.quarantined', at: data.at, data }), open];
}
