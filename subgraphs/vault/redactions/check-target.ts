import type { EventPointersJudged, EventRedactor } from '../../../shared/contracts/redactions.js';
import { type FieldFault, fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { redactableType } from '../content/domain.js';
import type { DocumentStore, StoredDocument } from '../documents/index.js';
import { type RedactionSubject, type RedactionTarget } from './domain.js';

export interface TargetDeps {
  readonly eventRedactor: EventRedactor;
  readonly documents: DocumentStore;
}

const reject = (errors: readonly FieldFault[]): never => {
  throw problem('VALIDATION_ERROR', { errors });
};

/**
 * Checks a target against the current state of its subject.
 *
 * @throws VALIDATION_ERROR, DISPOSED, QUARANTINED, DOCUMENT_REJECTED, UNSUPPORTED_MEDIA_TYPE
 */
export async function checkTarget(
  deps: TargetDeps,
  tenantId: TenantId,
  subject: RedactionSubject,
  target: RedactionTarget,
): Promise<void> {
  if (subject.kind === 'EVENT') await checkEvent(deps, tenantId, subject.id, target);
  else checkDocument(await redactableDocument(deps, tenantId, subject.id), target);
}

/** Checks that every pointer hides something of the event's record that may be hidden. */
export async function checkEvent(
  { eventRedactor }: Pick<TargetDeps, 'eventRedactor'>,
  tenantId: TenantId,
  eventId: string,
  { pointers, terms, pages }: RedactionTarget,
): Promise<EventPointersJudged> {
  if (terms.length > 0) reject([fault('/terms', 'subject', 'Terms are for documents; name pointers.')]);
  if (pages.length > 0) reject([fault('/pages', 'subject', 'Pages are for documents; name pointers.')]);
  if (pointers.length === 0) reject([fault('/pointers', 'required', 'Name at least one pointer.')]);
  const checked = await eventRedactor.judge(tenantId, eventId, pointers);
  if (checked.status === 'NOT_FOUND') reject([fault('/subject/id', 'unknown', 'No event has this identifier.')]);
  if (checked.status === 'RESERVED') {
    reject([fault('/subject/id', 'reserved', "Entries of the service's own partitions are not redacted.")]);
  }
  if (checked.status === 'DISPOSED') throw problem('DISPOSED');
  const faults = pointers.flatMap((pointer, i) => {
    const path = `/pointers/${i}`;
    if (checked.unknown.includes(pointer)) return [fault(path, 'unknown', 'Must point to a member of the record.')];
    if (checked.undisclosable.includes(pointer)) {
      return [fault(path, 'always-disclosed', 'Includes a member that every rendition discloses.')];
    }
    return [];
  });
  if (faults.length > 0) reject(faults);
  return checked;
}

/** @throws VALIDATION_ERROR, QUARANTINED, DOCUMENT_REJECTED, DISPOSED, UNSUPPORTED_MEDIA_TYPE */
export async function redactableDocument(
  { documents }: Pick<TargetDeps, 'documents'>,
  tenantId: TenantId,
  documentId: string,
): Promise<StoredDocument> {
  const document = isIdOf('document', documentId) ? await documents(tenantId).get(documentId) : null;
  if (document === null)
    throw problem('VALIDATION_ERROR', {
      errors: [fault('/subject/id', 'unknown', 'No document has this identifier.')],
    });
  if (document.status === 'QUARANTINED') throw problem('QUARANTINED');
  if (document.status === 'REJECTED') throw problem('DOCUMENT_REJECTED');
  if (document.status !== 'AVAILABLE') throw problem('DISPOSED');
  if (redactableType(document.media_type) === undefined) {
    throw problem('UNSUPPORTED_MEDIA_TYPE', {
      message: 'Documents of this kind cannot be redacted; text/plain, application/pdf, image/png and image/jpeg can.',
    });
  }
  return document;
}

export function checkDocument({ media_type }: StoredDocument, { pointers, terms, pages }: RedactionTarget): void {
  if (pointers.length > 0) reject([fault('/pointers', 'subject', 'Pointers are for events; name terms or pages.')]);
  if (terms.length === 0 && pages.length === 0) reject([fault('/terms', 'required', 'Name terms or pages.')]);
  const type = redactableType(media_type);
  if (pages.length > 0 && type === 'text/plain') {
    reject([fault('/pages', 'subject', 'Plain text has no pages; name terms.')]);
  }
  if (terms.length > 0 && (type === 'image/png' || type === 'image/jpeg')) {
    reject([fault('/terms', 'subject', 'An image has no text; name page 1 or regions of it.')]);
  }
  const empty = pages.flatMap(({ regions = [] }, i) =>
    regions.flatMap(({ width, height }, j) =>
      width > 0 && height > 0 ? [] : [fault(`/pages/${i}/regions/${j}`, 'empty', 'Must have a width and a height.')],
    ),
  );
  if (empty.length > 0) reject(empty);
  const wordless = terms.flatMap((term, i) =>
    /[\p{L}\p{N}]/u.test(term) ? [] : [fault(`/terms/${i}`, 'wordless', 'Must contain a letter or a digit.')],
  );
  if (wordless.length > 0) reject(wordless);
}
