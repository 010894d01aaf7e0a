import type { QueueSpec } from '../../../shared/jobs/work-queue.js';
import { builtInEngine } from '../adapters/scan/built-in.js';
import { clamavEngine } from '../adapters/scan/clamav.js';
import { DOCUMENT_COLLECTION, type DocumentRow } from '../model/document-model.js';
import { documentOf } from '../model/document-repository.js';
import { mongoTextStore } from '../model/text-model.js';
import { DocumentFactsResolver } from '../resolvers/document-facts-resolver.js';
import { DocumentResolver } from '../resolvers/document-resolver.js';
import { QuarantineResolver } from '../resolvers/quarantine-resolver.js';
import type { ScanEngine } from '../service/ports/scan-engine.js';
import { documentScanner, type ScanDeps, scanStanding } from '../service/scan-document.js';
import type { VaultParts, WireArea } from './parts.js';

/** Scans at once in one process: each holds some MiB, and is mostly reading. */
const SCANS_AT_ONCE = 4;
const SCANS_OF_A_TENANT = 2;

/** A gibibyte past two engines takes minutes. */
const SCAN_LEASE_MS = 60_000;

const scanQueue = (deps: ScanDeps): QueueSpec<DocumentRow> => ({
  name: 'documents.scan',
  description: 'Scans documents that were taken without a scan.',
  collection: DOCUMENT_COLLECTION,
  groupField: 'tenant_id',
  concurrency: SCANS_AT_ONCE,
  limits: { maxInFlight: SCANS_OF_A_TENANT },
  leaseMs: SCAN_LEASE_MS,
  handle: async (row) => {
    await scanStanding(deps, documentOf(row));
    return { kind: 'done', change: {} };
  },
  // It stays PENDING, and says so; whoever builds a bundle of it scans it first.
  poison: () => ({}),
});

export function scanEngines({ config }: Pick<VaultParts['deps'], 'config'>): readonly ScanEngine[] {
  const { clamav, clamavTimeoutMs } = config.scan;
  return [builtInEngine(), ...(clamav === null ? [] : [clamavEngine(clamav, clamavTimeoutMs)])];
}

/** Documents, their scan and their quarantine; the bytes are streamed by the facade. */
export const wireDocuments: WireArea = async ({ deps, documents, gate }) => {
  const scanDeps = { ...deps, documents, engines: scanEngines(deps) };
  const scanDocument = documentScanner(scanDeps);
  const queue = await deps.jobs.queue(scanQueue(scanDeps));
  const services = {
    ...scanDeps,
    gate,
    texts: mongoTextStore(deps.database.db),
    scanInline: deps.config.scan.inline,
    wakeScan: (tenantId: string) => queue.wake([tenantId]),
  };
  return {
    resolvers: [
      [DocumentResolver, new DocumentResolver(services)],
      [QuarantineResolver, new QuarantineResolver(services)],
      [DocumentFactsResolver, new DocumentFactsResolver({ documents, scanDocument })],
    ],
  };
};
