import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { SESSION_STATUSES, type SessionStatus } from './domain.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_SESSION = 'ses_01JQ0000000000000000000001';
const EXAMPLE_KEY = 'key_01JQ0000000000000000000001';

@ObjectType({ description: 'A session of the console, opened with an API key. Its token is never shown again.' })
export class Session {
  @ContractField(() => String, { description: 'Identifier of the session.', example: EXAMPLE_SESSION })
  session_id!: string;

  @ContractField(() => String, { description: 'Tenant, or "*" for a session of an operator.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Key that opened it; the session has its rights.', example: EXAMPLE_KEY })
  key_id!: string;

  @ContractField(() => String, { description: 'Name of the key.', example: 'claims gateway', nullable: true })
  key_name!: string | null;

  @ContractField(() => String, {
    description:
      'ENDED: signed out, ended by an administrator, or its key ended. EXPIRED: too old, or idle for too long.',
    example: 'ACTIVE',
    enum: [...SESSION_STATUSES],
  })
  status!: SessionStatus;

  @ContractField(() => String, { description: 'Address that opened it.', example: '203.0.113.7', nullable: true })
  address!: string | null;

  @ContractField(() => String, { description: 'Time of opening.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, {
    description: 'Time of the last request, to the minute.',
    example: EXAMPLE_TIME,
    format: 'date-time',
  })
  last_seen_at!: string;

  @ContractField(() => String, {
    description: 'Time at which it ended before its time.',
    nullable: true,
    format: 'date-time',
  })
  ended_at!: string | null;

  @ContractField(() => String, { description: 'Key that ended it.', nullable: true })
  ended_by!: string | null;
}

export const SessionPage = pageType('SessionPage', () => Session);

@ArgsType()
export class SessionFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only sessions of this key.', optional: true, maxLength: 64 })
  key_id?: string;
}

@ObjectType({ description: 'Identity and rights of a caller.' })
export class Caller {
  @ContractField(() => String, { description: 'Session; null for a key.', example: EXAMPLE_SESSION, nullable: true })
  session_id!: string | null;

  @ContractField(() => String, {
    description: 'Tenant; null for an operator, who names one in each request.',
    example: 'acme',
    nullable: true,
  })
  tenant_id!: string | null;

  @ContractField(() => String, { description: 'API key.', example: EXAMPLE_KEY })
  key_id!: string;

  @ContractField(() => String, { description: 'Name of the key.', example: 'claims gateway' })
  key_name!: string;

  @ContractField(() => String, { description: 'Actor of the key.', nullable: true })
  actor_id!: string | null;

  @ContractField(() => [String], { description: 'Scopes, with those that they imply.', example: ['events:read'] })
  scopes!: string[];

  @ContractField(() => String, {
    description: 'Latest end of the session; idle sessions end sooner.',
    example: EXAMPLE_TIME,
    nullable: true,
    format: 'date-time',
  })
  ends_at!: string | null;
}

@ObjectType({ description: 'A new session.' })
export class OpenedSession {
  @ContractField(() => String, { description: 'Token of the session, for its cookie; returned once and not stored.' })
  token!: string;

  @ContractField(() => Caller, { description: 'Identity and rights that the session has.' })
  caller!: Caller;
}
