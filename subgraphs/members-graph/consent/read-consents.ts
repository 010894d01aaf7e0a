import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { type ConsentTerm, type ConsentTerms, type Judged, verdictOf } from '../../../shared/consent/verdict.js';
import type { ConsentQuestion } from '../../../shared/contracts/consent.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { MemberIdentities } from '../members/index.js';
import { appliesTo, purposeOf } from './domain.js';
import type { ConsentPolicies, ConsentStore, StoredConsent } from './ports.js';

export interface ReadConsentDeps {
  readonly consents: ConsentStore;
  readonly policies: ConsentPolicies;
  readonly directory: MemberIdentities;
  readonly clock: Clock;
}

export const listConsents = (
  { consents }: Pick<ReadConsentDeps, 'consents'>,
  context: RequestContext,
  {
    where: { purpose, ...where },
    ...window
  }: Omit<ListQuery<StoredConsent>, 'where'> & {
    readonly where: Partial<Pick<StoredConsent, 'member_id' | 'status' | 'decision' | 'purpose'>>;
  },
): Promise<Page<StoredConsent>> =>
  consents(authorise(context, 'consent:read')).page({
    ...window,
    where: { ...where, purpose: purpose === undefined ? undefined : purposeOf(purpose) },
  });

/** @returns null for an unknown consent and for another tenant's */
export async function getConsent(
  { consents }: Pick<ReadConsentDeps, 'consents'>,
  context: RequestContext,
  consentId: string,
): Promise<StoredConsent | null> {
  const tenantId = authorise(context, 'consent:read');
  return isIdOf('consent', consentId) ? consents(tenantId).get(consentId) : null;
}

/** Returns the consents that apply to a question now. A consent under a merged identifier applies to the whole person. */
export async function consentTerms(
  { consents, policies, directory, clock }: ReadConsentDeps,
  tenantId: TenantId,
  { member_ids, purpose, actor }: ConsentQuestion,
): Promise<ConsentTerms> {
  const question = { purpose: purposeOf(purpose), actor, atMs: clock.nowMs() };
  const identities = await directory.identitiesOf(tenantId, member_ids);
  const persons = member_ids.map((id) => identities.get(id)?.member_ids ?? [id]);
  const ids = [...new Set([...persons.flat(), ...member_ids])];
  const [active, policy] = await Promise.all([
    consents(tenantId).activeOf(ids, question.purpose),
    policies.of(tenantId),
  ]);
  const personOf = (id: string): readonly string[] => persons.find((person) => person.includes(id)) ?? [id];
  const terms = active
    .filter((consent) => appliesTo(consent, question))
    .map(
      ({ consent_id, member_id, decision, categories }): ConsentTerm => ({
        consent_id,
        member_ids: personOf(member_id),
        decision,
        categories,
      }),
    );
  return { member_ids: ids, terms, part2_source_systems: policy.part2_source_systems };
}

interface ConsentCheck extends ConsentQuestion {
  /** A family or kind of records, or a label; null for records without special protection. */
  readonly category: string | null;
}

/** Decides whether records of a category may be returned, by the same rules as every read. */
export async function checkConsent(
  deps: ReadConsentDeps,
  context: RequestContext,
  { category, ...question }: ConsentCheck,
): Promise<Judged> {
  const tenantId = authorise(context, 'consent:read');
  const terms = await consentTerms(deps, tenantId, question);
  return verdictOf(terms).judge({
    member_ids: question.member_ids,
    category: category ?? '',
    labels: category === null ? [] : [category],
    source_system: null,
    diagnosis_codes: [],
    opaque: false,
  });
}
