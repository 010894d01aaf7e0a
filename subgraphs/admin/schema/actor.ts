import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { ANY_TENANT, TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { ACTOR_KINDS, ACTOR_STATUSES, type ActorKind, type ActorStatus } from '../domain/actor-states.js';
import { NAME_LIMITS, NamedListFilter } from './named-list-filter.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';

/** Most roles that one actor or one key holds. */
export const MAX_ROLES = 20;

/** Names and ids alike: which roles there are is judged by the service. */
export const ROLE_ID_LIMITS = { minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' } as const;

@InputType({ description: 'An actor to be made: a person, or a system that acts by itself.' })
export class ActorInput {
  @ContractField(() => String, {
    description: `Tenant of the actor; the caller's own unless told. "${ANY_TENANT}" makes one of the platform's operator.`,
    example: 'acme',
    optional: true,
    pattern: `${TENANT_ID_PATTERN}|^\\${ANY_TENANT}$`,
  })
  tenant_id?: string;

  @ContractField(() => String, { description: 'Who it is.', example: 'Jordan Reyes, appeals', ...NAME_LIMITS })
  name!: string;

  @ContractField(() => String, { description: 'HUMAN unless told.', optional: true, enum: [...ACTOR_KINDS] })
  kind?: ActorKind;

  @ContractField(() => [String], {
    description: 'Roles: built-in ones by name, own ones by id. Nobody gives a role that they do not hold.',
    example: ['analyst'],
    optional: true,
    maxItems: MAX_ROLES,
    items: ROLE_ID_LIMITS,
  })
  role_ids?: string[];
}

@InputType({ description: 'What is to change of an actor; what is left out stays.' })
export class ActorChangeInput {
  @ContractField(() => String, { description: 'Who it is.', optional: true, ...NAME_LIMITS })
  name?: string;

  @ContractField(() => String, { description: 'What it is.', optional: true, enum: [...ACTOR_KINDS] })
  kind?: ActorKind;

  @ContractField(() => String, {
    description: 'Keys of a SUSPENDED actor let nobody in, from 5 s on at the latest.',
    example: 'SUSPENDED',
    optional: true,
    enum: [...ACTOR_STATUSES],
  })
  status?: ActorStatus;
}

@ObjectType({ description: 'A person or a system, whose roles bound what keys that are bound to it may do.' })
export class Actor {
  @ContractField(() => String, { description: 'Identifier.', example: 'act_01JQ0000000000000000000001' })
  actor_id!: string;

  @ContractField(() => String, { description: `Its tenant, or "${ANY_TENANT}" for an operator's.`, example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Who it is.', example: 'Jordan Reyes, appeals' })
  name!: string;

  @ContractField(() => String, { description: 'What it is.', example: 'HUMAN', enum: [...ACTOR_KINDS] })
  kind!: ActorKind;

  @ContractField(() => String, {
    description: 'Keys of a SUSPENDED actor let nobody in.',
    example: 'ACTIVE',
    enum: [...ACTOR_STATUSES],
  })
  status!: ActorStatus;

  @ContractField(() => [String], {
    description: 'Roles that it holds: built-in ones by name, own ones by id.',
    example: ['analyst'],
  })
  role_ids!: string[];

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that made it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it was last changed.', example: EXAMPLE_TIME, format: 'date-time' })
  updated_at!: string;
}

export const ActorPage = pageType('ActorPage', () => Actor);

@ArgsType()
export class ActorFilter extends NamedListFilter {
  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...ACTOR_STATUSES] })
  status?: ActorStatus;

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...ACTOR_KINDS] })
  kind?: ActorKind;
}
