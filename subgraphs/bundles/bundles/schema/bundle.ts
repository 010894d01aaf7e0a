import { ArgsType, Directive, InputType, Int, ObjectType } from 'type-graphql';
import type { BundleProfile } from '../../../../shared/evidence/bundle/entries.js';
import { BUNDLE_PROFILES } from '../../../../shared/evidence/bundle/entries.js';
import { BUNDLE_TYPES, type BundleType } from '../../../../shared/evidence/bundle/manifest.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { EXTRA, EXTRA_INPUT, EXTRA_ROW } from '../../../../shared/graph/extra.js';
import { PageArgs, pageType } from '../../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../../shared/graph/withheld-page.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { rowCheckOf } from '../../../../shared/records/row-check.js';
import { BUILD_PHASES, BUNDLE_STATUSES, type BuildPhase, type BundleStatus } from '../domain/states.js';

export const EXAMPLE_BUNDLE = 'bdl_01JQ0000000000000000000001';
const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const HASH = { example: 'a3'.repeat(32), pattern: '^[0-9a-f]{64}$' };
const REFERENCE = { minLength: 1, maxLength: 256 };

@InputType('BundleScopeInput', { description: 'Scope of a bundle: exactly one of the three ids.' })
@ObjectType('BundleScope', { description: 'Scope of a bundle.' })
class BundleScopeShape {
  @ContractField(() => String, {
    description: 'Tenant of the bundle; must be the tenant of the request.',
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
      'A legal matter: its linked records, the records of its members, and events with this `payload.matter_id`.',
    optional: true,
    ...REFERENCE,
  })
  matter_id?: string;

  @ContractField(() => String, {
    description: 'An incident: events with this `payload.incident_id`.',
    optional: true,
    example: 'INC-2026-014',
    ...REFERENCE,
  })
  incident_id?: string;

