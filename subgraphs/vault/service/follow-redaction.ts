import type { Ids } from '../../../shared/ids/ids.js';
import { ACTING_BY_ITSELF, type ChangeDocumentDeps, changeDocument } from './change-document.js';
import type { StoredDocument } from './ports/document-store.js';
import type { SetRenditionEffect } from './ports/vault-effects.js';

/**
 * Gives readers the rendition of a document from now on. Again, or after a later redaction, it changes nothing; of a
 * document that is disposed of, nothing is left to be hidden.
 */
export async function followDocumentRedaction(
  deps: ChangeDocumentDeps & { readonly ids: Ids },
  { tenant_id, document_id, ordinal, rendition }: SetRenditionEffect,
): Promise<void> {
  const standing = await deps.documents(tenant_id).get(document_id);
  if (standing === null || standing.status === 'DISPOSED') return;
  await changeDocument(deps, tenant_id, document_id, {
    action: 'redact',
    acting: ACTING_BY_ITSELF,
    ids: deps.ids,
    changes: (document) => (lastOrdinal(document) >= ordinal ? null : { rendition }),
    about: { redaction_id: rendition.redaction_id, ordinal },
  });
}

/** Of the redactions that the document has followed. */
const lastOrdinal = ({ history }: StoredDocument): number =>
  Math.max(0, ...history.map(({ action, about }) => (action === 'redact' ? Number(about?.['ordinal'] ?? 0) : 0)));
