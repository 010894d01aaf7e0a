import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { NAME_LIMITS, NamedListFilter } from '../lists/schema.js';
import { TENANT_STATUSES, type TenantStatus } from './domain.js';

const MAX_RATE_PER_MINUTE = 10_000_000;

@ArgsType()
@InputType({ description: 'A new tenant.' })
export class TenantInput {
  @ContractField(() => String, {
    description: "The tenant's identifier, chosen by the caller and permanent.",
    example: 'acme',
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Display name.', example: 'Acme Health Plan', ...NAME_LIMITS })
  name!: string;
}

@InputType({ description: 'Changes of a tenant; absent members stay.' })
export class TenantChangeInput {
  @ContractField(() => String, { description: 'Display name.', optional: true, ...NAME_LIMITS })
  name?: string;

  @ContractField(() => String, {
    description: "SUSPENDED rejects the tenant's keys everywhere within 5 s.",
    example: 'SUSPENDED',
    optional: true,
    enum: [...TENANT_STATUSES],
  })
  status?: TenantStatus;

  @ContractField(() => Int, {
    description: "Requests a minute; 0 is no limit, null the deployment's limit (SERVICE_RATE_LIMIT_PER_MINUTE).",
    example: 12_000,
    optional: true,
    nullable: true,
    minimum: 0,
    maximum: MAX_RATE_PER_MINUTE,
  })
  rate_limit_per_minute?: number | null;
}

@ObjectType({ description: 'A health plan; its records are isolated from all others.' })
export class Tenant {
  @ContractField(() => String, { description: "The tenant's identifier.", example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Display name.', example: 'Acme Health Plan' })
  name!: string;

  @ContractField(() => String, {
    description: 'Requests of a SUSPENDED tenant fail with TENANT_SUSPENDED.',
    example: 'ACTIVE',
    enum: [...TENANT_STATUSES],
  })
  status!: TenantStatus;

  @ContractField(() => String, {
    description: 'Time of creation.',
    example: '2026-03-02T14:11:10.004Z',
    format: 'date-time',
  })
  created_at!: string;

  @ContractField(() => Int, {
    description: 'Requests a minute, if the tenant has its own limit; 0 is no limit.',
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
  status?: TenantStatus;
}
