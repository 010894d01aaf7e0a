import { Args, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { KnownAnchoring } from '../../../shared/contracts/ledger-verification.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { knownAnchors } from './find-anchors.js';
import {
  AnchoredVerification,
  LedgerVerificationInput,
  LedgerVerificationPart,
  LedgerVerificationPartInput,
} from './schema.js';
import { verifyLedger, verifyLedgerPart } from './verify-ledger.js';
import type { VerifiedTenant, VerifyDeps, VerifyStates } from './verify-state.js';

interface VerifyResolverDeps extends VerifyDeps {
  readonly tenant: (tenantId: string) => Promise<VerifiedTenant>;
  readonly states: (tenantId: string) => VerifyStates;
}

@Resolver()
export class VerifyResolver {
  readonly #deps: VerifyResolverDeps;

  constructor(deps: VerifyResolverDeps) {
    this.#deps = deps;
  }

  @Query(() => AnchoredVerification, {
    description: 'Re-hashes the ledger and compares it with its write-once copies, its tree and its checkpoints.',
  })
  async verifyLedger(
    @Ctx() context: RequestContext,
    @Args(() => LedgerVerificationInput) input: LedgerVerificationInput,
  ): Promise<AnchoredVerification> {
    const tenantId = authorise(context, 'events:read');
    const tenant = await this.#deps.tenant(tenantId);
    return verifyLedger(
      { ...this.#deps, signal: context.signal },
      tenant,
      this.#deps.states(tenantId),
      withoutNulls({ ...input }),
    );
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'What holds the ledger to its history now (KnownAnchoring).' })
  async ledgerAnchors(@Ctx() context: RequestContext): Promise<KnownAnchoring> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return knownAnchors(this.#deps, await this.#deps.tenant(tenantId));
  }

  @Query(() => LedgerVerificationPart, {
    description: 'The same verification in parts, so that callers see progress and can stop.',
  })
  async verifyLedgerPart(
    @Ctx() context: RequestContext,
    @Args(() => LedgerVerificationPartInput) { state, ...input }: LedgerVerificationPartInput,
  ): Promise<LedgerVerificationPart> {
    const tenantId = authorise(context, 'events:read');
    const tenant = await this.#deps.tenant(tenantId);
    const states = this.#deps.states(tenantId);
    return verifyLedgerPart(
      { ...this.#deps, signal: context.signal },
      tenant,
      states,
      withoutNulls(input),
      state ?? undefined,
    );
  }
}
