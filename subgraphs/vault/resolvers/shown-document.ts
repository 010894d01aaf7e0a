import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { DOCUMENT_MACHINE } from '../domain/document-states.js';
import type { Document } from '../schema/document.js';
import type { StoredDocument } from '../service/ports/document-store.js';
import { getsRendition, namesOf } from '../service/read-documents.js';

const timeOf = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** A token of member access is told of its own member alone, also of a document about several. */
const toldMembers = ({ principal }: RequestContext, { member_ids }: StoredDocument): readonly string[] =>
  principal.member === undefined ? member_ids : member_ids.filter((id) => principal.member?.member_ids.includes(id));

/** A document as this reader may see it: hash and size are those of the bytes that they would get. */
export function shownDocument(context: RequestContext, stored: StoredDocument): Document {
  const { rendition, scan, review, history, ...rest } = stored;
  const member_ids = toldMembers(context, stored);
  const redacted = getsRendition(context, stored);
  const { tags, ...names } = namesOf(stored, redacted);
  const content = redacted && rendition !== null ? rendition : stored;
  return {
    ...rest,
    ...names,
    sha256: content.sha256,
    size: content.size,
    media_type: content.media_type,
    member_id: member_ids.length === 1 ? (member_ids[0] ?? null) : null,
    member_ids: [...member_ids],
    event_ids: [...rest.event_ids],
    tags: [...tags],
    effective_at: timeOf(rest.effective_at),
    allowed_actions: allowedActions(DOCUMENT_MACHINE, rest.status),
    scan: { ...scan, findings: [...scan.findings], scanned_at: timeOf(scan.scanned_at) },
    review: review === null ? null : { ...review, reviewed_at: isoTime(review.reviewed_at.getTime()) },
    redaction_id: rendition?.redaction_id ?? null,
    redacted,
    created_at: isoTime(rest.created_at.getTime()),
    updated_at: isoTime(rest.updated_at.getTime()),
    history: history.map(({ revision, action, from, to, at, by, actor_id }) => ({
      revision,
      action,
      from,
      to,
      at: isoTime(at.getTime()),
      by,
      actor_id,
    })),
  };
}
