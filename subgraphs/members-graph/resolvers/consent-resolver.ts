import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { CONSENT_MACHINE, isWithinPeriod } from '../domain/consent/consent.js';
import {
  Consent,
  ConsentCheckInput,
  ConsentCheckResult,
  ConsentFilter,
  ConsentInput,
  ConsentPage,
  ConsentPolicyInput,
  ConsentPolicyRecord,
  ConsentRevocation,
} from '../schema/consent.js';
import { type ConsentDeps, createConsent, revokeConsent } from '../service/consent/change-consent.js';
import { type PolicyDeps, putPolicy, readPolicy } from '../service/consent/consent-policy.js';
import {
  checkConsent,
  consentTerms,
  getConsent,
  listConsents,
  type ReadConsentDeps,
} from '../service/consent/read-consents.js';
import type { ConsentPolicy, StoredConsent } from '../service/ports/consent-store.js';

export interface ConsentResolverDeps extends ConsentDeps, ReadConsentDeps, PolicyDeps {}

const CONSENT_ID = { description: 'The consent.' };
const iso = (at: Date): string => isoTime(at.getTime());
const isoOrNull = (at: Date | null): string | null => (at === null ? null : iso(at));

@Resolver()
export class ConsentResolver {
  readonly #deps: ConsentResolverDeps;

  constructor(deps: ConsentResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => ConsentPage, { description: 'Consents of the tenant.' })
  async consents(
    @Args(() => ConsentFilter) filter: ConsentFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Consent>> {
    const { from, to, limit = DEFAULT_PAGE_LIMIT, order = 'desc', ...rest } = withoutNulls(filter);
    const fromMs = from === undefined ? undefined : instantOf(from);
    const toMs = to === undefined ? undefined : instantOf(to);
    const page = await listConsents(this.#deps, context, { ...rest, limit, order, fromMs, toMs });
    return { items: page.items.map((one) => this.#shown(one)), next_cursor: page.next_cursor };
  }

  @Query(() => Consent, { nullable: true, description: 'A consent.' })
  async consent(
    @Arg('consent_id', () => String, CONSENT_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Consent | null> {
    const found = await getConsent(this.#deps, context, id);
    return found === null ? null : this.#shown(found);
  }

  @Mutation(() => Consent, { description: 'Notes what a member says about who may see what.' })
  async createConsent(
    @Arg('input', () => ConsentInput) input: ConsentInput,
    @Ctx() context: RequestContext,
  ): Promise<Consent> {
    const { member_id, decision, purpose, period, ...rest } = input;
    const given = { ...withoutNulls(rest), ...(period == null ? {} : { period: withoutNulls(period) }) };
    return this.#shown(await createConsent(this.#deps, context, { ...given, member_id, decision, purpose }));
  }

  @Mutation(() => Consent, { description: 'Ends a consent, for good.' })
  async revokeConsent(
    @Arg('consent_id', () => String, CONSENT_ID) consentId: string,
    @Arg('input', () => ConsentRevocation, { description: 'Why.' }) { reason, revision }: ConsentRevocation,
    @Ctx() context: RequestContext,
  ): Promise<Consent> {
    const given = { consentId, reason: reason ?? null, revision: revision ?? undefined };
    return this.#shown(await revokeConsent(this.#deps, context, given));
  }

  @Query(() => ConsentCheckResult, { description: 'What the rules of consent say to a question.' })
  async checkConsent(
    @Arg('input', () => ConsentCheckInput) { member_id, purpose, category, actor }: ConsentCheckInput,
    @Ctx() context: RequestContext,
  ): Promise<ConsentCheckResult> {
    const question = { member_ids: [member_id], purpose, category: category ?? null, actor: actor ?? null };
    const { reason, consent_ids } = await checkConsent(this.#deps, context, question);
    return { decision: reason === null ? 'PERMIT' : 'DENY', reason, consent_ids: [...consent_ids] };
  }

  @Query(() => ConsentPolicyRecord, { description: 'What holds for all members of the tenant.' })
  async consentPolicy(@Ctx() context: RequestContext): Promise<ConsentPolicyRecord> {
    return shownPolicy(await readPolicy(this.#deps, context));
  }

  @Mutation(() => ConsentPolicyRecord, { description: 'Settles what holds for all members of the tenant.' })
  async putConsentPolicy(
    @Arg('input', () => ConsentPolicyInput) { part2_source_systems: systems, revision }: ConsentPolicyInput,
    @Ctx() context: RequestContext,
  ): Promise<ConsentPolicyRecord> {
    return shownPolicy(await putPolicy(this.#deps, context, { systems, revision: revision ?? undefined }));
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'The consents that speak to a question (ConsentTerms).' })
  async consentTerms(
    @Ctx() context: RequestContext,
    @Arg('member_ids', () => [String], { description: 'Whose records.' }) member_ids: string[],
    @Arg('purpose', () => String, { description: 'For what.' }) purpose: string,
    @Arg('actor', () => String, { nullable: true, description: 'For whom.' }) actor?: string | null,
  ): Promise<unknown> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return consentTerms(this.#deps, tenantId, { member_ids, purpose, actor: actor ?? null });
  }

  #shown({ period, created_at, updated_at, history, ...rest }: StoredConsent): Consent {
    return {
      ...rest,
      categories: [...rest.categories],
      actors: [...rest.actors],
      period: { start: isoOrNull(period.start), end: isoOrNull(period.end) },
      in_force: rest.status === 'ACTIVE' && isWithinPeriod(period, this.#deps.clock.nowMs()),
      allowed_actions: allowedActions(CONSENT_MACHINE, rest.status),
      created_at: iso(created_at),
      updated_at: iso(updated_at),
      history: history.map(({ work_id: _, at, ...step }) => ({ ...step, at: iso(at) })),
    };
  }
}

const shownPolicy = ({ part2_source_systems, updated_at, ...rest }: ConsentPolicy): ConsentPolicyRecord => ({
  ...rest,
  part2_source_systems: [...part2_source_systems],
  updated_at: isoOrNull(updated_at),
});
