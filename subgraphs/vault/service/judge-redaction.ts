import type { EventPointersJudged, EventRedactor } from '../../../shared/contracts/redactions.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type RedactionSubject, type RedactionTarget, redactableType } from '../domain/redaction.js';
import type { DocumentStore, StoredDocument } from './ports/document-store.js';

export interface JudgeDeps {
  readonly eventRedactor: EventRedactor;
  readonly documents: DocumentStore;
}

const refused = (errors: readonly FieldFault[]): never => {
  throw problem('VALIDATION_ERROR', { errors });
};

/** Holds a target against its subject as it stands. @throws VALIDATION_ERROR, DISPOSED, QUARANTINED, DOCUMENT_REJECTED, UNSUPPORTED_MEDIA_TYPE */
export async function judgeTarget(
  deps: JudgeDeps,
  tenantId: TenantId,
  subject: RedactionSubject,
  target: RedactionTarget,
): Promise<void> {
  if (subject.kind === 'EVENT') await judgeEvent(deps, tenantId, subject.id, target);
  else judgeDocument(await redactableDocument(deps, tenantId, subject.id), target);
}

/** The event's pointers, held against its record: every one of them must hide something that may be hidden. */
export async function judgeEvent(
  { eventRedactor }: Pick<JudgeDeps, 'eventRedactor'>,
  tenantId: TenantId,
  eventId: string,
  { pointers, terms, pages }: RedactionTarget,
): Promise<EventPointersJudged> {
  if (terms.length > 0) refused([fault('/terms', 'subject', 'Terms are for documents; name pointers.')]);
  if (pages.length > 0) refused([fault('/pages', 'subject', 'Pages are for documents; name pointers.')]);
  if (pointers.length === 0) refused([fault('/pointers', 'required', 'Name at least one pointer.')]);
  const judged = await eventRedactor.judge(tenantId, eventId, pointers);
  if (judged.status === 'NOT_FOUND') refused([fault('/subject/id', 'unknown', 'No such event.')]);
  if (judged.status === 'RESERVED') {
    refused([fault('/subject/id', 'reserved', "Entries of the service's own partitions are not redacted.")]);
  }
  if (judged.status === 'DISPOSED') throw problem('DISPOSED');
  const faults = pointers.flatMap((pointer, i) => {
    const path = `/pointers/${i}`;
    if (judged.unknown.includes(pointer)) return [fault(path, 'unknown', 'Names nothing in the record.')];
    if (judged.undisclosable.includes(pointer)) {
      return [fault(path, 'always-disclosed', 'Reaches a member that every rendition discloses.')];
    }
    return [];
  });
  if (faults.length > 0) refused(faults);
  return judged;
}

/** @throws VALIDATION_ERROR, QUARANTINED, DOCUMENT_REJECTED, DISPOSED, UNSUPPORTED_MEDIA_TYPE */
export async function redactableDocument(
  { documents }: Pick<JudgeDeps, 'documents'>,
  tenantId: TenantId,
  documentId: string,
): Promise<StoredDocument> {
  const document = isIdOf('document', documentId) ? await documents(tenantId).get(documentId) : null;
  if (document === null)
    throw problem('VALIDATION_ERROR', { errors: [fault('/subject/id', 'unknown', 'No such document.')] });
  if (document.status === 'QUARANTINED') throw problem('QUARANTINED');
  if (document.status === 'REJECTED') throw problem('DOCUMENT_REJECTED');
  if (document.status !== 'AVAILABLE') throw problem('DISPOSED');
  if (redactableType(document.media_type) === undefined) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', {
      message: 'Documents of this kind cannot be redacted; text/plain and application/pdf can.',
    });
  }
  return document;
}

export function judgeDocument({ media_type }: StoredDocument, { pointers, terms, pages }: RedactionTarget): void {
  if (pointers.length > 0) refused([fault('/pointers', 'subject', 'Pointers are for events; name terms or pages.')]);
  if (terms.length === 0 && pages.length === 0) refused([fault('/terms', 'required', 'Name terms or pages.')]);
  if (pages.length > 0 && redactableType(media_type) === 'text/plain') {
    refused([fault('/pages', 'subject', 'Plain text has no pages; name terms.')]);
  }
  const empty = pages.flatMap(({ regions = [] }, i) =>
    regions.flatMap(({ width, height }, j) =>
      width > 0 && height > 0 ? [] : [fault(`/pages/${i}/regions/${j}`, 'empty', 'Has no area.')],
    ),
  );
  if (empty.length > 0) refused(empty);
  const wordless = terms.flatMap((term, i) =>
    /[\p{L}\p{N}]/u.test(term) ? [] : [fault(`/terms/${i}`, 'wordless', 'Holds no letter and no digit.')],
  );
  if (wordless.length > 0) refused(wordless);
}
