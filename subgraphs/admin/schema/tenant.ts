import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { TENANT_STATUSES } from '../domain/tenant-states.js';
import { NAME_LIMITS, NamedListFilter } from './named-list-filter.js';

const MAX_RATE_PER_MINUTE = 10_000_000;

@ArgsType()
@InputType({ description: 'A tenant to be made.' })
export class TenantInput {
  @ContractField(() => String, {
    description: "The tenant's identifier: the caller's own string, for good.",
    example: 'acme',
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What people call it.', example: 'Acme Health Plan', ...NAME_LIMITS })
  name!: string;
}

@InputType({ description: 'What is to change of a tenant; what is left out stays.' })
export class TenantChangeInput {
  @ContractField(() => String, { description: 'What people call it.', optional: true, ...NAME_LIMITS })
  name?: string;

  @ContractField(() => String, {
    description: "A SUSPENDED tenant's keys are refused everywhere, from 5 s on at the latest.",
    example: 'SUSPENDED',
    optional: true,
    enum: [...TENANT_STATUSES],
  })
  status?: 'ACTIVE' | 'SUSPENDED';

  @ContractField(() => Int, {
    description: "Requests a minute; 0 is no limit, null the deployment's (SERVICE_RATE_LIMIT_PER_MINUTE).",
    example: 12_000,
    optional: true,
    nullable: true,
    minimum: 0,
    maximum: MAX_RATE_PER_MINUTE,
  })
  rate_limit_per_minute?: number | null;
}

@ObjectType({ description: 'A health plan whose records are kept apart from all others.' })
export class Tenant {
  @ContractField(() => String, { description: "The tenant's identifier.", example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What people call it.', example: 'Acme Health Plan' })
  name!: string;

  @ContractField(() => String, {
    description: 'A suspended tenant is refused with TENANT_SUSPENDED.',
    example: 'ACTIVE',
    enum: [...TENANT_STATUSES],
  })
  status!: string;

  @ContractField(() => String, {
    description: 'When it was made.',
    example: '2026-03-02T14:11:10.004Z',
    format: 'date-time',
  })
  created_at!: string;

  @ContractField(() => Int, {
    description: 'Requests a minute, where the tenant has a limit of its own; 0 is no limit.',
    example: 12_000,
    optional: true,
  })
  rate_limit_per_minute?: number;
}

export const TenantPage = pageType('TenantPage', () => Tenant);

@ArgsType()
export class TenantFilter extends NamedListFilter {
  @ContractField(() => String, {
    description: 'Only tenants of this status.',
    optional: true,
    enum: [...TENANT_STATUSES],
  })
  status?: 'ACTIVE' | 'SUSPENDED';
}
