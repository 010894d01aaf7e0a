import { ArgsType, Int, ObjectType } from 'type-graphql';
import type { FactKind } from '../../../shared/facts/fact.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { EXAMPLE_BUNDLE } from '../bundles/schema/index.js';
import { LINK_STATUSES, type LinkAction, type LinkStatus } from './domain/index.js';

/** A month: sessions, which name the roles of a person's sign-in, stay as long. */
const MAX_HOURS = 720;
const DEFAULT_DOWNLOADS = 100;
/** Each download is a line of the link's history, which is part of the record. */
const MAX_DOWNLOADS = 1_000;

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const LINE = { minLength: 1, maxLength: 200, pattern: '\\S' };

/** The members that callers give to a link. */
export abstract class BundleLinkMembers {
  @Member(() => String, { description: 'Party that receives the link.', example: 'Roe & Partners LLP', ...LINE })
  recipient!: string;

  @Member(() => String, { description: 'Purpose of the disclosure.', example: 'Discovery in No. 24-cv-0001', ...LINE })
  purpose!: string;

  @Member(() => Int, {
    description: 'Number of answers with bytes; an answer to a Range counts too.',
    example: DEFAULT_DOWNLOADS,
    minimum: 1,
    maximum: MAX_DOWNLOADS,
  })
  max_downloads!: number;
}

@RecordInput({ description: 'A new link to a sealed bundle.' })
export class BundleLinkInput extends inputOf(BundleLinkMembers, { max_downloads: DEFAULT_DOWNLOADS }) {
  @ContractField(() => Int, {
    description: 'Hours until the link ends.',
    example: 72,
    minimum: 1,
    maximum: MAX_HOURS,
  })
  expires_in_hours!: number;
}

@RecordType({ description: 'A step of a link.' })
class BundleLinkStep extends stepOf<LinkStatus, LinkAction>(LINK_STATUSES, 'create') {}

@RecordType({ description: 'A link that opens one sealed bundle for a party without a key, without its token.' })
export class BundleLink extends outputOf(BundleLinkMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'bln_01JQ0000000000000000000001' })
  link_id!: string;

  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'Current status.', example: 'ACTIVE', enum: [...LINK_STATUSES] })
  status!: LinkStatus;

  @ContractField(() => String, { description: 'Time from which the link opens nothing.', ...TIME })
  expires_at!: string;

  @ContractField(() => Boolean, { description: 'Whether that time has passed.', example: false })
  expired!: boolean;

  @ContractField(() => Int, { description: 'Number of answers with bytes so far.', example: 1 })
  downloads!: number;

  @ContractField(() => String, { description: 'Time of the last one, or null.', nullable: true, ...TIME })
  last_download_at!: string | null;

  @ContractField(() => [BundleLinkStep], { description: 'Steps, oldest first.' })
  history!: BundleLinkStep[];
}

@ObjectType({ description: 'A new link with its token.' })
export class CreatedBundleLink extends BundleLink {
  @ContractField(() => String, { description: 'The token; returned once, the service stores only its hash.' })
  token!: string;

  @ContractField(() => String, {
    description: 'Path of the download on this host, with the token.',
    example: '/v1/shared-bundles/ebl_01JQ0000000000000000000001_kP2vW6c7JtX1uQ0sR9yZ3aB5dE8fG4hM6nL0oIiUxTw',
  })
  url!: string;
}

/** Check of stored links. */
export const LINK_ROW = rowCheckOf(BundleLink, {
  own: { token_sha256: 'text', grantor: 'json' },
  omitted: ['expired'],
});

/** Everything in the row: an edited hash, time or count would open the bundle to others, or for longer. */
export const LINK_FACTS = {
  kind: 'bundle-link',
  evidential: [
    'status',
    'revision',
    'bundle_id',
    'recipient',
    'purpose',
    'max_downloads',
    'expires_at',
    'downloads',
    'last_download_at',
    'token_sha256',
    'grantor',
    'created_at',
    'created_by',
  ],
} as const satisfies { readonly kind: FactKind; readonly evidential: readonly string[] };

export const BundleLinkPage = pageType('BundleLinkPage', () => BundleLink);

@ArgsType()
export class BundleLinkFilter extends WindowArgs {
  @ContractField(() => String, {
    description: 'Only links of this status.',
    optional: true,
    enum: [...LINK_STATUSES],
  })
  status?: LinkStatus;
}
