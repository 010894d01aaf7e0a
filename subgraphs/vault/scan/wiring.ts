import type { TenantId } from '../../../shared/ids/tenant.js';
import type { QueueSpec, WorkRow } from '../../../shared/jobs/work-queue.js';
import type { DocumentScan, DocumentStore, ScanDocument, UnscannedContent } from '../documents/index.js';
import { DOCUMENTS } from '../documents/index.js';
import type { VaultArea, VaultParts } from '../parts.js';
import { builtInEngine } from './adapters/built-in.js';
import { clamavEngine } from './adapters/clamav.js';
import type { ScanEngine } from './ports.js';
import { EnsureScannedResolver, QuarantineResolver } from './resolver.js';
import { documentScanner, scanStored } from './scan-document.js';

/** Concurrent scans in one process: each holds some MiB, and mostly reads. */
const SCANS_AT_ONCE = 4;
const SCANS_OF_A_TENANT = 2;

/** Scanning a gibibyte with two engines takes minutes. */
const SCAN_LEASE_MS = 60_000;

interface QueuedDocument extends WorkRow {
  readonly tenant_id: TenantId;
}

const scanQueue = (scanDocument: ScanDocument): QueueSpec<QueuedDocument> => ({
  name: 'documents.scan',
  description: 'Scans documents that were uploaded without a scan.',
  collection: DOCUMENTS.name,
  groupField: 'tenant_id',
  concurrency: SCANS_AT_ONCE,
  limits: { maxInFlight: SCANS_OF_A_TENANT },
  leaseMs: SCAN_LEASE_MS,
  handle: async (row) => {
    await scanDocument(row.tenant_id, row._id);
    return { kind: 'done', change: {} };
  },
  // The document stays PENDING; a bundle that includes it scans it first.
  poison: () => ({}),
});

function scanEngines({ config }: Pick<VaultParts['deps'], 'config'>): readonly ScanEngine[] {
  const { clamav, clamavTimeoutMs } = config.scan;
  return [builtInEngine(), ...(clamav === null ? [] : [clamavEngine(clamav, clamavTimeoutMs)])];
}

/** What other areas use of the scan. */
export interface ScanParts {
  readonly scanContent: (content: UnscannedContent) => Promise<DocumentScan>;
  readonly scanDocument: ScanDocument;
  /** Starts the scan job for a tenant's new documents. */
  readonly wakeScan: (tenantId: TenantId) => void;
}

/** Connects the engines and starts the queue of scans. */
export async function scanParts(deps: VaultParts['deps'], documents: DocumentStore): Promise<ScanParts> {
  const scanDeps = { ...deps, documents, engines: scanEngines(deps) };
  const scanDocument = documentScanner(scanDeps);
  const queue = await deps.jobs.queue(scanQueue(scanDocument));
  return {
    scanContent: (content) => scanStored(scanDeps, content),
    scanDocument,
    wakeScan: (tenantId) => queue.wake([tenantId]),
  };
}

/** The scan on request and the review of the quarantine. */
export const scanArea: VaultArea = {
  resolvers: [QuarantineResolver, EnsureScannedResolver],
  wire: ({ deps, documents, scanDocument }) => [
    new QuarantineResolver({ ...deps, documents }),
    new EnsureScannedResolver(scanDocument),
  ],
};
