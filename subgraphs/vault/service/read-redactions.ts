import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { RedactionQuery, RedactionStore, StoredRedaction } from './ports/redaction-store.js';

export interface ReadRedactionDeps {
  readonly redactions: RedactionStore;
}

export async function listRedactions(
  deps: ReadRedactionDeps,
  context: RequestContext,
  query: RedactionQuery,
): Promise<Page<StoredRedaction>> {
  const rows = await deps.redactions(authorise(context, 'redactions:read')).list(query);
  return pageOf(rows, query.limit, ({ created_at, redaction_id }) => ({
    atMs: created_at.getTime(),
    id: redaction_id,
  }));
}

export async function getRedaction(
  deps: ReadRedactionDeps,
  context: RequestContext,
  redactionId: string,
): Promise<StoredRedaction | null> {
  const redactions = deps.redactions(authorise(context, 'redactions:read'));
  return isIdOf('redaction', redactionId) ? redactions.get(redactionId) : null;
}

/**
 * The words that a redaction takes out are what must not be read: once it is no draft, they are told to nobody who may not
 * read the original.
 */
export const showsTerms = ({ principal }: RequestContext, { status }: StoredRedaction): boolean =>
  status === 'DRAFT' || principal.scopes.has('documents:unredacted');
