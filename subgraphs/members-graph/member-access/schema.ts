import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { EXTRA, EXTRA_INPUT } from '../../../shared/graph/extra.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { AVA_TOKEN_LIFETIME_SECONDS, CODE_STATUSES, type CodeStatus } from './domain.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const MEMBER = { example: 'M-1', minLength: 1, maxLength: 256 };
const CODE = { example: '041887', minLength: 1, maxLength: 16 };
const CHALLENGE = { example: 'chl_01JQ0000000000000000000001', maxLength: 64 };
const REQUEST = { example: 'avr_01JQ0000000000000000000001', maxLength: 64 };
const ADDRESS = {
  description: 'Client address of the person; limits the number of codes per address.',
  optional: true,
  minLength: 1,
  maxLength: 64,
};
const CODE_SHOWN = {
  description: 'The code; only outside production with SERVICE_CODE_IN_RESPONSE.',
  optional: true,
  example: '041887',
};
const WAYS = ['log', 'webhook', 'smtp'];
const PURPOSE = { example: 'CARE_COORDINATION', maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_]*$' };

@ArgsType()
export class MemberAuthStart {
  @ContractField(() => String, { description: 'Member who signs in.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, ADDRESS)
  client_address?: string;
}

@ObjectType({ description: 'A requested code; the answer is the same for unknown members.' })
export class MemberChallenge {
  @ContractField(() => String, { description: 'Identifier to verify the code with.', ...CHALLENGE })
  challenge_id!: string;

  @ContractField(() => String, { description: 'Expiry of the code; it is valid once, with five attempts.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'Channel of the code.', example: 'smtp', enum: WAYS })
  delivery!: string;

  @ContractField(() => String, CODE_SHOWN)
  code?: string;
}

@ArgsType()
export class MemberAuthVerify {
  @ContractField(() => String, { description: 'Identifier of the challenge.', ...CHALLENGE })
  challenge_id!: string;

  @ContractField(() => String, { description: 'The code.', ...CODE })
  code!: string;
}

@ObjectType({ description: "Tokens of a member's session; returned once." })
export class MemberTokens {
  @ContractField(() => String, {
    description: 'Bearer token for the record of this member only.',
    example: 'emt_01JQ…',
  })
  access_token!: string;

  @ContractField(() => String, { description: 'Type of token.', example: 'Bearer', enum: ['Bearer'] })
  token_type!: string;

  @ContractField(() => String, { description: 'Expiry of the access token.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'Token to renew the session; valid once.', example: 'emr_01JQ…' })
  refresh_token!: string;

  @ContractField(() => String, { description: 'End of the session, even with renewals.', ...TIME })
  refresh_expires_at!: string;

  @ContractField(() => String, { description: 'Member of the record that the token opens.', ...MEMBER })
  member_id!: string;
}

@ObjectType({ description: 'Result of a logout; the same if no session existed.' })
export class MemberLogout {
  @ContractField(() => Boolean, { description: 'Always true.', example: true })
  logged_out!: boolean;
}

@ArgsType()
export class AvaAccessRequestArgs {
  @ContractField(() => String, {
    description: 'Member of the record to read; the member receives the code.',
    ...MEMBER,
  })
  member_id!: string;

  @ContractField(() => String, { description: 'Purpose; consent rules apply to it at every read.', ...PURPOSE })
  purpose!: string;

  @ContractField(() => String, {
    description: 'Reader of the record; shown to the member and recorded in custody at every read.',
    example: 'ava-assistant',
    minLength: 1,
    maxLength: 256,
  })
  requested_by!: string;

  @ContractField(() => Int, {
    description: `Lifetime of the token in seconds; default ${AVA_TOKEN_LIFETIME_SECONDS}.`,
    optional: true,
    example: AVA_TOKEN_LIFETIME_SECONDS,
    minimum: 1,
    maximum: AVA_TOKEN_LIFETIME_SECONDS,
  })
  ttl_seconds?: number;

  @ContractField(() => String, ADDRESS)
  client_address?: string;

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@ObjectType({
  description: 'Requested access; the answer is the same for unknown members.',
})
export class AvaAccessRequest {
  @ContractField(() => String, { description: 'Identifier of the request.', ...REQUEST })
  request_id!: string;

  @ContractField(() => String, { description: 'Status of the code.', example: 'PENDING', enum: [...CODE_STATUSES] })
  status!: CodeStatus;

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;

  @ContractField(() => String, { description: 'Expiry of the code; it is valid once, with five attempts.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'Channel of the code.', example: 'smtp', enum: WAYS })
  delivery!: string;

  @ContractField(() => String, CODE_SHOWN)
  code?: string;
}

@ArgsType()
export class AvaAccessVerify {
  @ContractField(() => String, { description: 'Identifier of the request.', ...REQUEST })
  request_id!: string;

  @ContractField(() => String, { description: 'The code that the member received.', ...CODE })
  code!: string;
}

@ObjectType({ description: "A token for one member's record; returned once." })
export class AvaAccessToken {
  @ContractField(() => String, {
    description: 'Bearer token; custody records every read with it.',
    example: 'eva_01JQ…',
  })
  access_token!: string;

  @ContractField(() => String, { description: 'Type of token.', example: 'Bearer', enum: ['Bearer'] })
  token_type!: string;

  @ContractField(() => String, { description: 'Expiry, at most 15 minutes from now.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'Member of the record that the token opens.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'Purpose of the access.', example: 'CARE_COORDINATION' })
  purpose!: string;

  @ContractField(() => [String], { description: 'Scopes of the token.', example: ['member:self'] })
  scopes!: string[];
}
