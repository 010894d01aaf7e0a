import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { BREAK_KINDS } from '../domain/verify-chain.js';
import { VERIFY_DEPTHS } from '../domain/verify-depths.js';

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

  @ContractField(() => SafeInteger, { description: 'First sequence looked at.', example: 1 })
  from_sequence!: number;

  @ContractField(() => SafeInteger, { description: 'Last sequence looked at.', example: 42 })
  to_sequence!: number;

  @ContractField(() => SafeInteger, { description: 'Entries looked at.', example: 42 })
  checked!: number;

  @ContractField(() => String, {
    description: 'Hash of the last entry looked at; null when there is none.',
    nullable: true,
  })
  head_hash!: string | null;
}

@ObjectType({ description: 'One thing that does not hold.' })
export class LedgerBreak {
  @ContractField(() => String, { description: 'What does not hold.', enum: BREAK_KINDS, example: 'RECORD_MISMATCH' })
  kind!: string;

  @ContractField(() => String, {
    description: 'Originating system; null for what concerns the tree, a checkpoint or a segment.',
    nullable: true,
  })
  source_system!: string | null;

  @ContractField(() => SafeInteger, { description: 'Place in the chain.', nullable: true })
  sequence!: number | null;

  @ContractField(() => String, { description: 'The event; null where there is none to name.', nullable: true })
  event_id!: string | null;

  @ContractField(() => String, { description: 'What was compared, in a sentence.' })
  detail!: string;
}

@ObjectType({ description: 'Something that this verification does not cover.' })
export class NotChecked {
  @ContractField(() => String, { description: 'What was not looked at.' })
  what!: string;

  @ContractField(() => String, { description: 'Why not.' })
  why!: string;
}

@ObjectType({ description: 'The outcome of verifying a ledger against itself and its write-once copies.' })
export class LedgerVerification {
  @ContractField(() => Boolean, { description: 'True when nothing that was checked is broken.' })
  valid!: boolean;

  @ContractField(() => SafeInteger, { description: 'Entries looked at.', example: 42 })
  checked!: number;

  @ContractField(() => [VerifiedPartition], { description: 'Chains looked at.' })
  partitions!: readonly VerifiedPartition[];

  @ContractField(() => [LedgerBreak], { description: 'Every break found.' })
  breaks!: readonly LedgerBreak[];

  @ContractField(() => [NotChecked], { description: 'What this verification does not cover.' })
  not_checked!: readonly NotChecked[];
}

@ObjectType({ description: 'A part of a verification: what it found, and where the next one begins.' })
export class LedgerVerificationPart {
  @ContractField(() => String, {
    description: 'What was looked at.',
    enum: ['CHAINS', 'TREE', 'SEGMENTS'],
    example: 'CHAINS',
  })
  phase!: string;

  @ContractField(() => SafeInteger, { description: 'Entries looked at since the beginning.', example: 42 })
  checked!: number;

  @ContractField(() => [VerifiedPartition], { description: 'Chains whose end this part came to.' })
  partitions!: readonly VerifiedPartition[];

  @ContractField(() => [LedgerBreak], { description: 'What this part found.' })
  breaks!: readonly LedgerBreak[];

  @ContractField(() => [NotChecked], { description: 'What the whole does not cover; told at the end.' })
  not_checked!: readonly NotChecked[];

  @ContractField(() => String, { description: 'To be given to the next part; null at the end.', nullable: true })
  next_state!: string | null;
}

@ArgsType()
export class LedgerVerificationInput {
  @ContractField(() => String, { description: 'Only this chain.', optional: true })
  source_system?: string;

  @ContractField(() => SafeInteger, { description: 'First sequence to look at.', optional: true, minimum: 1 })
  from_sequence?: number;

  @ContractField(() => SafeInteger, { description: 'Last sequence to look at.', optional: true, minimum: 1 })
  to_sequence?: number;

  @ContractField(() => String, {
    description: 'full, unless told; headers: places, links, hashes and leaves, without records and their copies.',
    optional: true,
    enum: VERIFY_DEPTHS,
    example: 'full',
  })
  depth?: (typeof VERIFY_DEPTHS)[number];

  @ContractField(() => SafeInteger, {
    description: 'Size of a checkpoint kept outside the service: the tree must still begin with it. With known_root.',
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
  @ContractField(() => String, { description: 'next_state of the part before; none to begin.', optional: true })
  state?: string;
}
