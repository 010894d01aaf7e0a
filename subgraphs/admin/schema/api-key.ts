import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ALL_SCOPES, OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { ANY_TENANT, TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { API_KEY_STATUSES, type ApiKeyStatus, MAX_GRACE_SECONDS } from '../domain/api-key-status.js';
import { MAX_ROLES, ROLE_ID_LIMITS } from './actor.js';
import { NAME_LIMITS, NamedListFilter } from './named-list-filter.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_KEY_ID = 'key_01JQ0000000000000000000001';

@InputType({ description: 'An API key to be made.' })
export class ApiKeyInput {
  @ContractField(() => String, {
    description: `Tenant of the key; the caller's own unless told. "${ANY_TENANT}" makes an operator key.`,
    example: 'acme',
    optional: true,
    pattern: `${TENANT_ID_PATTERN}|^\\${ANY_TENANT}$`,
  })
  tenant_id?: string;

  @ContractField(() => String, { description: 'What it is for.', example: 'claims gateway', ...NAME_LIMITS })
  name!: string;

  @ContractField(() => [String], {
    description: 'Scopes granted, beside those of the roles. Nobody grants a scope that they do not hold.',
    example: ['events:read', 'events:write'],
    optional: true,
    maxItems: ALL_SCOPES.length + 1,
    items: { enum: [...ALL_SCOPES, OPERATOR_SCOPE] },
  })
  scopes?: string[];

  @ContractField(() => [String], {
    description: 'Roles of the key: built-in ones by name, own ones by id. A key has scopes, or roles, or both.',
    example: ['integrator'],
    optional: true,
    maxItems: MAX_ROLES,
    items: ROLE_ID_LIMITS,
  })
  role_ids?: string[];

  @ContractField(() => String, {
    description: 'Actor that the key is bound to: it then does no more than the roles of the actor give.',
    example: 'act_01JQ0000000000000000000001',
    optional: true,
    minLength: 1,
    maxLength: 64,
  })
  actor_id?: string;

  @ContractField(() => [String], {
    description: 'Blocks of IPv4 or IPv6 addresses that it may come from; from anywhere unless told.',
    example: ['203.0.113.0/24', '2001:db8::/32'],
    optional: true,
    maxItems: 50,
    items: { minLength: 1, maxLength: 64 },
  })
  allowed_cidrs?: string[];

  @ContractField(() => String, {
    description: 'The key is dead from this time on.',
    example: '2027-03-02T00:00:00.000Z',
    optional: true,
    format: 'date-time',
  })
  expires_at?: string;
}

@ObjectType({ description: 'An API key as lists show it: enough to recognise it, nothing to use it.' })
export class ApiKey {
  @ContractField(() => String, { description: 'Identifier of the key.', example: EXAMPLE_KEY_ID })
  key_id!: string;

  @ContractField(() => String, { description: `Its tenant, or "${ANY_TENANT}" for an operator key.`, example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What it is for.', example: 'claims gateway' })
  name!: string;

  @ContractField(() => [String], { description: 'Scopes granted, sorted.', example: ['events:read', 'events:write'] })
  scopes!: string[];

  @ContractField(() => [String], { description: 'Roles of the key.', example: ['integrator'] })
  role_ids!: string[];

  @ContractField(() => String, {
    description: 'The actor that it is bound to; null for a key that stands by itself.',
    example: 'act_01JQ0000000000000000000001',
    nullable: true,
  })
  actor_id!: string | null;

  @ContractField(() => [String], {
    description: 'Where it may come from; empty for anywhere.',
    example: ['203.0.113.0/24'],
  })
  allowed_cidrs!: string[];

  @ContractField(() => String, {
    description: 'How the key begins; null for one that an operator brought along.',
    example: 'eas_live_0aB1cD2eF3gH',
    nullable: true,
  })
  prefix!: string | null;

  @ContractField(() => String, { description: 'How the key ends.', example: 'x7Qz' })
  last_four!: string;

  @ContractField(() => String, {
    description: 'ROTATING: works until grace_ends_at beside its successor. REVOKED and EXPIRED are final.',
    example: 'ACTIVE',
    enum: [...API_KEY_STATUSES],
  })
  status!: ApiKeyStatus;

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, {
    description: 'The key that made it; null for the first operator key.',
    example: EXAMPLE_KEY_ID,
    nullable: true,
  })
  created_by!: string | null;

  @ContractField(() => String, { description: 'When it dies by itself.', nullable: true, format: 'date-time' })
  expires_at!: string | null;

  @ContractField(() => String, {
    description: 'Until when it works beside its successor.',
    nullable: true,
    format: 'date-time',
  })
  grace_ends_at!: string | null;

  @ContractField(() => String, { description: 'Its successor.', nullable: true })
  rotated_to!: string | null;

  @ContractField(() => String, { description: 'The key that it succeeds.', nullable: true })
  rotated_from!: string | null;

  @ContractField(() => String, {
    description: 'When it was last used, to the minute.',
    nullable: true,
    format: 'date-time',
  })
  last_used_at!: string | null;

  @ContractField(() => String, {
    description: 'Where it was last used from: the address of a system or an office, to find a leaked key by.',
    example: '203.0.113.7',
    nullable: true,
  })
  last_used_address!: string | null;

  @ContractField(() => String, { description: 'When it was revoked.', nullable: true, format: 'date-time' })
  revoked_at!: string | null;

  @ContractField(() => String, { description: 'The key that revoked it.', nullable: true })
  revoked_by!: string | null;
}

@ObjectType({ description: 'A key just made, with its secret.' })
export class CreatedApiKey extends ApiKey {
  @ContractField(() => String, { description: 'The key itself: shown this once, and kept nowhere.' })
  api_key!: string;
}

@InputType({ description: 'How a key is to be rotated.' })
export class RotationInput {
  @ContractField(() => Int, {
    description:
      'How long the old key works beside its successor; a day unless told, never beyond its own expiry. 0 revokes it at once.',
    example: 3600,
    optional: true,
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
  })
  grace_seconds?: number;
}

export const ApiKeyPage = pageType('ApiKeyPage', () => ApiKey);

@ArgsType()
export class ApiKeyFilter extends NamedListFilter {
  @ContractField(() => String, {
    description: 'Only keys of this status.',
    optional: true,
    enum: [...API_KEY_STATUSES],
  })
  status?: ApiKeyStatus;
}
