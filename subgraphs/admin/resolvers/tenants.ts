import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { Tenant, TenantChangeInput, TenantFilter, TenantInput, TenantPage } from '../schema/tenant.js';
import { changeTenant } from '../service/change-tenant.js';
import { createTenant, type TenantDeps } from '../service/create-tenant.js';
import type { TenantRecord } from '../service/ports.js';
import { getTenant, listTenants } from '../service/read-tenants.js';
import { listWindowOf, withoutNulls } from './list-window.js';

/** `log_id` stays inside: it names segments and stands in origins, and is of no use to a client. */
const shown = ({ tenant_id, name, status, created_at, rate_limit_per_minute }: TenantRecord): Tenant => ({
  tenant_id,
  name,
  status,
  created_at: isoTime(created_at.getTime()),
  ...(rate_limit_per_minute == null ? {} : { rate_limit_per_minute }),
});

@Resolver()
export class TenantResolver {
  readonly #deps: TenantDeps;

  constructor(deps: TenantDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Tenant, { description: 'Makes a tenant; for platform operators.' })
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

  @Query(() => TenantPage, { description: 'Tenants that the key may see.' })
  async tenants(@Args(() => TenantFilter) filter: TenantFilter, @Ctx() context: RequestContext): Promise<Page<Tenant>> {
    const query = { ...listWindowOf(filter), status: filter.status ?? undefined };
    const page = await listTenants(this.#deps.tenants, context, query);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => Tenant, { nullable: true, description: 'One tenant; null when the key may not see it.' })
  async tenant(
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
    @Ctx() context: RequestContext,
  ): Promise<Tenant | null> {
    const found = await getTenant(this.#deps.tenants, context, tenantId);
    return found === null ? null : shown(found);
  }
}
