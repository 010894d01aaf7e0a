import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { KeyCheck } from '../service/check-api-key.js';
import type { Tenants } from '../service/ports.js';
import { isSigningPurpose } from '../service/signing-key-registry.js';

export interface InternalDeps {
  readonly check: KeyCheck;
  readonly tenants: Tenants;
  readonly signing: SigningKeys;
}

/**
 * What other parts of the service ask, in this process or another: keys and tenants for every request, signatures. In no API schema, and closed to every key by its scope. Answers
 * come from the database, so that the age of what is kept over there is the whole age.
 */
@Resolver()
export class InternalResolver {
  readonly #deps: InternalDeps;

  constructor(deps: InternalDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'What a presented API key is worth (KeyVerdict).' })
  async authenticateKey(
    @Ctx() context: RequestContext,
    @Arg('api_key', () => String, { description: 'The key as presented.' }) apiKey: string,
    @Arg('address', () => String, { nullable: true, description: 'Where it came from.' }) address?: string | null,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    const verdict = await this.#deps.check.verdict(apiKey, address ?? null);
    if (verdict === undefined) return null;
    return { ...verdict, principal: { ...verdict.principal, scopes: [...verdict.principal.scopes] } };
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'A tenant as every request asks for it (TenantSummary).' })
  async findTenant(
    @Ctx() context: RequestContext,
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    return (await this.#deps.tenants.summary(tenantId)) ?? null;
  }

  /** Makes the key on first need, and is therefore no query. */
  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'The key that signs for the tenant of the request (PublicSigningKey).' })
  async activeSigningKey(
    @Ctx() context: RequestContext,
    @Arg('purpose', () => String, { description: 'BUNDLE, CHECKPOINT or SEGMENT.' }) purpose: string,
  ): Promise<unknown> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    if (!isSigningPurpose(purpose)) throw problem('INTERNAL', { internal: 'an unknown purpose of signing' });
    return this.#deps.signing.activeKey(tenantId, purpose);
  }

  @Directive('@inaccessible')
  @Mutation(() => String, { description: 'A signature, base64.' })
  async signWithKey(
    @Ctx() context: RequestContext,
    @Arg('key_id', () => String, { description: 'The signing key.' }) keyId: string,
    @Arg('message', () => String, { description: 'What is to be signed, base64.' }) message: string,
  ): Promise<string> {
    requireScope(context, INTERNAL_SCOPE);
    return (await this.#deps.signing.sign(keyId, Buffer.from(message, 'base64'))).toString('base64');
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'A signing key as anyone may see it (PublicSigningKey).' })
  async publicSigningKey(
    @Ctx() context: RequestContext,
    @Arg('key_id', () => String, { description: 'The signing key.' }) keyId: string,
  ): Promise<unknown> {
    requireScope(context, INTERNAL_SCOPE);
    return this.#deps.signing.publicKey(keyId);
  }
}
