import { ArgsType, InputType, ObjectType } from 'type-graphql';
import {
  SIGNING_KEY_CHANGES,
  SIGNING_PURPOSES,
  type SigningKeyChange,
  type SigningPurpose,
} from '../../../shared/contracts/signing-keys.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import {
  REVOCATION_REASONS,
  type RevocationReason,
  SIGNING_KEY_STATUSES,
  type SigningKeyStatus,
} from '../domain/signing-key-states.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_ID = 'sgk_01JQ0000000000000000000001';
const EXAMPLE_X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const PURPOSE = { description: 'What it signs, and nothing else.', example: 'BUNDLE', enum: [...SIGNING_PURPOSES] };

@InputType({ description: 'A signing key to be made.' })
export class SigningKeyInput {
  @ContractField(() => String, {
    description: 'The tenant of the request, repeated.',
    example: 'acme',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;

  @ContractField(() => String, PURPOSE)
  purpose!: SigningPurpose;

  @ContractField(() => String, { description: 'The one there is.', optional: true, enum: ['Ed25519'] })
  algorithm?: 'Ed25519';
}

@ObjectType({ description: 'One thing that became of a signing key.' })
export class SigningKeyChangeView {
  @ContractField(() => String, {
    description: 'ROTATED: another key took its place. COMPROMISED: revoked, as somebody else may have it.',
    example: 'ACTIVATED',
    enum: [...SIGNING_KEY_CHANGES],
  })
  change!: SigningKeyChange['change'];

  @ContractField(() => String, { description: 'When.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'Why it was revoked.', optional: true })
  reason?: string;

  @ContractField(() => String, {
    description: 'Signatures of this instant and later are not to be trusted.',
    optional: true,
    format: 'date-time',
  })
  effective_at?: string;
}

const THUMBPRINT = {
  description: 'RFC 7638 thumbprint of the public key: what bundles and checkpoints name it by.',
  example: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
};
const HISTORY = { description: 'What became of it, oldest first.' };

@InputType({ description: 'Why a signing key is revoked, and from when on its signatures are not to be trusted.' })
export class RevocationInput {
  @ContractField(() => String, {
    description: 'Why.',
    example: 'KEY_COMPROMISE',
    enum: [...REVOCATION_REASONS],
  })
  reason!: RevocationReason;

  @ContractField(() => String, {
    description: 'From when on; now unless told, and never ahead of now.',
    example: EXAMPLE_TIME,
    optional: true,
    format: 'date-time',
  })
  effective_at?: string;
}

@ObjectType({ description: 'A signing key of a tenant; its private part is kept wrapped and shown to nobody.' })
export class SigningKey {
  @ContractField(() => String, { description: 'Identifier, and `kid` in signatures.', example: EXAMPLE_ID })
  key_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, PURPOSE)
  purpose!: SigningPurpose;

  @ContractField(() => String, { description: 'RFC 8032.', example: 'Ed25519', enum: ['Ed25519'] })
  algorithm!: 'Ed25519';

  @ContractField(() => String, {
    description: 'Only an ACTIVE key signs; of a tenant and purpose there is one.',
    example: 'ACTIVE',
    enum: [...SIGNING_KEY_STATUSES],
  })
  status!: SigningKeyStatus;

  @ContractField(() => String, { description: 'The public key, `x` of its JWK (RFC 8037).', example: EXAMPLE_X })
  public_key!: string;

  @ContractField(() => String, THUMBPRINT)
  thumbprint!: string;

  @ContractField(() => String, { description: 'When it was made.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that had it made, or the service.', example: 'service:signing' })
  created_by!: string;

  @ContractField(() => String, { description: 'Since when it signs.', nullable: true, format: 'date-time' })
  activated_at!: string | null;

  @ContractField(() => String, { description: 'Since when it signs no more.', nullable: true, format: 'date-time' })
  retired_at!: string | null;

  @ContractField(() => String, { description: 'When it was revoked.', nullable: true, format: 'date-time' })
  revoked_at!: string | null;

  @ContractField(() => String, { description: 'Why it was revoked.', nullable: true })
  revocation_reason!: string | null;

  @ContractField(() => String, {
    description: 'From when on its signatures are not to be trusted.',
    nullable: true,
    format: 'date-time',
  })
  revocation_effective_at!: string | null;

  @ContractField(() => [SigningKeyChangeView], HISTORY)
  history!: SigningKeyChangeView[];
}

export const SigningKeyPage = pageType('SigningKeyPage', () => SigningKey);

@ArgsType()
export class SigningKeyFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only of this purpose.', optional: true, enum: [...SIGNING_PURPOSES] })
  purpose?: SigningPurpose;

  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...SIGNING_KEY_STATUSES] })
  status?: SigningKeyStatus;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@ObjectType({ description: 'One public key of a set (RFC 7517), with its span of signing.' })
export class JsonWebKey {
  @ContractField(() => String, { description: 'RFC 8037.', example: 'OKP', enum: ['OKP'] })
  kty!: 'OKP';

  @ContractField(() => String, { description: 'RFC 8037.', example: 'Ed25519', enum: ['Ed25519'] })
  crv!: 'Ed25519';

  @ContractField(() => String, { description: 'The public key, base64url.', example: EXAMPLE_X })
  x!: string;

  @ContractField(() => String, { description: 'Identifier of the key.', example: EXAMPLE_ID })
  kid!: string;

  @ContractField(() => String, { description: 'Always sig.', example: 'sig', enum: ['sig'] })
  use!: 'sig';

  @ContractField(() => String, { description: 'RFC 8037.', example: 'EdDSA', enum: ['EdDSA'] })
  alg!: 'EdDSA';

  @ContractField(() => String, PURPOSE)
  purpose!: SigningPurpose;

  @ContractField(() => String, { description: 'Its state.', example: 'ACTIVE', enum: [...SIGNING_KEY_STATUSES] })
  status!: SigningKeyStatus;

  @ContractField(() => String, { description: 'Signs since; null for not yet.', nullable: true, format: 'date-time' })
  from!: string | null;

  @ContractField(() => String, {
    description: 'Signatures of this instant and later are not good; null for no end yet.',
    nullable: true,
    format: 'date-time',
  })
  until!: string | null;

  @ContractField(() => String, THUMBPRINT)
  thumbprint!: string;

  @ContractField(() => String, {
    description: 'Since when somebody else may sign with it; only of a key revoked for KEY_COMPROMISE.',
    optional: true,
    format: 'date-time',
  })
  compromised_from?: string;

  @ContractField(() => [SigningKeyChangeView], HISTORY)
  history!: SigningKeyChangeView[];
}

@ObjectType({ description: 'The public signing keys of a tenant (RFC 7517).' })
export class JsonWebKeySet {
  @ContractField(() => [JsonWebKey], { description: 'Oldest first.' })
  keys!: JsonWebKey[];
}
