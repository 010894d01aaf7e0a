import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { KeyCheck } from '../service/check-api-key.js';
import type { Tenants } from '../service/ports.js';

export interface InternalDeps {
  readonly check: KeyCheck;
  readonly tenants: Tenants;
}

/**
 * What a facade in another process asks for every request: in no API schema, and closed to every key by its scope. Answers
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
}
