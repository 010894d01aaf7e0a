import { ArgsType, InputType, ObjectType } from 'type-graphql';
import {
  SIGNING_KEY_CHANGES,
  SIGNING_PURPOSES,
  type SigningKeyChange,
  type SigningPurpose,
} from '../../../shared/contracts/signing-keys.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { TENANT_ID_PATTERN } from '../../../shared/ids/tenant.js';
import { REVOCATION_REASONS, type RevocationReason, SIGNING_KEY_STATUSES, type SigningKeyStatus } from './domain.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const EXAMPLE_ID = 'sgk_01JQ0000000000000000000001';
const EXAMPLE_X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const PURPOSE = { description: 'Purpose; the key signs nothing else.', example: 'BUNDLE', enum: [...SIGNING_PURPOSES] };

@InputType({ description: 'A new signing key.' })
export class SigningKeyInput {
  @ContractField(() => String, {
    description: 'Must equal the tenant of the request.',
    example: 'acme',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;

  @ContractField(() => String, PURPOSE)
  purpose!: SigningPurpose;

  @ContractField(() => String, { description: 'The only algorithm.', optional: true, enum: ['Ed25519'] })
  algorithm?: 'Ed25519';
}

@ObjectType({ description: 'One change of a signing key.' })
class SigningKeyChangeView {
  @ContractField(() => String, {
    description: 'ROTATED: replaced by another key. COMPROMISED: revoked, because others may have the private key.',
    example: 'ACTIVATED',
    enum: [...SIGNING_KEY_CHANGES],
  })
  change!: SigningKeyChange['change'];

  @ContractField(() => String, { description: 'Time of the change.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;

  @ContractField(() => String, { description: 'Reason of the revocation.', optional: true })
  reason?: string;

  @ContractField(() => String, {
    description: 'Signatures from this time on are invalid.',
    optional: true,
    format: 'date-time',
  })
  effective_at?: string;
}

const THUMBPRINT = {
  description: 'RFC 7638 thumbprint of the public key; bundles and checkpoints refer to it.',
  example: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
};
const HISTORY = { description: 'Changes, oldest first.' };

@InputType({ description: 'Reason and start of a revocation.' })
export class RevocationInput {
  @ContractField(() => String, {
    description: 'Reason.',
    example: 'KEY_COMPROMISE',
    enum: [...REVOCATION_REASONS],
  })
  reason!: RevocationReason;

  @ContractField(() => String, {
    description: 'Signatures from this time on are invalid. Default: now; never in the future.',
    example: EXAMPLE_TIME,
    optional: true,
    format: 'date-time',
  })
  effective_at?: string;
}

@ObjectType({ description: 'A signing key of a tenant; its private part is stored wrapped and never shown.' })
export class SigningKey {
  @ContractField(() => String, { description: 'Identifier, and `kid` in signatures.', example: EXAMPLE_ID })
  key_id!: string;

  @ContractField(() => String, { description: 'Tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, PURPOSE)
  purpose!: SigningPurpose;

  @ContractField(() => String, { description: 'RFC 8032.', example: 'Ed25519', enum: ['Ed25519'] })
  algorithm!: 'Ed25519';

  @ContractField(() => String, {
    description: 'Only the ACTIVE key signs: one for each tenant and purpose.',
    example: 'ACTIVE',
    enum: [...SIGNING_KEY_STATUSES],
  })
  status!: SigningKeyStatus;

  @ContractField(() => String, { description: 'The public key, `x` of its JWK (RFC 8037).', example: EXAMPLE_X })
  public_key!: string;

  @ContractField(() => String, THUMBPRINT)
  thumbprint!: string;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'API key that created it, or the service.', example: 'service:signing' })
  created_by!: string;

  @ContractField(() => String, { description: 'Time of activation.', nullable: true, format: 'date-time' })
  activated_at!: string | null;

  @ContractField(() => String, { description: 'Time of retirement.', nullable: true, format: 'date-time' })
  retired_at!: string | null;

  @ContractField(() => String, { description: 'Time of revocation.', nullable: true, format: 'date-time' })
  revoked_at!: string | null;

  @ContractField(() => String, { description: 'Reason of the revocation.', nullable: true })
  revocation_reason!: string | null;

  @ContractField(() => String, {
    description: 'Signatures from this time on are invalid.',
    nullable: true,
    format: 'date-time',
  })
  revocation_effective_at!: string | null;

  @ContractField(() => [SigningKeyChangeView], HISTORY)
  history!: SigningKeyChangeView[];
}

export const SigningKeyPage = pageType('SigningKeyPage', () => SigningKey);

@ArgsType()
export class SigningKeyFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only of this purpose.', optional: true, enum: [...SIGNING_PURPOSES] })
  purpose?: SigningPurpose;

  @ContractField(() => String, { description: 'Only of this status.', optional: true, enum: [...SIGNING_KEY_STATUSES] })
  status?: SigningKeyStatus;
}

@ObjectType({ description: 'One public key of a set (RFC 7517) with its validity.' })
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

  @ContractField(() => String, { description: 'Status.', example: 'ACTIVE', enum: [...SIGNING_KEY_STATUSES] })
  status!: SigningKeyStatus;

  @ContractField(() => String, {
    description: 'Start of validity; null before activation.',
    nullable: true,
    format: 'date-time',
  })
  from!: string | null;

  @ContractField(() => String, {
    description: 'Signatures from this time on are invalid; null for no end yet.',
    nullable: true,
    format: 'date-time',
  })
  until!: string | null;

  @ContractField(() => String, THUMBPRINT)
  thumbprint!: string;

  @ContractField(() => String, {
    description: 'Time from which others may sign with it; only for a key revoked for KEY_COMPROMISE.',
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
