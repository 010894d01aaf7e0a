import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { isWithin, shownPeriod } from '../records/domain.js';
import {
  type ConsentDeps,
  createConsent,
  type PolicyDeps,
  putPolicy,
  readPolicy,
  revokeConsent,
} from './change-consent.js';
import { CONSENT_MACHINE } from './domain.js';
import type { ConsentPolicy, StoredConsent } from './ports.js';
import { checkConsent, consentTerms, getConsent, listConsents, type ReadConsentDeps } from './read-consents.js';
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
} from './schema.js';

interface ConsentResolverDeps extends ConsentDeps, ReadConsentDeps, PolicyDeps {}

const ID = { description: 'Identifier of the consent.' };

/** @param nowMs time that `in_force` refers to */
export const shownConsent = (stored: StoredConsent, nowMs: number): Consent => shownAt({ ...stored, nowMs });

const shownAt = showing(Consent, ({ status, period, nowMs }: StoredConsent & { readonly nowMs: number }) => ({
  period: shownPeriod(period),
  in_force: status === 'ACTIVE' && isWithin(period, nowMs),
  allowed_actions: allowedActions(CONSENT_MACHINE, status),
}));

const shownPolicy = showing(ConsentPolicyRecord, (_: ConsentPolicy) => ({}));

@Resolver()
export class ConsentResolver {
  readonly #deps: ConsentResolverDeps;

  constructor(deps: ConsentResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => ConsentPage, { description: 'Lists the consents of the tenant.' })
  async consents(
    @Args(() => ConsentFilter) filter: ConsentFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Consent>> {
    const page = await listConsents(this.#deps, context, listQueryOf(filter));
    return mapPage(page, (consent) => this.#shown(consent));
  }

  @Query(() => Consent, { nullable: true, description: 'Returns a consent.' })
  async consent(
    @Arg('consent_id', () => String, ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Consent | null> {
    const found = await getConsent(this.#deps, context, id);
    return found && this.#shown(found);
  }

  @Mutation(() => Consent, { description: 'Creates a consent.' })
  async createConsent(
    @Arg('input', () => ConsentInput) input: ConsentInput,
    @Ctx() context: RequestContext,
  ): Promise<Consent> {
    const period = input.period == null ? undefined : withoutNulls(input.period);
    return this.#shown(await createConsent(this.#deps, context, { ...ConsentInput.complete(input), period }));
  }

  @Mutation(() => Consent, { description: 'Revokes a consent; final.' })
  async revokeConsent(
    @Arg('consent_id', () => String, ID) consentId: string,
    @Arg('input', () => ConsentRevocation, { description: 'Reason.' }) { reason, revision }: ConsentRevocation,
    @Ctx() context: RequestContext,
  ): Promise<Consent> {
    const request = { consentId, reason: reason ?? null, revision: revision ?? undefined };
    return this.#shown(await revokeConsent(this.#deps, context, request));
  }

  @Query(() => ConsentCheckResult, { description: 'Decides a question by the rules of consent.' })
  async checkConsent(
    @Arg('input', () => ConsentCheckInput) { member_id, purpose, category, actor }: ConsentCheckInput,
    @Ctx() context: RequestContext,
  ): Promise<ConsentCheckResult> {
    const question = { member_ids: [member_id], purpose, category: category ?? null, actor: actor ?? null };
    const { reason, consent_ids } = await checkConsent(this.#deps, context, question);
    return { decision: reason === null ? 'PERMIT' : 'DENY', reason, consent_ids: [...consent_ids] };
  }

  @Query(() => ConsentPolicyRecord, { description: 'Returns the consent policy of the tenant.' })
  async consentPolicy(@Ctx() context: RequestContext): Promise<ConsentPolicyRecord> {
    return shownPolicy(await readPolicy(this.#deps, context));
  }

  @Mutation(() => ConsentPolicyRecord, { description: 'Sets the consent policy of the tenant.' })
  async putConsentPolicy(
    @Arg('input', () => ConsentPolicyInput) { part2_source_systems: systems, revision }: ConsentPolicyInput,
    @Ctx() context: RequestContext,
  ): Promise<ConsentPolicyRecord> {
    return shownPolicy(await putPolicy(this.#deps, context, { systems, revision: revision ?? undefined }));
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns the consents that apply to a question (ConsentTerms).' })
  async consentTerms(
    @Ctx() context: RequestContext,
    @Arg('member_ids', () => [String], { description: 'Members of the records.' }) member_ids: string[],
    @Arg('purpose', () => String, { description: 'Purpose.' }) purpose: string,
    @Arg('actor', () => String, { nullable: true, description: 'Actor.' }) actor?: string | null,
  ): Promise<unknown> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return consentTerms(this.#deps, tenantId, { member_ids, purpose, actor: actor ?? null });
  }

  #shown(consent: StoredConsent): Consent {
    return shownConsent(consent, this.#deps.clock.nowMs());
  }
}
