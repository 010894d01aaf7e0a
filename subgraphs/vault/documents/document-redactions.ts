import { z } from 'zod';
import { type AdoptableRows, AdoptionRefused } from '../../../shared/facts/adoption.js';
import { type Fact, type FactDraft, FactPlace, type FactSubject } from '../../../shared/facts/fact.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import { idLike } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import type { Follows } from '../../../shared/records/row-facts.js';
import { documentStepsOn, VAULT_SERVICE } from './change-document.js';
import type { DocumentRendition, RedactedDocument, StoredDocument, VaultEffect } from './ports.js';

// The facts `document-redaction` of a document say which rendition its readers get. Each is appended before the fact of
// the document that switches them: a reader between both switches the document first.

/** A rendition before readers get it. */
export type NewRendition = Omit<DocumentRendition, 'fact' | 'ordinal'>;

const Rendition = z.object({
  redaction_id: z.string(),
  sha256: z.string(),
  size: z.int(),
  media_type: z.string(),
  filename: z.string(),
  title: z.string().nullable(),
  tags: z.array(z.string()),
});

/** The evidential fields of a document's redaction. */
const RenditionState = z.object({ ordinal: z.int(), rendition: Rendition });

/** The evidential fields of a document's redaction, as the row of the document holds them. */
export function renditionState(rendition: Partial<DocumentRendition> | null): JsonObject {
  const { fact: _, ordinal = null, ...shown } = rendition ?? {};
  return { ordinal, rendition: Rendition.safeParse(shown).data ?? null };
}

const subjectOf = (id: string): FactSubject => ({ kind: 'document-redaction', id });

/** An applied redaction of a document. */
interface RenditionOrder {
  readonly document_id: string;
  readonly ordinal: number;
  readonly rendition: NewRendition;
  /** RFC 3339. */
  readonly at: string;
  /** Further members of the payload. */
  readonly details: JsonObject;
}

/** Appends the fact that gives readers a rendition; an earlier redaction changes nothing after a later one. */
export async function commitRendition(guard: FactGuard, tenantId: TenantId, order: RenditionOrder): Promise<void> {
  await retryOnConflict('redaction', async () => {
    const subject = subjectOf(order.document_id);
    const [answer] = await guard.read(tenantId, [{ subject, known: null }]);
    const last = answer?.newer.at(-1) ?? null;
    const current = last === null ? null : RenditionState.parse(last.state);
    if (current !== null && current.ordinal >= order.ordinal) {
      const { redaction_id } = current.rendition;
      if (current.ordinal > order.ordinal || redaction_id === order.rendition.redaction_id) return true;
      throw new Error('two redactions of a document have the same number');
    }
    const { status } = await guard.append(tenantId, draftOf(order, last));
    return status === 'APPENDED' ? true : undefined;
  });
}

const draftOf = ({ document_id, ordinal, rendition, at, details }: RenditionOrder, last: Fact | null): FactDraft => ({
  fact_id: idLike('effect', rendition.redaction_id),
  subject: subjectOf(document_id),
  event_family: 'redaction',
  event_type: 'redaction.applied',
  at,
  action: 'apply',
  actor: { type: 'SERVICE', id: VAULT_SERVICE },
  previous: last?.place.entry_hash ?? null,
  state: { ordinal, rendition: Rendition.parse(rendition) },
  details,
});

type FollowDeps = Parameters<typeof documentStepsOn>[0] & {
  readonly guard?: FactGuard;
  /** Whether an applied redaction of a document exists, for adoption. */
  readonly isRedacted: (tenantId: TenantId, documentId: string) => Promise<boolean>;
};

/** Makes the store of documents show none before it has followed its redactions. */
export const followsRedactions = (deps: FollowDeps): Follows<StoredDocument, VaultEffect> => ({
  question: ({ document_id, status, rendition }) =>
    // No request reads their contents again.
    status === 'DISPOSED' || status === 'REJECTED'
      ? null
      : { subject: subjectOf(document_id), known: FactPlace.safeParse(rendition?.fact).data ?? null },
  agrees: ({ rendition }, { state }) => canonicalJson(state) === canonicalJson(renditionState(rendition)),
  adopted: (tenantId, document) => adoptedDocument(deps, tenantId, document),
  follow: async (rows, document, facts) => {
    const last = facts.at(-1);
    if (last === undefined) return;
    const { ordinal, rendition } = RenditionState.parse(last.state);
    // Another process may switch it first; the store reads it again.
    await documentStepsOn(deps, rows).takeOn(
      document,
      'redact',
      { rendition: { ...rendition, ordinal, fact: last.place } },
      { line: { about: { redaction_id: rendition.redaction_id, ordinal } } },
    );
  },
});

/** The rendition of a document of an earlier version names no fact: its own adoption comes first. */
async function adoptedDocument(
  { guard, isRedacted }: FollowDeps,
  tenantId: TenantId,
  document: StoredDocument,
): Promise<StoredDocument> {
  const { document_id, rendition } = document;
  if (rendition === null) {
    // Someone removed the rendition: readers would get the original.
    if (await isRedacted(tenantId, document_id)) throw new AdoptionRefused('CONTRADICTED');
    return document;
  }
  if ('fact' in rendition) throw new AdoptionRefused('CONTRADICTED');
  const answers = await guard?.read(tenantId, [{ subject: subjectOf(document_id), known: null }]);
  const last = answers?.[0]?.newer.at(-1);
  if (last === undefined) return document;
  const { ordinal, rendition: proven } = RenditionState.parse(last.state);
  return { ...document, rendition: { ...proven, ordinal, fact: last.place } };
}

/** The renditions of documents, for the command that adopts rows of earlier versions. */
export const adoptableRenditions = (
  collection: string,
  redacted: (tenantId: TenantId) => AsyncIterable<RedactedDocument>,
): AdoptableRows => ({
  collection,
  rows: async function* (tenantId) {
    for await (const { _id, rendition, history } of redacted(tenantId)) {
      // An earlier version stated the number of the redaction in the history alone.
      const line = Array.isArray(history) ? history.findLast(({ action }) => action === 'redact') : undefined;
      const ordinal = rendition?.ordinal ?? line?.about?.['ordinal'];
      yield {
        id: _id,
        key: _id,
        fact: rendition?.fact,
        createdAt: line?.at ?? null,
        adopted: () => [{ state: RenditionState.parse({ ordinal, rendition }) }],
      };
    }
  },
  // The adoption of the document writes the place.
  place: async () => undefined,
});
