import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import type { Clock } from '../../../../shared/clock/clock.js';
import { type ConsentTerm, type ConsentTerms, type Judged, verdictOf } from '../../../../shared/consent/verdict.js';
import type { ConsentQuestion } from '../../../../shared/contracts/consent.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../../shared/pagination/cursor.js';
import { purposeOf, speaksTo } from '../../domain/consent/consent.js';
import type { ConsentListQuery, ConsentPolicies, ConsentStore, StoredConsent } from '../ports/consent-store.js';

export interface ReadConsentDeps {
  readonly consents: ConsentStore;
  readonly policies: ConsentPolicies;
  readonly directory: MemberDirectory;
  readonly clock: Clock;
}

export async function listConsents(
  { consents }: Pick<ReadConsentDeps, 'consents'>,
  context: RequestContext,
  { purpose, ...query }: ConsentListQuery,
): Promise<Page<StoredConsent>> {
  const folded = purpose === undefined ? undefined : purposeOf(purpose);
  const rows = await consents(authorise(context, 'consent:read')).list({ ...query, purpose: folded });
  return pageOf(rows, query.limit, ({ created_at, consent_id }) => ({ atMs: created_at.getTime(), id: consent_id }));
}

/** Null for a consent that is not there and for another tenant's: the two must not differ. */
export async function getConsent(
  { consents }: Pick<ReadConsentDeps, 'consents'>,
  context: RequestContext,
  consentId: string,
): Promise<StoredConsent | null> {
  const tenantId = authorise(context, 'consent:read');
  return isIdOf('consent', consentId) ? consents(tenantId).get(consentId) : null;
}

/**
 * The consents that speak to a question now, for whoever gives out records. What a member has said under an identifier that was
 * merged holds for the whole person.
 */
export async function consentTerms(
  { consents, policies, directory, clock }: ReadConsentDeps,
  tenantId: TenantId,
  { member_ids, purpose, actor }: ConsentQuestion,
): Promise<ConsentTerms> {
  const asked = { purpose: purposeOf(purpose), actor, atMs: clock.nowMs() };
  const persons = await Promise.all(
    member_ids.map(async (id) => (await directory.identityOf(tenantId, id))?.member_ids ?? [id]),
  );
  const ids = [...new Set([...persons.flat(), ...member_ids])];
  const [standing, policy] = await Promise.all([
    consents(tenantId).activeOf(ids, asked.purpose),
    policies.of(tenantId),
  ]);
  const personOf = (id: string): readonly string[] => persons.find((person) => person.includes(id)) ?? [id];
  const terms = standing
    .filter((consent) => speaksTo(consent, asked))
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

export interface ConsentCheck extends ConsentQuestion {
  /** A family or kind of records, or a label; null: what is not specially protected. */
  readonly category: string | null;
}

/** Whether records of a category would be given out: the very rules that those who give them out are held to. */
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
