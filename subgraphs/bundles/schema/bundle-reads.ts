import { Int, ObjectType } from 'type-graphql';
import { BUNDLE_TYPES, type BundleType } from '../../../shared/evidence/bundle/manifest.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { EXAMPLE_BUNDLE } from './bundle.js';

const HASH = { example: 'a3'.repeat(32), pattern: '^[0-9a-f]{64}$' };

@ObjectType({ description: 'Where the sealed ZIP of a bundle is.' })
export class BundleArchive {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'What it gathers.', enum: [...BUNDLE_TYPES] })
  bundle_type!: BundleType;

  @ContractField(() => String, { description: 'SHA-256 of the ZIP.', ...HASH })
  worm_blob_sha256!: string;

  @ContractField(() => SafeInteger, { description: 'Bytes of the ZIP.' })
  size!: number;

  @ContractField(() => [String], { description: 'Members whose record it is.' })
  member_ids!: string[];
}

@ObjectType({ description: 'An event that is in both bundles, and not as the same.' })
export class ChangedEvent {
  @ContractField(() => String, { description: 'The event.' })
  event_id!: string;

  @ContractField(() => String, { description: 'Its state in the other bundle.', example: 'INCLUDED' })
  from!: string;

  @ContractField(() => String, { description: 'Its state in this one.', example: 'REDACTED' })
  to!: string;
}

@ObjectType({ description: 'Events in one of two bundles, or changed between them.' })
export class EventsDiff {
  @ContractField(() => [String], { description: 'In this bundle alone.' })
  added!: string[];

  @ContractField(() => [String], { description: 'In the other alone.' })
  removed!: string[];

  @ContractField(() => [ChangedEvent], { description: 'In both, in another form.' })
  changed!: ChangedEvent[];
}

@ObjectType({ description: 'A document that is in both bundles, and not as the same.' })
export class ChangedDocument {
  @ContractField(() => String, { description: 'The document.' })
  document_id!: string;

  @ContractField(() => String, { description: 'Its state in the other bundle.', example: 'INCLUDED' })
  from!: string;

  @ContractField(() => String, { description: 'Its state in this one.', example: 'QUARANTINED' })
  to!: string;
}

@ObjectType({ description: 'Documents in one of two bundles, or changed between them.' })
export class DocumentsDiff {
  @ContractField(() => [String], { description: 'In this bundle alone.' })
  added!: string[];

  @ContractField(() => [String], { description: 'In the other alone.' })
  removed!: string[];

  @ContractField(() => [ChangedDocument], { description: 'In both, in another form.' })
  changed!: ChangedDocument[];
}

@ObjectType({ description: 'The tree that a bundle was sealed under.' })
export class DiffHead {
  @ContractField(() => SafeInteger, { description: 'Entries in the tree.' })
  tree_size!: number;

  @ContractField(() => String, { description: 'Its root.', ...HASH })
  root_hash!: string;
}

@ObjectType({ description: 'How far the ledger went between two bundles.' })
export class ChainHeadDiff {
  @ContractField(() => DiffHead, { description: 'Of the other bundle.' })
  from!: DiffHead;

  @ContractField(() => DiffHead, { description: 'Of this one.' })
  to!: DiffHead;
}

@ObjectType({ description: 'What differs between two bundles over the same scope.' })
export class BundleDiff {
  @ContractField(() => String, { description: 'This bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, { description: 'The other, that it is held against.' })
  against!: string;

  @ContractField(() => Boolean, { description: 'Whether their content is the same.' })
  same_content!: boolean;

  @ContractField(() => EventsDiff, { description: 'Events, in order of the ledger.' })
  events!: EventsDiff;

  @ContractField(() => DocumentsDiff, { description: 'Documents, by their ids.' })
  documents!: DocumentsDiff;

  @ContractField(() => ChainHeadDiff, { description: 'The trees that they were sealed under.' })
  chain_head!: ChainHeadDiff;
}

@ObjectType({ description: 'One thing that was looked at.' })
export class SignatureCheck {
  @ContractField(() => String, { description: 'What.', example: 'signature' })
  name!: string;

  @ContractField(() => Boolean, { description: 'Whether it holds.' })
  ok!: boolean;

  @ContractField(() => String, { description: 'What was found.' })
  detail!: string;
}

@ObjectType({ description: 'What the stored copy of a bundle is found to be.' })
export class BundleVerification {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => Boolean, { description: 'Whether everything that was looked at holds.' })
  valid!: boolean;

  @ContractField(() => String, {
    description: "The verifier's own word: VALID, VALID_WITH_NOTES, INTEGRITY_ONLY or INVALID.",
    example: 'VALID',
  })
  verdict!: string;

  @ContractField(() => [SignatureCheck], { description: 'Every thing that was looked at.' })
  checks!: SignatureCheck[];

  @ContractField(() => Int, { description: 'How many breaks were found.', minimum: 0 })
  breaks!: number;

  @ContractField(() => String, { description: 'Thumbprint of the key that signed.' })
  signing_key_id!: string;

  @ContractField(() => String, { description: 'SHA-256 of the ZIP.', ...HASH })
  worm_blob_sha256!: string;
}
