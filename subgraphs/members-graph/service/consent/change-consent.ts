import { authorise, type Principal, type RequestContext } from '../../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import type { ConsentDecision } from '../../../../shared/consent/verdict.js';
import type { Documents } from '../../../../shared/contracts/documents.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../../shared/outbox/pending-effect.js';
import { transition } from '../../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { CONSENT_MACHINE, type ConsentAction, purposeOf } from '../../domain/consent/consent.js';
import type { ConsentStore, ConsentWrite, StoredConsent } from '../ports/consent-store.js';

export interface ConsentDeps extends WorkDeps {
  readonly consents: ConsentStore;
  readonly documents: Pick<Documents, 'list'>;
  readonly clock: Clock;
}

export interface ConsentInput {
  readonly member_id: string;
  readonly decision: ConsentDecision;
  readonly purpose: string;
  readonly categories?: readonly string[];
  readonly actors?: readonly string[];
  readonly period?: { readonly start?: string; readonly end?: string };
  readonly source_document_id?: string;
  readonly grantor?: string;
  readonly note?: string;
}

/** Writers who meet on one consent try again this often. */
const MAX_ATTEMPTS = 5;

/** Who notes a consent. */
export interface ConsentActing extends Pick<RequestContext, 'workId'> {
  readonly principal: Pick<Principal, 'keyId' | 'actorId'>;
}

/** Notes what a member has said; it speaks from now on. @throws VALIDATION_ERROR for an empty period or a document that is not there */
export async function createConsent(
  deps: ConsentDeps,
  context: RequestContext,
  input: ConsentInput,
): Promise<StoredConsent> {
  const tenantId = authorise(context, 'consent:write');
  await refuseUnknownDocument(deps, tenantId, input.source_document_id);
  const consentId = forWork(deps, context, 'create-consent').ids.next('consent');
  return makeConsent(deps, context, tenantId, consentId, input);
}

/** The same under an identifier that was fixed before: made again it changes nothing. */
export async function makeConsent(
  deps: Omit<ConsentDeps, 'documents'>,
  context: ConsentActing,
  tenantId: TenantId,
  consentId: string,
  { member_id, decision, purpose, ...input }: ConsentInput,
): Promise<StoredConsent> {
  const at = new Date(deps.clock.nowMs());
  const consent: ConsentWrite['consent'] = {
    consent_id: consentId,
    tenant_id: tenantId,
    member_id,
    decision,
    purpose: purposeOf(purpose),
    categories: [...new Set(input.categories ?? [])],
    actors: [...new Set(input.actors ?? [])],
    period: periodOf(input.period ?? {}),
    source_document_id: input.source_document_id ?? null,
    grantor: input.grantor ?? null,
    note: input.note ?? null,
    status: transition(CONSENT_MACHINE, null, 'create').to,
    revocation_reason: null,
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  };
  const consents = deps.consents(tenantId);
  const write = writeOf(deps, context, null, consent, 'create');
  const stored = await consents.insert(write);
  if (stored !== null) await consents.relay(write);
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const standing = stored ?? (await consents.get(consent.consent_id));
  if (standing === null) throw new Error('a fresh consent collided with one of another tenant');
  return standing;
}

/** Ends a consent, for good. @throws NOT_FOUND, INVALID_TRANSITION when it is revoked, CONFLICT */
export async function revokeConsent(
  deps: ConsentDeps,
  context: RequestContext,
  { consentId, reason, revision }: { consentId: string; reason: string | null; revision: number | undefined },
): Promise<StoredConsent> {
  const consents = deps.consents(authorise(context, 'consent:write'));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('consent', consentId) ? await consents.get(consentId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    const { workId } = context;
    if (workId !== null && standing.history.some((step) => step.work_id === workId)) return standing;
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The consent is at another revision than the one named.' });
    }
    const { to } = transition(CONSENT_MACHINE, standing.status, 'revoke');
    const { history: _, ...before } = standing;
    const consent = {
      ...before,
      status: to,
      revocation_reason: reason,
      revision: standing.revision + 1,
      updated_at: new Date(deps.clock.nowMs()),
    };
    const write = writeOf(deps, context, standing, consent, 'revoke');
    const stored = await consents.replace(write, standing.revision);
    if (stored === null) continue;
    await consents.relay(write);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The consent is being changed by others; read it and try again.' });
}

function periodOf(given: NonNullable<ConsentInput['period']>): StoredConsent['period'] {
  const start = dateOf('start', given.start);
  const end = dateOf('end', given.end);
  if (start === null || end === null || start < end) return { start, end };
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/period/end', 'period', 'Must be after the start of the period.')],
  });
}

function dateOf(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const atMs = instantOf(text);
  if (atMs !== undefined) return new Date(atMs);
  throw problem('VALIDATION_ERROR', { errors: [fault(`/period/${name}`, 'format', 'Must be a date and a time.')] });
}

/** A document of another tenant is one that is not there. */
async function refuseUnknownDocument(deps: ConsentDeps, tenantId: TenantId, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const found = isIdOf('document', id) ? await deps.documents.list(tenantId, { documentIds: [id] }, null, 1) : null;
  if (found !== null && found.items.length > 0) return;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/source_document_id', 'unknown', 'There is no such document.')],
  });
}

/** What is written for a step: the row, its line of history, its entry in `_records`. */
function writeOf(
  deps: Omit<ConsentDeps, 'documents'>,
  context: ConsentActing,
  standing: StoredConsent | null,
  consent: ConsentWrite['consent'],
  action: ConsentAction,
): ConsentWrite {
  const step = transition(CONSENT_MACHINE, standing?.status ?? null, action);
  const { keyId, actorId } = context.principal;
  const { ids } = forWork(deps, context, `${action}-consent-entries`);
  const pending = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: consent.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'consent',
        event_type: eventType,
        event_effective_timestamp: isoTime(consent.updated_at.getTime()),
        outcome: step.to,
        // Whose it is, and what it covers, is personal: the record says it, the entry says that it changed.
        payload: {
          consent_id: consent.consent_id,
          decision: consent.decision,
          action,
          from: step.from,
          to: step.to,
          revision: consent.revision,
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
        },
      },
    }),
  );
  const line = {
    revision: consent.revision,
    action,
    from: step.from,
    to: step.to,
    at: consent.updated_at,
    by: keyId,
    actor_id: actorId,
    work_id: context.workId,
  };
  return { consent, step: line, pending };
}
