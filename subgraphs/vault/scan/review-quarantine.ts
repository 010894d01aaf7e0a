import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { custodyActorOf, custodyEffect } from '../../../shared/custody/custody-entry.js';
import type { WorkDeps } from '../../../shared/ids/work.js';
import type { StepTaken } from '../../../shared/records/steps.js';
import type { StoredDocument, VaultEffect } from '../documents/index.js';
import { type ChangeDocumentDeps, documentSteps, withEffects } from '../documents/index.js';

export interface ReviewDeps extends ChangeDocumentDeps, WorkDeps {}

/** The decision of a reviewer. */
interface ReviewInput {
  readonly reason: string;
  readonly reviewed_by: string;
}

const STEPS = {
  release: { decision: 'RELEASED', custody: 'RELEASE', note: 'released from quarantine' },
  reject: { decision: 'REJECTED', custody: 'REJECT', note: 'rejected in quarantine' },
} as const;

/**
 * Releases a document from quarantine, or rejects it for good; its bytes stay.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION
 */
export const reviewDocument = (
  deps: ReviewDeps,
  context: RequestContext,
  documentId: string,
  action: keyof typeof STEPS,
  { reason, reviewed_by }: ReviewInput,
): Promise<StoredDocument> =>
  documentSteps(deps, context, authorise(context, 'quarantine:release')).take(documentId, action, {
    change: (_, reviewed_at) => ({ review: { decision: STEPS[action].decision, reason, reviewed_by, reviewed_at } }),
    pending: withEffects((taken) => reviewEffects(context, taken, STEPS[action], reviewed_by)),
  });

/** Leaves out the reason: it is free text and may name people. */
function reviewEffects(
  context: RequestContext,
  { after, at, ids }: StepTaken<StoredDocument>,
  step: (typeof STEPS)[keyof typeof STEPS],
  reviewed_by: string,
): readonly VaultEffect[] {
  const { tenant_id, document_id, sha256, member_ids } = after;
  const custody = custodyEffect(ids, tenant_id, {
    action: step.custody,
    subject: { kind: 'DOCUMENT', id: document_id },
    member_ids,
    actor: custodyActorOf(context),
    at: isoTime(at.getTime()),
    request_id: context.requestId,
    detail: { sha256, reviewed_by },
  });
  return [
    custody,
    {
      id: ids.next('effect'),
      kind: 'resolve-exception',
      tenant_id,
      exception_kind: 'DOCUMENT_QUARANTINED',
      subject: { document_id },
      note: step.note,
    },
  ];
}
