import { ArgsType } from 'type-graphql';
import { ALL_SCOPES } from '../../../../shared/auth/scopes.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../../shared/graph/members.js';
import { pageType } from '../../../../shared/graph/page.js';
import { TENANT_ID_PATTERN } from '../../../../shared/ids/tenant.js';
import { NAME_LIMITS, NamedListFilter } from '../../lists/schema.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';

const SCOPES_LIMITS = { minItems: 1, maxItems: ALL_SCOPES.length, items: { enum: [...ALL_SCOPES] } } as const;
const PURPOSE = { description: 'Purpose.', optional: true, minLength: 1, maxLength: 1_000 } as const;

/** The members that every role has. */
abstract class RoleMembers {
  @Member(() => String, { description: 'Name, unique in the tenant.', example: 'appeals', ...NAME_LIMITS })
  name!: string;

  @Member(() => [String], {
    description: 'Scopes of the role. The caller must hold every scope; holders have them within 5 s.',
    example: ['events:read', 'bundles:request'],
    ...SCOPES_LIMITS,
  })
  scopes!: string[];
}

@RecordInput({ description: 'A new role of a tenant: a named set of scopes.' })
export class RoleInput extends inputOf(RoleMembers) {
  @ContractField(() => String, {
    description: "Tenant of the role. Default: the caller's tenant.",
    example: 'acme',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;

  @ContractField(() => String, PURPOSE)
  description?: string;
}

@RecordInput({ description: 'Changes of a role; absent members stay.' })
export class RoleChangeInput extends patchOf(RoleMembers) {
  @ContractField(() => String, PURPOSE)
  description?: string;
}

@RecordType({ description: 'A named set of scopes: built in, or of a tenant.' })
export class Role extends outputOf(RoleMembers) {
  @ContractField(() => String, {
    description: 'Identifier; the name of a built-in role.',
    example: 'rol_01JQ0000000000000000000001',
  })
  role_id!: string;

  @ContractField(() => String, {
    description: 'Tenant; null for a built-in role, which every tenant has.',
    example: 'acme',
    nullable: true,
  })
  tenant_id!: string | null;

  @ContractField(() => String, { description: 'Purpose.', nullable: true })
  description!: string | null;

  @ContractField(() => Boolean, { description: 'True for a built-in role, which cannot change.', example: false })
  built_in!: boolean;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'API key that created it; null for a built-in role.', nullable: true })
  created_by!: string | null;

  @ContractField(() => String, { description: 'Time of the last change.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;
}

export const RolePage = pageType('RolePage', () => Role);

@ArgsType()
export class RoleFilter extends NamedListFilter {}
