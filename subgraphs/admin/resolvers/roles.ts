import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ShownRole } from '../domain/role-list.js';
import { Role, RoleChangeInput, RoleFilter, RoleInput, RolePage } from '../schema/role.js';
import { changeRole, createRole, deleteRole, getRole, listRoles, type RoleDeps } from '../service/roles.js';
import { listWindowOf, withoutNulls } from './list-window.js';

const ROLE_ID = 'A built-in role by name, or an own one by id.';

const shown = (role: ShownRole): Role => ({
  ...role,
  scopes: [...role.scopes],
  created_at: isoTime(role.created_at.getTime()),
  updated_at: isoTime(role.updated_at.getTime()),
});

@Resolver()
export class RoleResolver {
  readonly #deps: RoleDeps;

  constructor(deps: RoleDeps) {
    this.#deps = deps;
  }

  @Mutation(() => Role, { description: "Makes a role of a tenant's own." })
  async createRole(@Arg('input', () => RoleInput) input: RoleInput, @Ctx() context: RequestContext): Promise<Role> {
    return shown(await createRole(this.#deps, context, withoutNulls(input)));
  }

  @Query(() => RolePage, { description: 'Built-in roles and own ones in reach.' })
  async roles(@Args(() => RoleFilter) filter: RoleFilter, @Ctx() context: RequestContext): Promise<Page<Role>> {
    const page = await listRoles(this.#deps, context, listWindowOf(filter));
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => Role, { nullable: true, description: 'One role; null when it is not in reach.' })
  async role(
    @Arg('role_id', () => String, { description: ROLE_ID }) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Role | null> {
    const found = await getRole(this.#deps, context, roleId);
    return found && shown(found);
  }

  @Mutation(() => Role, { description: 'Changes an own role, and with it what its holders may do.' })
  async changeRole(
    @Arg('role_id', () => String, { description: ROLE_ID }) roleId: string,
    @Arg('input', () => RoleChangeInput) input: RoleChangeInput,
    @Ctx() context: RequestContext,
  ): Promise<Role> {
    return shown(await changeRole(this.#deps, context, { ...withoutNulls(input), roleId }));
  }

  @Mutation(() => Role, { description: 'Deletes an own role that nobody holds; gives it as it was.' })
  async deleteRole(
    @Arg('role_id', () => String, { description: ROLE_ID }) roleId: string,
    @Ctx() context: RequestContext,
  ): Promise<Role> {
    return shown(await deleteRole(this.#deps, context, roleId));
  }
}