  @ContractField(() => String, { description: 'Effective at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Effective before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@InputType({ description: 'A request for a bundle.' })
export class BundleRequest {
  @ContractField(() => BundleScopeShape, { description: 'Scope.' })
  scope!: BundleScopeShape;

  @ContractField(() => String, {
    description: 'Must match the id in the scope; derived from it by default.',
    example: 'MEMBER',
    optional: true,
    enum: [...BUNDLE_TYPES],
  })
  bundle_type?: BundleType;

  @ContractField(() => String, {
    description: 'Requester; the actor or the name of the key by default.',
    example: 'counsel@acme.test',
    optional: true,
    ...REFERENCE,
  })
  requested_by?: string;

  @ContractField(() => String, {
    description:
      '`minimal` leaves out proofs, certificate and verifiers; rejected if an event is redacted or disposed of. Default: `full`.',
    optional: true,
    enum: [...BUNDLE_PROFILES],
  })
  profile?: BundleProfile;

  @ContractField(() => String, {
    ...PURPOSE_OPTIONS,
    description:
      'Purpose. The build checks consent, leaves withheld records out and counts them. Without a purpose the bundle contains every record.',
  })
  purpose?: string;
}

@ArgsType()
export class RegenerateArgs {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@ObjectType({ description: 'Progress of a build.' })
class BundleProgress {
  @ContractField(() => String, { description: 'Current phase.', example: 'EVENTS', enum: [...BUILD_PHASES] })
  phase!: BuildPhase;

  @ContractField(() => SafeInteger, { description: 'Finished part of the phase.', example: 1000 })
  done!: number;

  @ContractField(() => SafeInteger, { description: 'Total of the phase, as far as it is known.', example: 4000 })
  total!: number;
}

@ObjectType({ description: 'Reason for a failed build.' })
class BundleFailureView {
  @ContractField(() => String, { description: 'Failure code.', example: 'BUNDLE_TOO_LARGE' })
  code!: string;

  @ContractField(() => String, { description: 'Explanation and remedy.', example: 'Narrow the window.' })
  message!: string;

  @ContractField(() => String, { description: 'Time of the failure.', example: EXAMPLE_TIME, format: 'date-time' })
  at!: string;
}

/** The ledger adds the custody of a bundle. */
@Directive('@key(fields: "bundle_id")')
@ObjectType({ description: 'An evidence bundle: requested, then built and sealed.' })
export class Bundle {
  @ContractField(() => String, { description: 'Identifier of the bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'Tenant of the bundle.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Scope.', example: 'MEMBER', enum: [...BUNDLE_TYPES] })
  bundle_type!: BundleType;

  @ContractField(() => BundleScopeShape, { description: 'Requested scope.' })
  scope!: BundleScopeShape;

  @ContractField(() => String, { description: 'Extent of the proofs.', enum: [...BUNDLE_PROFILES] })
  profile!: BundleProfile;

  @ContractField(() => String, {
    description: 'Purpose in upper case; absent if consent was not checked.',
    optional: true,
    example: 'CARE_COORDINATION',
  })
  purpose?: string;

  @ContractField(() => String, { description: 'Requester.', example: 'counsel@acme.test' })
  requested_by!: string;

  @ContractField(() => String, { description: 'Current status.', example: 'REQUESTED', enum: [...BUNDLE_STATUSES] })
  status!: BundleStatus;

  @ContractField(() => BundleProgress, { description: 'Progress of the build.' })
  progress!: BundleProgress;

  @ContractField(() => String, { description: 'SHA-256 of the sealed ZIP, once sealed.', optional: true, ...HASH })
  worm_blob_sha256?: string;

  @ContractField(() => SafeInteger, { description: 'Size of the sealed ZIP in bytes.', optional: true })
  size?: number;

  @ContractField(() => Int, { description: 'Number of events.', optional: true })
  event_count?: number;

  @ContractField(() => Int, { description: 'Number of documents, those without content included.', optional: true })
  document_count?: number;

  @ContractField(() => WithheldType, {
    description: 'Events and documents that consent withholds, if any; set by the seal.',
    optional: true,
  })
  withheld?: WithheldType;

  @ContractField(() => String, {
    description: 'Thumbprint of the signing key (RFC 7638).',
    optional: true,
    example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  })
  signing_key_id?: string;

  @ContractField(() => String, {
    description: 'Digest of the content: equal for two bundles exactly if their contents are equal.',
    optional: true,
    ...HASH,
  })
  content_digest?: string;

  @ContractField(() => String, { description: 'Time of the seal.', optional: true, format: 'date-time' })
  sealed_at?: string;

  @ContractField(() => String, { description: 'The sealed bundle that this one rebuilds.', optional: true })
  regenerated_from?: string;

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;

  @ContractField(() => BundleFailureView, { description: 'Reason for the failure.', optional: true })
  failure?: BundleFailureView;

  @ContractField(() => String, { description: 'Time of the request.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;

  @ContractField(() => String, { description: 'Key of the request.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;
}

export const BUNDLE_ROW = rowCheckOf(Bundle, {
  optional: EXTRA_ROW.optional,
  own: {
    ...EXTRA_ROW.own,
    scope: 'json',
    consent: 'json',
    frozen: 'json',
    sealing: 'json',
    seal: 'json',
    failure: 'json',
    regenerated_from: 'text?',
    revision: 'number',
    updated_at: 'time',
    history: 'json',
  },
  omitted: [
    'purpose',
    'worm_blob_sha256',
    'size',
    'event_count',
    'document_count',
    'withheld',
    'signing_key_id',
    'content_digest',
    'sealed_at',
  ],
});

export const BundlePage = pageType('BundlePage', () => Bundle);

@ArgsType()
export class BundleFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only bundles with this status.',
    optional: true,
    enum: [...BUNDLE_STATUSES],
  })
  status?: BundleStatus;

  @ContractField(() => String, { description: 'Only bundles of this type.', optional: true, enum: [...BUNDLE_TYPES] })
  bundle_type?: BundleType;

  @ContractField(() => String, { description: 'Only bundles over this member.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Only bundles over this matter.', optional: true, maxLength: 256 })
  matter_id?: string;

  @ContractField(() => String, { description: 'Only bundles over this incident.', optional: true, maxLength: 256 })
  incident_id?: string;

  @ContractField(() => String, { description: 'Requested at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Requested before this time.', optional: true, format: 'date-time' })
  to?: string;
}
