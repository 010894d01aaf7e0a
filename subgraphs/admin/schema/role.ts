import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { ALL_SCOPES } from '../../../shared/auth/scopes.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { NAME_LIMITS, NamedListFilter } from './named-list-filter.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';

const SCOPES_LIMITS = { minItems: 1, maxItems: ALL_SCOPES.length, items: { enum: [...ALL_SCOPES] } } as const;
const DESCRIPTION_LIMITS = { minLength: 1, maxLength: 1_000 } as const;

@InputType({ description: "A role of a tenant's own: a named set of scopes." })
export class RoleInput {
  @ContractField(() => String, {
    description: "Tenant of the role; the caller's own unless told.",
    example: 'acme',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;

  @ContractField(() => String, {
    description: 'Unique among the roles of the tenant.',
    example: 'appeals',
    ...NAME_LIMITS,
  })
  name!: string;

  @ContractField(() => String, { description: 'What it is for.', optional: true, ...DESCRIPTION_LIMITS })
  description?: string;

  @ContractField(() => [String], {
    description: 'Scopes that it gives. Nobody gives a scope that they do not hold.',
    example: ['events:read', 'bundles:request'],
    ...SCOPES_LIMITS,
  })
  scopes!: string[];
}

@InputType({ description: 'What is to change of a role; what is left out stays.' })
export class RoleChangeInput {
  @ContractField(() => String, { description: 'Unique among the roles of the tenant.', optional: true, ...NAME_LIMITS })
  name?: string;

  @ContractField(() => String, { description: 'What it is for.', optional: true, ...DESCRIPTION_LIMITS })
  description?: string;

  @ContractField(() => [String], {
    description: 'Scopes that it gives from now on; holders have them within 5 s.',
    example: ['events:read'],
    optional: true,
    ...SCOPES_LIMITS,
  })
  scopes?: string[];
}

@ObjectType({ description: "A named set of scopes, built in or a tenant's own." })
export class Role {
  @ContractField(() => String, {
    description: 'Identifier; the name of a built-in role.',
    example: 'rol_01JQ0000000000000000000001',
  })
  role_id!: string;

  @ContractField(() => String, {
    description: 'Its tenant; null for a built-in role, which every tenant has.',
    example: 'acme',
    nullable: true,
  })
  tenant_id!: string | null;

  @ContractField(() => String, { description: 'Its name.', example: 'appeals' })
  name!: string;

  @ContractField(() => String, { description: 'What it is for.', nullable: true })
  description!: string | null;

  @ContractField(() => [String], { description: 'Scopes that it gives.', example: ['events:read', 'bundles:request'] })
  scopes!: string[];

  @ContractField(() => Boolean, { description: 'Whether every deployment has it, unchangeable.', example: false })
  built_in!: boolean;

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that made it; null for a built-in role.', nullable: true })
  created_by!: string | null;

  @ContractField(() => String, { description: 'When it was last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;
}

export const RolePage = pageType('RolePage', () => Role);

@ArgsType()
export class RoleFilter extends NamedListFilter {}
