import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { requireRevision } from '../../../shared/records/conflicts.js';
import {
  actorOf,
  type RecordKind,
  RecordSteps,
  requestTaker,
  type StepDeps,
  type StepTaker,
} from '../../../shared/records/steps.js';
import { parsePeriod } from '../records/index.js';
import { CONSENT_MACHINE, purposeOf } from './domain.js';
import type { ConsentPolicies, ConsentPolicy, ConsentStore, StoredConsent } from './ports.js';
import type { ConsentMembers } from './schema.js';

export interface ConsentDeps extends StepDeps {
  readonly consents: ConsentStore;
  readonly documents: Pick<Documents, 'list'>;
}

interface ConsentRequest extends ConsentMembers {
  readonly period?: { readonly start?: string; readonly end?: string } | undefined;
}

const CONSENT: RecordKind<StoredConsent, 'consent_id'> = {
  machine: CONSENT_MACHINE,
  idKind: 'consent',
  id: 'consent_id',
  noun: 'consent',
  family: 'consent',
  facts: true,
  reason: ({ revocation_reason }) => revocation_reason ?? undefined,
  // Member and categories are personal: the entry says only that the record changed.
  payload: ({ consent_id, decision }, step) => ({ consent_id, decision, ...step }),
};

interface MakeConsentDeps {
  readonly consents: ConsentStore;
  readonly clock: Clock;
}

const consentSteps = ({ consents, clock }: MakeConsentDeps, tenantId: TenantId, taker: StepTaker) =>
  new RecordSteps(CONSENT, { clock, taker, rows: consents(tenantId) });

/** Creates a consent that is in force at once. @throws VALIDATION_ERROR for an empty period or an unknown document */
export async function createConsent(
  deps: ConsentDeps,
  context: RequestContext,
  request: ConsentRequest,
): Promise<StoredConsent> {
  const tenantId = authorise(context, 'consent:write');
  await requireDocument(deps, tenantId, request.source_document_id);
  return makeConsent(deps, tenantId, requestTaker(deps, context), request);
}

/** Creates a consent for a taker, without checks of scope and document. */
export function makeConsent(
  deps: MakeConsentDeps,
  tenantId: TenantId,
  taker: StepTaker,
  { period, ...members }: ConsentRequest,
): Promise<StoredConsent> {
  const stored = {
    ...members,
    purpose: purposeOf(members.purpose),
    categories: [...new Set(members.categories)],
    actors: [...new Set(members.actors)],
    period: parsePeriod(period),
    revocation_reason: null,
  };
  return consentSteps(deps, tenantId, taker).create(() => stored);
}

/** Revokes a consent; final. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT */
export const revokeConsent = (
  deps: ConsentDeps,
  context: RequestContext,
  { consentId, reason, revision }: { consentId: string; reason: string | null; revision: number | undefined },
): Promise<StoredConsent> =>
  consentSteps(deps, authorise(context, 'consent:write'), requestTaker(deps, context)).take(consentId, 'revoke', {
    revision,
    change: () => ({ revocation_reason: reason }),
  });

/** @throws VALIDATION_ERROR for an unknown document, including another tenant's */
async function requireDocument(deps: ConsentDeps, tenantId: TenantId, id: string | null): Promise<void> {
  if (id === null) return;
  const found = isIdOf('document', id) ? await deps.documents.list(tenantId, { documentIds: [id] }, null, 1) : null;
  if (found !== null && found.items.length > 0) return;
  throw problem('VALIDATION_ERROR', {
    errors: [fault('/source_document_id', 'unknown', 'No document has this identifier.')],
  });
}

export interface PolicyDeps extends StepDeps {
  readonly policies: ConsentPolicies;
}

export const readPolicy = (
  { policies }: Pick<PolicyDeps, 'policies'>,
  context: RequestContext,
): Promise<ConsentPolicy> => policies.of(authorise(context, 'consent:read'));

/**
 * Sets the source systems of 42 CFR Part 2 programs. Applies to existing and new records.
 *
 * @throws CONFLICT
 */
export function putPolicy(
  deps: PolicyDeps,
  context: RequestContext,
  { systems, revision }: { systems: readonly string[]; revision: number | undefined },
): Promise<ConsentPolicy> {
  const tenantId = authorise(context, 'consent:write');
  const taker = requestTaker(deps, context);
  const fact_id = taker.idsFor('put-consent-policy').next('effect');
  const part2_source_systems = [...new Set(systems)].sort();
  return deps.policies.change(tenantId, (current) => {
    if (isSame(current.part2_source_systems, part2_source_systems)) return null;
    requireRevision('consent policy', current, revision);
    const updated_at = new Date(deps.clock.nowMs());
    const policy = { part2_source_systems, revision: current.revision + 1, updated_at, updated_by: taker.by };
    return { policy, fact_id, actor: actorOf(taker) };
  });
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, index) => name === b[index]);
