import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { BLOB_BLOCK_BYTES, type ByteRange, type TenantWorm, type WormStore } from '../../../shared/worm/worm-store.js';
import type { DocumentScan, ScanDocument, UnscannedContent } from '../documents/index.js';
import {
  type ChangeDocumentDeps,
  codesOf,
  quarantineEffects,
  serviceDocumentSteps,
  withEffects,
} from '../documents/index.js';
import type { ScanEngine } from './ports.js';
import { scanContent } from './scan-content.js';

interface ScanDeps extends ChangeDocumentDeps {
  readonly engines: readonly ScanEngine[];
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Scans stored content with every engine. */
export async function scanStored(deps: ScanDeps, scanned: UnscannedContent): Promise<DocumentScan> {
  const { tenant_id: tenantId } = scanned;
  const tenant = await deps.tenants.find(tenantId);
  if (!tenant) throw problem('NOT_FOUND', { internal: 'the tenant of the content is unknown' });
  const worm = deps.worm.forTenant({ tenantId, logId: tenant.log_id });
  const content = { ...scanned, read: readerOf(worm, scanned) };
  return scanContent(deps.engines, content, { logger: deps.logger, nowMs: () => deps.clock.nowMs() });
}

/** Engines read the head, the whole and the tail: small content is fetched once for all of them. */
function readerOf(worm: Pick<TenantWorm, 'readBlob'>, { sha256, size }: Pick<UnscannedContent, 'sha256' | 'size'>) {
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

/** Scans a document that has not been scanned. Another worker may scan it meanwhile: the first verdict stays. */
export const documentScanner =
  (deps: ScanDeps): ScanDocument =>
  async (tenantId, documentId) => {
    const steps = serviceDocumentSteps(deps, tenantId);
    const document = await steps.read(documentId);
    // Only documents that readers can get need a scan.
    if (document.scan.status !== 'PENDING' || document.status !== 'AVAILABLE') return document;
    const scan = await scanStored(deps, document);
    const isFlagged = scan.status === 'FLAGGED';
    const action = isFlagged ? 'quarantine' : 'pass-scan';
    const step = {
      line: { about: { engine: scan.engine, findings: codesOf(scan) } },
      pending: isFlagged ? withEffects(quarantineEffects) : undefined,
    };
    const taken = await steps.takeOn(document, action, { scan }, step);
    if (taken !== null) return taken;
    return steps.take(documentId, ({ scan: { status } }) => (status === 'PENDING' ? action : null), {
      ...step,
      change: () => ({ scan }),
    });
  };
