import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BlobHolder } from '../service/blob-holders.js';
import type { DocumentStore } from '../service/ports/document-store.js';
import type { StoredRenditions } from '../service/ports/stored-renditions.js';
import { standingSubjects } from '../service/subjects-of.js';

/**
 * Everybody who names stored bytes: no blob goes while one of them needs it. Whoever comes to store blobs adds a line here
 * (test/vault/blob-holders.test.ts fails until it does).
 */
export const blobHolders = (
  deps: Pick<LinkedDeps, 'ledgerDisposal' | 'sealedArchives' | 'ruleArtifacts'>,
  documents: DocumentStore,
  renditions: (tenantId: TenantId) => StoredRenditions,
): readonly BlobHolder[] => [
  { name: 'documents', needs: (tenantId, sha256s) => documents(tenantId).referenced(sha256s) },
  {
    name: 'raw messages',
    needs: (tenantId, sha256s, role) =>
      deps.ledgerDisposal.rawInUse(tenantId, sha256s, role === 'RAW' ? 'KEEP' : 'LET_GO'),
  },
  {
    name: 'renditions',
    // A rendition goes with the last of the records that it stands for.
    needs: async (tenantId, sha256s) => {
      const named = await renditions(tenantId).named(sha256s);
      const subjects = named.map(({ subject }) => subject);
      const standing = await standingSubjects({ ...deps, documents }, tenantId, subjects);
      return named.filter(({ subject }) => standing.has(subject.id)).map(({ sha256 }) => sha256);
    },
  },
  { name: 'sealed bundles', needs: (tenantId, sha256s) => deps.sealedArchives.named(tenantId, sha256s) },
  { name: 'artifacts of rules', needs: (tenantId, sha256s) => deps.ruleArtifacts.named(tenantId, sha256s) },
];
