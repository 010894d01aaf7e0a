import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { custodyEffect } from '../../../shared/custody/custody-entry.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { type Acting, actingIn, type ChangeDocumentDeps, changeDocument } from './change-document.js';
import type { DocumentReview, StoredDocument } from './ports/document-store.js';
import type { ResolveExceptionEffect, VaultEffect } from './ports/vault-effects.js';

export interface ReviewDeps extends ChangeDocumentDeps, WorkDeps {}

/** What a reviewer says. */
export interface ReviewInput {
  readonly reason: string;
  readonly reviewed_by: string;
}

const STEPS = {
  release: { decision: 'RELEASED', custody: 'RELEASE', note: 'released from quarantine' },
  reject: { decision: 'REJECTED', custody: 'REJECT', note: 'rejected in quarantine' },
} as const;

/** Lets a document out of quarantine. @throws NOT_FOUND, INVALID_TRANSITION */
export const releaseDocument = (deps: ReviewDeps, context: RequestContext, id: string, input: ReviewInput) =>
  review(deps, context, id, 'release', input);

/** Keeps a document from being read for good; its bytes stay. @throws NOT_FOUND, INVALID_TRANSITION */
export const rejectDocument = (deps: ReviewDeps, context: RequestContext, id: string, input: ReviewInput) =>
  review(deps, context, id, 'reject', input);

async function review(
  deps: ReviewDeps,
  context: RequestContext,
  documentId: string,
  action: keyof typeof STEPS,
  { reason, reviewed_by }: ReviewInput,
): Promise<StoredDocument> {
  const tenantId = authorise(context, 'quarantine:release');
  const acting = actingIn(context);
  const { ids } = forWork(deps, context, `${action}-document`);
  const { decision } = STEPS[action];
  const reviewedAt = new Date(deps.clock.nowMs());
  return changeDocument(deps, tenantId, documentId, {
    action,
    acting,
    ids,
    changes: () => ({ review: { decision, reason, reviewed_by, reviewed_at: reviewedAt } }),
    effects: (document, at) => reviewEffects(ids, document, { action, acting, reviewed_by, at }),
  });
}

interface Reviewed {
  readonly action: keyof typeof STEPS;
  readonly acting: Acting;
  readonly reviewed_by: DocumentReview['reviewed_by'];
  readonly at: Date;
}

/** The reason stays in the record: it is in a person's own words, and may name anybody. */
function reviewEffects(
  ids: Pick<Ids, 'next'>,
  { tenant_id, document_id, sha256, member_ids }: Omit<StoredDocument, 'history'>,
  { action, acting, reviewed_by, at }: Reviewed,
): readonly VaultEffect[] {
  const step = STEPS[action];
  const custody = custodyEffect(ids, tenant_id, {
    action: step.custody,
    subject: { kind: 'DOCUMENT', id: document_id },
    member_ids,
    actor: acting.custody,
    at: isoTime(at.getTime()),
    ...(acting.request_id === null ? {} : { request_id: acting.request_id }),
    detail: { sha256, reviewed_by },
  });
  const resolve: ResolveExceptionEffect = {
    id: ids.next('effect'),
    kind: 'resolve-exception',
    tenant_id,
    exception_kind: 'DOCUMENT_QUARANTINED',
    subject: { document_id },
    note: step.note,
  };
  return [custody, resolve];
}
