import type { DocumentFacts } from '../../../shared/contracts/documents.js';
import type { ManifestDocument } from '../../../shared/evidence/bundle/manifest.js';

/** A document's line of the manifest; one whose content cannot be had is listed with its state, never left out. */
export function manifestDocument(facts: DocumentFacts, referencedBy: readonly string[]): ManifestDocument {
  const { document_id, sha256, size, media_type, rendition } = facts;
  const referenced_by = [...new Set(referencedBy)].sort();
  const as = { document_id, size, media_type, referenced_by };
  if (facts.status === 'DISPOSED') return { ...as, sha256: null, state: 'DISPOSED' };
  if (facts.status !== 'AVAILABLE' || facts.scan.status === 'FLAGGED') return { ...as, sha256, state: 'QUARANTINED' };
  if (rendition === null) return { ...as, sha256, state: 'INCLUDED' };
  const shown = { sha256: rendition.sha256, size: rendition.size, media_type: rendition.media_type };
  return { ...as, ...shown, state: 'REDACTED' };
}

/** Contents that have an entry, each once, where it first stands. */
export function documentContents(
  documents: readonly ManifestDocument[],
): readonly { readonly sha256: string; readonly size: number }[] {
  const contents = new Map<string, { readonly sha256: string; readonly size: number }>();
  for (const { sha256, size, state } of documents) {
    if (sha256 === null || (state !== 'INCLUDED' && state !== 'REDACTED')) continue;
    if (!contents.has(sha256)) contents.set(sha256, { sha256, size });
  }
  return [...contents.values()];
}
