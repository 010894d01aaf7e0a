import { ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';
import { BREAK_KINDS } from '../domain/verify-chain.js';

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

  @ContractField(() => String, { description: 'Originating system.' })
  source_system!: string;

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
