import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import type { Grantor, PersonSignIn } from '../../../shared/contracts/tenants.js';
import { problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { SigningEvidence } from '../../../shared/signing/signer.js';
import type { ActorStore } from '../access/index.js';
import { openPersonSession, type PersonSessionDeps, rightsOfGrantor, type SessionCheck } from '../sessions/index.js';
import { isSigningPurpose } from '../signing-keys/index.js';
import type { Tenants } from '../tenants/index.js';

interface InternalDeps extends PersonSessionDeps {
  readonly authority: Pick<SessionCheck, 'verdict'>;
  readonly actors: Pick<ActorStore, 'ofPerson' | 'within'>;
  readonly tenants: Tenants;
  readonly signing: SigningKeys;
}

/**
 * Queries of other parts of the service, in this process or another: keys, tenants and signatures. Not in the API schema; no API
 * key has its scope. Answers come from the database, so that only the caller's cache adds age.
 */
@Resolver()
export class InternalResolver {
  readonly #deps: InternalDeps;

  constructor(deps: InternalDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Checks a presented API key or session token (KeyVerdict).' })
  async authenticateKey(
    @Ctx() context: RequestContext,
    @Arg('api_key', () => String, { description: 'The key as presented.' }) apiKey: string,
    @Arg('address', () => String, { nullable: true, description: 'Address of the request.' }) address?: string | null,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    const verdict = await this.#deps.authority.verdict(apiKey, address ?? null);
    if (verdict === undefined) return null;
    return { ...verdict, principal: { ...verdict.principal, scopes: [...verdict.principal.scopes] } };
  }

  @Directive('@inaccessible')
  @Mutation(() => String, { nullable: true, description: 'Opens a session for a person; null for an unknown person.' })
  async openPersonSession(
    @Ctx() context: RequestContext,
    @Arg('person', () => JsonScalar, { description: 'The person (PersonSignIn).' }) person: PersonSignIn,
  ): Promise<string | null> {
    requireScope(context, INTERNAL_SCOPE);
    return openPersonSession(this.#deps, person);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Returns the present rights of an earlier actor (Grantor).' })
  async grantorRights(
    @Ctx() context: RequestContext,
    @Arg('grantor', () => JsonScalar, { description: 'Who acted (Grantor).' }) grantor: Grantor,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    const rights = await rightsOfGrantor(this.#deps, grantor);
    return rights && { ...rights, scopes: [...rights.scopes] };
  }

  @Directive('@inaccessible')
  @Query(() => String, { nullable: true, description: 'Returns the status of an actor; null for an unknown one.' })
  async actorStatus(
    @Ctx() context: RequestContext,
    @Arg('actor_id', () => String, { description: 'The actor.' }) actorId: string,
  ): Promise<string | null> {
    const actors = this.#deps.actors.within(authorise(context, INTERNAL_SCOPE));
    return (await actors.get(actorId))?.status ?? null;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Returns a tenant (TenantSummary).' })
  async findTenant(
    @Ctx() context: RequestContext,
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    return (await this.#deps.tenants.summary(tenantId)) ?? null;
  }

  /** Creates the key on first use, and is therefore a mutation. */
  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Returns the active signing key of the tenant (PublicSigningKey).' })
  async activeSigningKey(
    @Ctx() context: RequestContext,
    @Arg('purpose', () => String, { description: 'BUNDLE, CHECKPOINT or SEGMENT.' }) purpose: string,
  ): Promise<unknown> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    if (!isSigningPurpose(purpose)) throw problem('INTERNAL', { internal: 'an unknown purpose of signing' });
    return this.#deps.signing.activeKey(tenantId, purpose);
  }

  @Directive('@inaccessible')
  @Mutation(() => String, { description: 'Signs a message; base64.' })
  async signWithKey(
    @Ctx() context: RequestContext,
    @Arg('key_id', () => String, { description: 'The signing key.' }) keyId: string,
    @Arg('message', () => String, { description: 'Message to sign, base64.' }) message: string,
    @Arg('evidence', () => String, { description: 'What the signer checks (SigningEvidence), JSON.' }) evidence: string,
  ): Promise<string> {
    requireScope(context, INTERNAL_SCOPE);
    const given = SigningEvidence.parse(JSON.parse(evidence));
    return (await this.#deps.signing.sign(keyId, Buffer.from(message, 'base64'), given)).toString('base64');
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, {
    nullable: true,
    description: 'Returns the tree that the signer signed last (SignedTree).',
  })
  async lastSignedTree(
    @Ctx() context: RequestContext,
    @Arg('origin', () => String, { description: 'Origin of the checkpoints.' }) origin: string,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    return this.#deps.signing.lastSigned(origin);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Returns the public part of a signing key (PublicSigningKey).' })
  async publicSigningKey(
    @Ctx() context: RequestContext,
    @Arg('key_id', () => String, { description: 'The signing key.' }) keyId: string,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    return this.#deps.signing.publicKey(keyId);
  }
}
