import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import type { TenantRecord } from './ports.js';
import { Tenant, TenantChangeInput, TenantFilter, TenantInput, TenantPage } from './schema.js';
import { changeTenant, createTenant, getTenant, listTenants, type TenantDeps } from './tenants.js';

/** Picks the members of the class, so that `log_id` stays private. */
const shown = showing(Tenant, ({ rate_limit_per_minute: limit }: TenantRecord) =>
  limit == null ? {} : { rate_limit_per_minute: limit },
);

@Resolver()
export class TenantResolver {
  readonly #deps: TenantDeps;

  constructor(deps: TenantDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Tenant, { description: 'Creates a tenant; for platform operators.' })
  async createTenant(@Args(() => TenantInput) input: TenantInput, @Ctx() context: RequestContext): Promise<Tenant> {
    return shown(await createTenant(this.#deps, context, input));
  }

  @Mutation(() => Tenant, {
    description: 'Renames, suspends or reactivates a tenant, or sets its rate limit; for platform operators.',
  })
  async changeTenant(
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
    @Arg('input', () => TenantChangeInput) input: TenantChangeInput,
    @Ctx() context: RequestContext,
  ): Promise<Tenant> {
    const { rate_limit_per_minute: rateLimitPerMinute, ...rest } = input;
    return shown(await changeTenant(this.#deps, context, { ...withoutNulls(rest), tenantId, rateLimitPerMinute }));
  }

  @Query(() => TenantPage, { description: 'Lists the tenants that the key may see.' })
  async tenants(@Args(() => TenantFilter) filter: TenantFilter, @Ctx() context: RequestContext): Promise<Page<Tenant>> {
    return mapPage(await listTenants(this.#deps, context, listQueryOf(filter)), shown);
  }

  @Query(() => Tenant, { nullable: true, description: 'Returns a tenant; null if the key may not see it.' })
  async tenant(
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
    @Ctx() context: RequestContext,
  ): Promise<Tenant | null> {
    const found = await getTenant(this.#deps, context, tenantId);
    return found === null ? null : shown(found);
  }
}
