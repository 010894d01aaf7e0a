import { ArgsType, ObjectType } from 'type-graphql';
import { ANCHOR_KINDS, LEDGER_VERDICTS } from '../../../shared/contracts/ledger-verification.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { BREAK_KINDS, VERIFY_DEPTHS } from './domain/verify-chain.js';

@ObjectType({ description: 'A hash chain and its head.' })
export class LedgerPartition {
  @ContractField(() => String, { description: 'Originating system.', example: 'um-core' })
  source_system!: string;

  @ContractField(() => SafeInteger, { description: 'Sequence of the last entry.', example: 42 })
  sequence!: number;

  @ContractField(() => String, { description: 'Hash of the last entry.' })
  entry_hash!: string;

  @ContractField(() => String, { description: 'The last event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'When the last entry was recorded.', format: 'date-time' })
  recorded_at!: string;
}

export const PartitionList = pageType('PartitionList', () => LedgerPartition);

@ObjectType({ description: 'The part of a chain that was verified.' })
export class VerifiedPartition {
  @ContractField(() => String, { description: 'Originating system.', example: 'um-core' })
  source_system!: string;

  @ContractField(() => SafeInteger, { description: 'First sequence verified.', example: 1 })
  from_sequence!: number;

  @ContractField(() => SafeInteger, { description: 'Last sequence verified.', example: 42 })
  to_sequence!: number;

  @ContractField(() => SafeInteger, { description: 'Number of entries verified.', example: 42 })
  checked!: number;

  @ContractField(() => String, {
    description: 'Hash of the last entry verified; null if there is none.',
    nullable: true,
  })
  head_hash!: string | null;
}

@ObjectType({ description: 'One fault that the verification found.' })
export class LedgerBreak {
  @ContractField(() => String, { description: 'Kind of fault.', enum: BREAK_KINDS, example: 'RECORD_MISMATCH' })
  kind!: (typeof BREAK_KINDS)[number];

  @ContractField(() => String, {
    description: 'Originating system; null for a fault of the tree, a checkpoint or a segment.',
    nullable: true,
  })
  source_system!: string | null;

  @ContractField(() => SafeInteger, { description: 'Place in the chain.', nullable: true })
  sequence!: number | null;

  @ContractField(() => String, { description: 'The event; null if there is none to name.', nullable: true })
  event_id!: string | null;

  @ContractField(() => String, { description: 'Explanation of the comparison.' })
  detail!: string;

  @ContractField(() => String, {
    description: 'Collection of the damaged row, for a fault of a stored row.',
    optional: true,
    example: 'legal_holds',
  })
  collection?: string;

  @ContractField(() => String, {
    description: 'Key of the damaged row; for a record its kind and identifier.',
    optional: true,
    example: 'hold/hld_01JQ0000000000000000000001',
  })
  key?: string;

  @ContractField(() => String, { description: 'Field that is wrong; several are separated by commas.', optional: true })
  field?: string;
}

@ObjectType({ description: 'A part that this verification does not cover.' })
class NotChecked {
  @ContractField(() => String, { description: 'The part that was not verified.' })
  what!: string;

  @ContractField(() => String, { description: 'Why not.' })
  why!: string;
}

@ObjectType({ description: 'Result of verifying a ledger against itself and its write-once copies.' })
export class LedgerVerification {
  @ContractField(() => Boolean, { description: 'True if no fault was found.' })
  valid!: boolean;

  @ContractField(() => SafeInteger, { description: 'Number of entries verified.', example: 42 })
  checked!: number;

  @ContractField(() => [VerifiedPartition], { description: 'Number of chains verified.' })
  partitions!: readonly VerifiedPartition[];

  @ContractField(() => [LedgerBreak], { description: 'Every break found.' })
  breaks!: readonly LedgerBreak[];

  @ContractField(() => [NotChecked], { description: 'Parts that this verification does not cover.' })
  not_checked!: readonly NotChecked[];
}

@ObjectType({ description: 'A note that holds the ledger to its history.' })
class LedgerAnchorShown {
  @ContractField(() => String, {
    description: 'CALLER, WITNESS and TIME_STAMP are outside of this machine; SIGNER and FOLDER are on it.',
    enum: [...ANCHOR_KINDS],
    example: 'WITNESS',
  })
  kind!: string;

  @ContractField(() => String, {
    description: 'Name of the witness or authority; null for other kinds.',
    nullable: true,
  })
  name!: string | null;

  @ContractField(() => SafeInteger, { description: 'Size of the tree under the note.', example: 42 })
  tree_size!: number;

  @ContractField(() => String, {
    description: "Time of the note or the stamp; of the request for the caller's own.",
    format: 'date-time',
  })
  at!: string;
}

@ObjectType({ description: 'Leaves that no anchor outside of this machine covers.' })
class Unanchored {
  @ContractField(() => SafeInteger, { description: 'They begin at this size of the tree.', example: 42 })
  since_size!: number;

  @ContractField(() => String, {
    description: 'Time of the newest anchor outside; null without one.',
    nullable: true,
    format: 'date-time',
  })
  since!: string | null;
}

@ObjectType({ description: 'Result of verifying a ledger, with the notes that hold it to its history.' })
export class AnchoredVerification extends LedgerVerification {
  @ContractField(() => String, {
    description:
      'VALID: no fault, and a note outside of this machine agrees. VALID_UNANCHORED: no fault, and only notes on this machine agree; also for a part of the ledger. INVALID: a fault, or CHECKPOINT_REGRESS is open.',
    enum: LEDGER_VERDICTS,
    example: 'VALID',
  })
  verdict!: string;

  @ContractField(() => [LedgerAnchorShown], { description: 'Notes that agree with the ledger.' })
  anchors!: readonly LedgerAnchorShown[];

  @ContractField(() => Unanchored, { description: 'Leaves that no note outside of this machine covers.' })
  unanchored!: Unanchored;
}

@ObjectType({ description: 'What the last part of a verification found of anchors.' })
class LedgerAnchoringShown {
  @ContractField(() => Boolean, { description: 'True if a note outside of this machine agrees.' })
  is_anchored!: boolean;

  @ContractField(() => [LedgerAnchorShown], { description: 'Notes that agree with the ledger.' })
  anchors!: readonly LedgerAnchorShown[];

  @ContractField(() => Unanchored, { description: 'Leaves that no note outside of this machine covers.' })
  unanchored!: Unanchored;
}

@ObjectType({ description: 'A part of a verification: its findings, and the state for the next part.' })
export class LedgerVerificationPart {
  @ContractField(() => String, {
    description: 'The part that was verified.',
    enum: ['CHAINS', 'TREE', 'MAP', 'SEGMENTS', 'RECORDS'],
    example: 'CHAINS',
  })
  phase!: string;

  @ContractField(() => SafeInteger, { description: 'Number of entries verified since the start.', example: 42 })
  checked!: number;

  @ContractField(() => [VerifiedPartition], { description: 'Chains that end in this part.' })
  partitions!: readonly VerifiedPartition[];

  @ContractField(() => [LedgerBreak], { description: 'Findings of this part.' })
  breaks!: readonly LedgerBreak[];

  @ContractField(() => [NotChecked], {
    description: 'Parts that the whole verification does not cover; set in the last part.',
  })
  not_checked!: readonly NotChecked[];

  @ContractField(() => LedgerAnchoringShown, {
    description: 'Of the last part of a verification of the whole ledger; null before it.',
    nullable: true,
  })
  anchoring!: LedgerAnchoringShown | null;

  @ContractField(() => String, { description: 'State to pass to the next part; null at the end.', nullable: true })
  next_state!: string | null;
}

@ArgsType()
export class LedgerVerificationInput {
  @ContractField(() => String, { description: 'Only this chain.', optional: true })
  source_system?: string;

  @ContractField(() => SafeInteger, { description: 'First sequence to verify.', optional: true, minimum: 1 })
  from_sequence?: number;

  @ContractField(() => SafeInteger, { description: 'Last sequence to verify.', optional: true, minimum: 1 })
  to_sequence?: number;

  @ContractField(() => String, {
    description: 'full (default), or headers: places, links, hashes and leaves, without records and their copies.',
    optional: true,
    enum: VERIFY_DEPTHS,
    example: 'full',
  })
  depth?: (typeof VERIFY_DEPTHS)[number];

  @ContractField(() => SafeInteger, {
    description:
      'Size of a checkpoint kept outside the service: the tree must still begin with it. Requires known_root.',
    optional: true,
    minimum: 1,
  })
  known_size?: number;

  @ContractField(() => String, {
    description: 'Its root, in lower-case hex.',
    optional: true,
    pattern: '^[0-9a-f]{64}$',
  })
  known_root?: string;
}

@ArgsType()
export class LedgerVerificationPartInput extends LedgerVerificationInput {
  @ContractField(() => String, { description: 'next_state of the previous part; omit it to start.', optional: true })
  state?: string;
}
