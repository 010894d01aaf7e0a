import { ArgsType, Directive } from 'type-graphql';
import { ContractField, OpenShape } from '../../../../shared/graph/contract-field.js';
import { EXTRA, EXTRA_INPUT } from '../../../../shared/graph/extra.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../../shared/graph/members.js';
import { pageType } from '../../../../shared/graph/page.js';
import { StampMembers } from '../../../../shared/graph/record-members.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import { ANY_TENANT, TENANT_ID_PATTERN } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { NAME_LIMITS, NamedListFilter } from '../../lists/schema.js';
import { ACTOR_KINDS, ACTOR_STATUSES, type ActorKind, type ActorStatus } from '../domain/states.js';

/** Roles of one actor or one key. */
export const MAX_ROLES = 20;

/** Names and ids of roles; the service checks that the role exists. */
export const ROLE_ID_LIMITS = { minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' } as const;

/** The members that callers give to an actor. */
abstract class ActorMembers {
  @Member(() => String, { description: 'Name.', example: 'Jordan Reyes, appeals', ...NAME_LIMITS })
  name!: string;

  @Member(() => String, { description: 'Kind; HUMAN by default.', example: 'HUMAN', enum: [...ACTOR_KINDS] })
  kind!: ActorKind;

  @Member(() => String, {
    description: 'E-mail address by which the sign-in provider names the person, if it has verified the address.',
    example: 'jordan.reyes@example.org',
    nullable: true,
    maxLength: 320,
    pattern: '^[^\\s@]+@[^\\s@]+$',
  })
  email!: string | null;

  @Member(() => String, {
    description:
      'Identifier of the person at the sign-in provider (claim sub). With it, the e-mail address does not count.',
    example: '248289761001',
    nullable: true,
    minLength: 1,
    maxLength: 255,
  })
  subject!: string | null;

  @Member(() => [String], {
    description: 'Built-in roles by name, other roles by id. The caller must hold every role.',
    example: ['analyst'],
    maxItems: MAX_ROLES,
    items: ROLE_ID_LIMITS,
  })
  role_ids!: readonly string[];
}

@OpenShape()
@RecordInput({ description: 'A new actor: a person or a system.' })
export class ActorInput extends inputOf(ActorMembers, { kind: 'HUMAN' as const, role_ids: [] }) {
  @ContractField(() => String, {
    description: `Tenant of the actor. Default: the caller's tenant. "${ANY_TENANT}" is an actor of the platform's operator.`,
    example: 'acme',
    optional: true,
    pattern: `${TENANT_ID_PATTERN}|^\\${ANY_TENANT}$`,
  })
  tenant_id?: string;

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@RecordInput({ description: 'Changes of an actor; absent members stay.' })
export class ActorChangeInput extends patchOf(ActorMembers, 'role_ids') {
  @ContractField(() => String, {
    description: 'SUSPENDED rejects the keys of the actor within 5 s.',
    example: 'SUSPENDED',
    optional: true,
    enum: [...ACTOR_STATUSES],
  })
  status?: ActorStatus;
}

@Directive('@key(fields: "actor_id")')
@RecordType({ description: 'A person or a system. Its roles limit the keys that are bound to it.' })
export class Actor extends outputOf(ActorMembers, StampMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'act_01JQ0000000000000000000001' })
  actor_id!: string;

  @ContractField(() => String, {
    description: 'Keys of a SUSPENDED actor are rejected.',
    example: 'ACTIVE',
    enum: [...ACTOR_STATUSES],
  })
  status!: ActorStatus;

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;
}

export const ActorPage = pageType('ActorPage', () => Actor);

@ArgsType()
export class ActorFilter extends NamedListFilter {
  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...ACTOR_STATUSES] })
  status?: ActorStatus;

  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...ACTOR_KINDS] })
  kind?: ActorKind;
}
