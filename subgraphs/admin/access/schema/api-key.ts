import { ArgsType, Directive, InputType, Int, ObjectType } from 'type-graphql';
import { ALL_SCOPES, OPERATOR_SCOPE } from '../../../../shared/auth/scopes.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../../shared/graph/members.js';
import { pageType } from '../../../../shared/graph/page.js';
import { ANY_TENANT, TENANT_ID_PATTERN } from '../../../../shared/ids/tenant.js';
import { NAME_LIMITS, NamedListFilter } from '../../lists/schema.js';
import { API_KEY_STATUSES, type ApiKeyStatus, MAX_GRACE_SECONDS } from '../domain/api-key-status.js';
import { MAX_ROLES, ROLE_ID_LIMITS } from './actor.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_KEY_ID = 'key_01JQ0000000000000000000001';

/** The members that callers give to a key. */
abstract class ApiKeyMembers {
  @Member(() => String, { description: 'Purpose of the key.', example: 'claims gateway', ...NAME_LIMITS })
  name!: string;

  @Member(() => [String], {
    description: 'Scopes in addition to those of the roles. The caller must hold every scope.',
    example: ['events:read', 'events:write'],
    maxItems: ALL_SCOPES.length + 1,
    items: { enum: [...ALL_SCOPES, OPERATOR_SCOPE] },
  })
  scopes!: readonly string[];

  @Member(() => [String], {
    description: 'Built-in roles by name, other roles by id. A key has scopes, roles or both.',
    example: ['integrator'],
    maxItems: MAX_ROLES,
    items: ROLE_ID_LIMITS,
  })
  role_ids!: readonly string[];

  @Member(() => String, {
    description: 'Actor that the key is bound to; its roles limit the scopes of the key.',
    example: 'act_01JQ0000000000000000000001',
    nullable: true,
    minLength: 1,
    maxLength: 64,
  })
  actor_id!: string | null;

  @Member(() => [String], {
    description: 'IPv4 or IPv6 blocks that requests may come from; any address by default.',
    example: ['203.0.113.0/24', '2001:db8::/32'],
    maxItems: 50,
    items: { minLength: 1, maxLength: 64 },
  })
  allowed_cidrs!: readonly string[];

  @Member(() => String, {
    description: 'Time at which the key expires.',
    example: '2027-03-02T00:00:00.000Z',
    nullable: true,
    format: 'date-time',
  })
  expires_at!: string | null;
}

@RecordInput({ description: 'A new API key.' })
export class ApiKeyInput extends inputOf(ApiKeyMembers, { scopes: [], role_ids: [], allowed_cidrs: [] }) {
  @ContractField(() => String, {
    description: `Tenant of the key. Default: the caller's tenant. "${ANY_TENANT}" is an operator key.`,
    example: 'acme',
    optional: true,
    pattern: `${TENANT_ID_PATTERN}|^\\${ANY_TENANT}$`,
  })
  tenant_id?: string;
}

@Directive('@key(fields: "key_id")')
@RecordType({ description: 'An API key without its secret.' })
export class ApiKey extends outputOf(ApiKeyMembers) {
  @ContractField(() => String, { description: 'Identifier of the key.', example: EXAMPLE_KEY_ID })
  key_id!: string;

  @ContractField(() => String, { description: `Tenant, or "${ANY_TENANT}" for an operator key.`, example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, {
    description: 'First characters of the key; null for a key that an operator provided.',
    example: 'eas_live_0aB1cD2eF3gH',
    nullable: true,
  })
  prefix!: string | null;

  @ContractField(() => String, { description: 'Last four characters of the key.', example: 'x7Qz' })
  last_four!: string;

  @ContractField(() => String, {
    description: 'ROTATING: valid until grace_ends_at, as is its successor. REVOKED and EXPIRED are final.',
    example: 'ACTIVE',
    enum: [...API_KEY_STATUSES],
  })
  status!: ApiKeyStatus;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, {
    description: 'API key that created it; null for the first operator key.',
    example: EXAMPLE_KEY_ID,
    nullable: true,
  })
  created_by!: string | null;

  @ContractField(() => String, {
    description: 'End of validity of a rotated key.',
    nullable: true,
    format: 'date-time',
  })
  grace_ends_at!: string | null;

  @ContractField(() => String, { description: 'Successor.', nullable: true })
  rotated_to!: string | null;

  @ContractField(() => String, { description: 'Predecessor.', nullable: true })
  rotated_from!: string | null;

  @ContractField(() => String, {
    description: 'Time of the last use, to the minute.',
    nullable: true,
    format: 'date-time',
  })
  last_used_at!: string | null;

  @ContractField(() => String, {
    description: 'Address of the last use, to find a leaked key.',
    example: '203.0.113.7',
    nullable: true,
  })
  last_used_address!: string | null;

  @ContractField(() => String, { description: 'Time of revocation.', nullable: true, format: 'date-time' })
  revoked_at!: string | null;

  @ContractField(() => String, { description: 'API key that revoked it.', nullable: true })
  revoked_by!: string | null;
}

@ObjectType({ description: 'A new API key with its secret.' })
export class CreatedApiKey extends ApiKey {
  @ContractField(() => String, { description: 'The key itself; returned once and not stored.' })
  api_key!: string;
}

@InputType({ description: 'Options of a rotation.' })
export class RotationInput {
  @ContractField(() => Int, {
    description:
      'Seconds for which the old key stays valid, never beyond its expiry. Default: a day. 0 revokes it at once.',
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
