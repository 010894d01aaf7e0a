import { Int, ObjectType } from 'type-graphql';
import { BUNDLE_TYPES, type BundleType } from '../../../../shared/evidence/bundle/manifest.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../../shared/graph/scalars.js';
import { EXAMPLE_BUNDLE } from './bundle.js';

const HASH = { example: 'a3'.repeat(32), pattern: '^[0-9a-f]{64}$' };

@ObjectType({ description: 'Location of the sealed ZIP of a bundle.' })
export class BundleArchive {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'Kind of scope.', enum: [...BUNDLE_TYPES] })
  bundle_type!: BundleType;

  @ContractField(() => String, { description: 'SHA-256 of the ZIP.', ...HASH })
  worm_blob_sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Size of the ZIP in bytes.' })
  size!: number;

  @ContractField(() => [String], { description: 'Members with records in the bundle.' })
  member_ids!: string[];
}

@ObjectType()
abstract class ChangedItem {
  @ContractField(() => String, { description: 'State in the other bundle.', example: 'INCLUDED' })
  from!: string;

  @ContractField(() => String, { description: 'State in this bundle.', example: 'REDACTED' })
  to!: string;
}

@ObjectType()
abstract class ItemsDiff {
  @ContractField(() => [String], { description: 'Only in this bundle.' })
  added!: string[];

  @ContractField(() => [String], { description: 'Only in the other bundle.' })
  removed!: string[];
}

@ObjectType({ description: 'An event that differs between the two bundles.' })
class ChangedEvent extends ChangedItem {
  @ContractField(() => String, { description: 'The event.' })
  event_id!: string;
}

@ObjectType({ description: 'Events that differ between two bundles.' })
class EventsDiff extends ItemsDiff {
  @ContractField(() => [ChangedEvent], { description: 'In both, with different state or content.' })
  changed!: ChangedEvent[];
}

@ObjectType({ description: 'A document that differs between the two bundles.' })
class ChangedDocument extends ChangedItem {
  @ContractField(() => String, { description: 'The document.' })
  document_id!: string;
}

@ObjectType({ description: 'Documents that differ between two bundles.' })
class DocumentsDiff extends ItemsDiff {
  @ContractField(() => [ChangedDocument], { description: 'In both, with different state or content.' })
  changed!: ChangedDocument[];
}

@ObjectType({ description: 'The Merkle tree under which a bundle was sealed.' })
class DiffHead {
  @ContractField(() => SafeInteger, { description: 'Number of entries.' })
  tree_size!: number;

  @ContractField(() => String, { description: 'Root hash.', ...HASH })
  root_hash!: string;
}

@ObjectType({ description: 'Ledger trees of the two bundles.' })
class ChainHeadDiff {
  @ContractField(() => DiffHead, { description: 'Tree of the other bundle.' })
  from!: DiffHead;

  @ContractField(() => DiffHead, { description: 'Tree of this bundle.' })
  to!: DiffHead;
}

@ObjectType({ description: 'Differences between two bundles over the same scope.' })
export class BundleDiff {
  @ContractField(() => String, { description: 'This bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'The other bundle.' })
  against!: string;

  @ContractField(() => Boolean, { description: 'Whether their contents are equal.' })
  same_content!: boolean;

  @ContractField(() => EventsDiff, { description: 'Events, in ledger order.' })
  events!: EventsDiff;

  @ContractField(() => DocumentsDiff, { description: 'Documents, by id.' })
  documents!: DocumentsDiff;

  @ContractField(() => ChainHeadDiff, { description: 'Trees under which they were sealed.' })
  chain_head!: ChainHeadDiff;
}

@ObjectType({ description: 'One check.' })
class SignatureCheck {
  @ContractField(() => String, { description: 'Name of the check.', example: 'signature' })
  name!: string;

  @ContractField(() => Boolean, { description: 'Whether it passed.' })
  ok!: boolean;

  @ContractField(() => String, { description: 'Result in words.' })
  detail!: string;
}

@ObjectType({ description: 'Verification of the stored copy of a bundle.' })
export class BundleVerification {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => Boolean, { description: 'Whether every check passed.' })
  valid!: boolean;

  @ContractField(() => String, {
    description: 'Verdict of the verifier: VALID, VALID_WITH_NOTES, INTEGRITY_ONLY or INVALID.',
    example: 'VALID',
  })
  verdict!: string;

  @ContractField(() => [SignatureCheck], { description: 'All checks.' })
  checks!: SignatureCheck[];

  @ContractField(() => Int, { description: 'Number of integrity breaks.', minimum: 0 })
  breaks!: number;

  @ContractField(() => String, {
    description: 'Thumbprint of the signing key.',
    example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  })
  signing_key_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the ZIP.', ...HASH })
  worm_blob_sha256!: string;
}
