import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import type { BundleProfile } from '../../../shared/evidence/bundle/entries.js';
import { BUNDLE_PROFILES } from '../../../shared/evidence/bundle/entries.js';
import { BUNDLE_TYPES, type BundleType } from '../../../shared/evidence/bundle/manifest.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import { BUILD_PHASES, type BuildPhase } from '../domain/build-phases.js';
import { BUNDLE_STATUSES, type BundleStatus } from '../domain/bundle-states.js';

export const EXAMPLE_BUNDLE = 'bdl_01JQ0000000000000000000001';
const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const HASH = { example: 'a3'.repeat(32), pattern: '^[0-9a-f]{64}$' };
const REFERENCE = { minLength: 1, maxLength: 256 };

@InputType('BundleScopeInput', { description: 'What a bundle gathers: exactly one of the three ids.' })
@ObjectType('BundleScope', { description: 'What a bundle gathers.' })
export class BundleScopeShape {
  @ContractField(() => String, {
    description: 'Tenant of the bundle: that of the request.',
    optional: true,
    example: 'acme',
  })
  tenant_id?: string;

  @ContractField(() => String, {
    description: "A member: the member's events and documents.",
    example: 'M-1',
    optional: true,
    ...REFERENCE,
  })
  member_id?: string;

  @ContractField(() => String, {
    description:
      'A legal matter: what is linked to it, its members included, and events with this `payload.matter_id`.',
    optional: true,
    ...REFERENCE,
  })
  matter_id?: string;

  @ContractField(() => String, {
    description: 'An incident: events with this `payload.incident_id`.',
    optional: true,
    ...REFERENCE,
  })
  incident_id?: string;

  @ContractField(() => String, { description: 'Effective at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Effective before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@InputType({ description: 'A bundle to be built.' })
export class BundleRequest {
  @ContractField(() => BundleScopeShape, { description: 'What it gathers.' })
  scope!: BundleScopeShape;

  @ContractField(() => String, {
    description: 'Must agree with the id in the scope; follows from it where left out.',
    example: 'MEMBER',
    optional: true,
    enum: [...BUNDLE_TYPES],
  })
  bundle_type?: BundleType;

  @ContractField(() => String, {
    description: 'Who asks; the actor or the name of the key where left out.',
    example: 'counsel@acme.test',
    optional: true,
    ...REFERENCE,
  })
  requested_by?: string;

  @ContractField(() => String, {
    description:
      '`minimal` leaves out proofs, certificate and verifiers; refused where an event is redacted or disposed of. `full` unless told.',
    optional: true,
    enum: [...BUNDLE_PROFILES],
  })
  profile?: BundleProfile;

  @ContractField(() => String, {
    ...PURPOSE_OPTIONS,
    description:
      'For what; consent is asked when it is built, and what it withholds is left out and counted. Every record unless told.',
  })
  purpose?: string;
}

@ObjectType({ description: 'How far a build is.' })
export class BundleProgress {
  @ContractField(() => String, { description: 'What is being done.', example: 'EVENTS', enum: [...BUILD_PHASES] })
  phase!: BuildPhase;

  @ContractField(() => SafeInteger, { description: 'Of it done.', example: 1000 })
  done!: number;

  @ContractField(() => SafeInteger, { description: 'Of it in all, as far as it is known.', example: 4000 })
  total!: number;
}

@ObjectType({ description: 'Why a bundle could not be built.' })
export class BundleFailureView {
  @ContractField(() => String, { description: 'Code of the failure.', example: 'BUNDLE_TOO_LARGE' })
  code!: string;

  @ContractField(() => String, { description: 'What to do about it.', example: 'Narrow the window.' })
  message!: string;

  @ContractField(() => String, { description: 'When.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;
}

@ObjectType({ description: 'An evidence bundle: asked for, and sealed when it is built.' })
export class Bundle {
  @ContractField(() => String, { description: 'Identifier of the bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'What it gathers.', example: 'MEMBER', enum: [...BUNDLE_TYPES] })
  bundle_type!: BundleType;

  @ContractField(() => BundleScopeShape, { description: 'What it gathers, as asked for.' })
  scope!: BundleScopeShape;

  @ContractField(() => String, { description: 'What it holds beside the evidence.', enum: [...BUNDLE_PROFILES] })
  profile!: BundleProfile;

  @ContractField(() => String, {
    description: 'For what it is made, in upper case; none where consent is not asked.',
    optional: true,
    example: 'CARE_COORDINATION',
  })
  purpose?: string;

  @ContractField(() => String, { description: 'Who asked.', example: 'counsel@acme.test' })
  requested_by!: string;

  @ContractField(() => String, { description: 'Where it stands.', example: 'REQUESTED', enum: [...BUNDLE_STATUSES] })
  status!: BundleStatus;

  @ContractField(() => BundleProgress, { description: 'How far the build is.' })
  progress!: BundleProgress;

  @ContractField(() => String, { description: 'SHA-256 of the sealed ZIP; set by the seal.', optional: true, ...HASH })
  worm_blob_sha256?: string;

  @ContractField(() => SafeInteger, { description: 'Bytes of the sealed ZIP.', optional: true })
  size?: number;

  @ContractField(() => Int, { description: 'Events in it.', optional: true })
  event_count?: number;

  @ContractField(() => Int, { description: 'Documents in it, those without content included.', optional: true })
  document_count?: number;

  @ContractField(() => WithheldType, {
    description: 'Events and documents that consent keeps out of it; set by the seal where there are any.',
    optional: true,
  })
  withheld?: WithheldType;

  @ContractField(() => String, { description: 'Thumbprint of the key that signed it (RFC 7638).', optional: true })
  signing_key_id?: string;

  @ContractField(() => String, {
    description: 'Equal in two bundles exactly when their content is.',
    optional: true,
    ...HASH,
  })
  content_digest?: string;

  @ContractField(() => String, { description: 'As of when it is sealed.', optional: true, format: 'date-time' })
  sealed_at?: string;

  @ContractField(() => String, { description: 'The sealed bundle that this one was made again from.', optional: true })
  regenerated_from?: string;

  @ContractField(() => BundleFailureView, { description: 'Why it failed.', optional: true })
  failure?: BundleFailureView;

  @ContractField(() => String, { description: 'When it was asked for.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that asked.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;
}

export const BundlePage = pageType('BundlePage', () => Bundle);

@ArgsType()
export class BundleFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...BUNDLE_STATUSES] })
  status?: BundleStatus;

  @ContractField(() => String, { description: 'Only of this type.', optional: true, enum: [...BUNDLE_TYPES] })
  bundle_type?: BundleType;

  @ContractField(() => String, { description: 'Only over this member.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Only over this matter.', optional: true, maxLength: 256 })
  matter_id?: string;

  @ContractField(() => String, { description: 'Only over this incident.', optional: true, maxLength: 256 })
  incident_id?: string;

  @ContractField(() => String, { description: 'Asked for at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Asked for before this time.', optional: true, format: 'date-time' })
  to?: string;
}
