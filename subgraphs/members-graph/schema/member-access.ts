import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { CODE_STATUSES, type CodeStatus } from '../domain/member-access/one-time-code.js';
import { AVA_TOKEN_LIFETIME_SECONDS } from '../domain/member-access/session.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const MEMBER = { example: 'M-1', minLength: 1, maxLength: 256 };
const CODE = { example: '041887', minLength: 1, maxLength: 16 };
const CHALLENGE = { example: 'chl_01JQ0000000000000000000001', maxLength: 64 };
const REQUEST = { example: 'avr_01JQ0000000000000000000001', maxLength: 64 };
const ADDRESS = {
  description: 'Where the person is, as the caller sees it: how many codes are asked for from there is limited.',
  optional: true,
  minLength: 1,
  maxLength: 64,
};
const CODE_TOLD = {
  description: 'The code itself, where the deployment says so outside production (SERVICE_CODE_IN_RESPONSE).',
  optional: true,
  example: '041887',
};
const WAYS = ['log', 'webhook', 'smtp'];
const PURPOSE = { example: 'CARE_COORDINATION', maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_]*$' };

@ArgsType()
export class MemberAuthStart {
  @ContractField(() => String, { description: 'Who wants to sign in.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, ADDRESS)
  client_address?: string;
}

@ObjectType({ description: 'A code is on its way, if there is such a member: the answer is the same if there is not.' })
export class MemberChallenge {
  @ContractField(() => String, { description: 'What the code is shown with.', ...CHALLENGE })
  challenge_id!: string;

  @ContractField(() => String, { description: 'The code is good until then, once, in five tries.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'The way that codes go.', example: 'smtp', enum: WAYS })
  delivery!: string;

  @ContractField(() => String, CODE_TOLD)
  code?: string;
}

@ArgsType()
export class MemberAuthVerify {
  @ContractField(() => String, { description: 'Of the start.', ...CHALLENGE })
  challenge_id!: string;

  @ContractField(() => String, { description: 'As the member read it.', ...CODE })
  code!: string;
}

@ObjectType({ description: "A member's session: its tokens are told once." })
export class MemberTokens {
  @ContractField(() => String, {
    description: 'Bearer token to the record of this member alone.',
    example: 'emt_01JQ…',
  })
  access_token!: string;

  @ContractField(() => String, { description: 'How it is presented.', example: 'Bearer', enum: ['Bearer'] })
  token_type!: string;

  @ContractField(() => String, { description: 'Until when the access token is good.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'Good once, for new tokens.', example: 'emr_01JQ…' })
  refresh_token!: string;

  @ContractField(() => String, { description: 'When the session is over, renewed or not.', ...TIME })
  refresh_expires_at!: string;

  @ContractField(() => String, { description: 'Whose record it opens.', ...MEMBER })
  member_id!: string;
}

@ObjectType({ description: 'The session is over; so it is where there was none.' })
export class MemberLogout {
  @ContractField(() => Boolean, { description: 'Always true.', example: true })
  logged_out!: boolean;
}

@ArgsType()
export class AvaAccessRequestArgs {
  @ContractField(() => String, { description: 'Whose record is to be read; the code goes to them.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'For what; consent is asked about it at every read.', ...PURPOSE })
  purpose!: string;

  @ContractField(() => String, {
    description: 'Who will read: told to the member, and in custody at every read.',
    example: 'ava-assistant',
    minLength: 1,
    maxLength: 256,
  })
  requested_by!: string;

  @ContractField(() => Int, {
    description: `How long the token is to be good; ${AVA_TOKEN_LIFETIME_SECONDS} unless told.`,
    optional: true,
    example: AVA_TOKEN_LIFETIME_SECONDS,
    minimum: 1,
    maximum: AVA_TOKEN_LIFETIME_SECONDS,
  })
  ttl_seconds?: number;

  @ContractField(() => String, ADDRESS)
  client_address?: string;
}

@ObjectType({
  description: 'Access that was asked for: a code is on its way to the member, if there is such a member.',
})
export class AvaAccessRequest {
  @ContractField(() => String, { description: 'What the code is shown with.', ...REQUEST })
  request_id!: string;

  @ContractField(() => String, { description: 'Where it stands.', example: 'PENDING', enum: [...CODE_STATUSES] })
  status!: CodeStatus;

  @ContractField(() => String, { description: 'The code is good until then, once, in five tries.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'The way that codes go.', example: 'smtp', enum: WAYS })
  delivery!: string;

  @ContractField(() => String, CODE_TOLD)
  code?: string;
}

@ArgsType()
export class AvaAccessVerify {
  @ContractField(() => String, { description: 'Of the request.', ...REQUEST })
  request_id!: string;

  @ContractField(() => String, { description: 'As the member told it.', ...CODE })
  code!: string;
}

@ObjectType({ description: "A token to one member's record; it is told once." })
export class AvaAccessToken {
  @ContractField(() => String, { description: 'Bearer token; every read with it is in custody.', example: 'eva_01JQ…' })
  access_token!: string;

  @ContractField(() => String, { description: 'How it is presented.', example: 'Bearer', enum: ['Bearer'] })
  token_type!: string;

  @ContractField(() => String, { description: 'Until when it is good: 15 minutes at most.', ...TIME })
  expires_at!: string;

  @ContractField(() => String, { description: 'Whose record it opens.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'What it was asked for.', example: 'CARE_COORDINATION' })
  purpose!: string;

  @ContractField(() => [String], { description: 'What it holds.', example: ['member:self'] })
  scopes!: string[];
}
