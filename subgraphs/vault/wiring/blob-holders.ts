import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BlobHolder } from '../service/blob-holders.js';
import type { DocumentStore } from '../service/ports/document-store.js';
import type { RedactedLines } from '../service/ports/redacted-lines.js';

/**
 * Everybody who names stored bytes: no blob goes while one of them needs it. Whoever comes to store blobs adds a line here
 * (test/vault/blob-holders.test.ts fails until it does).
 */
export const blobHolders = (
  deps: Pick<LinkedDeps, 'ledgerDisposal' | 'sealedArchives' | 'ruleArtifacts'>,
  documents: DocumentStore,
  redactedLines: (tenantId: TenantId) => RedactedLines,
): readonly BlobHolder[] => [
  { name: 'documents and renditions', needs: (tenantId, sha256s) => documents(tenantId).referenced(sha256s) },
  {
    name: 'raw messages',
    needs: (tenantId, sha256s, role) =>
      deps.ledgerDisposal.rawInUse(tenantId, sha256s, role === 'RAW' ? 'KEEP' : 'LET_GO'),
  },
  {
    name: 'redacted lines',
    // A line goes with the last of the events that it stands for.
    needs: async (tenantId, sha256s) => {
      const lines = await redactedLines(tenantId).eventsOf(sha256s);
      if (lines.length === 0) return [];
      const eventIds = [...new Set(lines.map(({ event_id }) => event_id))];
      const kept = new Set((await deps.ledgerDisposal.facts(tenantId, eventIds)).map(({ event_id }) => event_id));
      return lines.filter(({ event_id }) => kept.has(event_id)).map(({ sha256 }) => sha256);
    },
  },
  { name: 'sealed bundles', needs: (tenantId, sha256s) => deps.sealedArchives.named(tenantId, sha256s) },
  { name: 'artifacts of rules', needs: (tenantId, sha256s) => deps.ruleArtifacts.named(tenantId, sha256s) },
];
