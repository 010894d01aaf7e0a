import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { SafeInteger } from '../../../shared/graph/scalars.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:20.004Z' } as const;
const HASH = { example: 'a3'.repeat(32) } as const;
const ORIGIN = 'eas.localhost/eas/log_01JQ0000000000000000000001/inc-1';
const ROOT_BASE64 = Buffer.alloc(32, 0xa3).toString('base64');

@ObjectType({ description: "A signed checkpoint: size and root of the tenant's tree, for anyone to verify." })
export class Checkpoint {
  @ContractField(() => String, { description: 'The checkpoint.', example: 'chk_01JQ0000000000000000000001' })
  checkpoint_id!: string;

  @ContractField(() => String, { description: "First line of the note: the log's name.", example: ORIGIN })
  origin!: string;

  @ContractField(() => Int, {
    description: 'Incarnation of the tree; a declared regress starts the next one.',
    example: 1,
  })
  incarnation!: number;

  @ContractField(() => SafeInteger, { description: 'Number of entries that it covers.', example: 128 })
  tree_size!: number;

  @ContractField(() => String, { description: 'Root of the tree (RFC 6962), hexadecimal.', ...HASH })
  root_hash!: string;

  @ContractField(() => String, { description: 'Key that signed: see /v1/signing-keys.' })
  key_id!: string;

  @ContractField(() => String, {
    description: 'The same key in the form that tools for signed notes use: name, id, type and key.',
  })
  verifier_key!: string;

  @ContractField(() => [String], { description: 'Witnesses that cosigned it.', example: ['witness.example/w1'] })
  witnesses!: readonly string[];

  @ContractField(() => String, { description: 'When it was published.', ...TIME })
  published_at!: string;

  @ContractField(() => String, {
    description: 'The signed note (C2SP tlog-checkpoint); alone under Accept: text/plain.',
    example: `${ORIGIN}\n128\n${ROOT_BASE64}\n\n\u2014 ${ORIGIN} …\n`,
  })
  note!: string;
}

export const CheckpointPage = pageType('CheckpointPage', () => Checkpoint);

@ArgsType()
export class CheckpointFilter extends PageArgs {
  @ContractField(() => String, { description: 'Published at or after.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Published before.', optional: true, ...TIME })
  to?: string;
}

@ObjectType({ description: "Proof that the tenant's tree contains an event, up to the latest signed checkpoint." })
export class EventProof {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => String, { description: 'Originating system.', example: 'um-core' })
  source_system!: string;

  @ContractField(() => SafeInteger, { description: 'Place in its chain.', example: 1 })
  sequence!: number;

  @ContractField(() => String, { description: "The tree's entry: the hash of the link in its chain.", ...HASH })
  entry_hash!: string;

  @ContractField(() => SafeInteger, { description: 'Place in the tree, from 0.', example: 0 })
  tree_index!: number;

  @ContractField(() => [String], { description: "Hashes from the leaf's sibling up, hexadecimal." })
  hashes!: readonly string[];

  @ContractField(() => Checkpoint, { description: 'The checkpoint that the hashes lead to.' })
  checkpoint!: Checkpoint;

  @ContractField(() => String, {
    description: 'The whole proof in one text (C2SP tlog-proof); alone under text/plain.',
  })
  tlog_proof!: string;
}

@ObjectType({ description: 'Proof that the tree of the second size begins with the tree of the first (RFC 6962).' })
export class ConsistencyProof {
  @ContractField(() => SafeInteger, { description: 'The earlier size.', example: 100 })
  first!: number;

  @ContractField(() => SafeInteger, { description: 'The later size.', example: 128 })
  second!: number;

  @ContractField(() => String, { description: 'Root at the first size, hexadecimal.', ...HASH })
  first_root_hash!: string;

  @ContractField(() => String, { description: 'Root at the second size, hexadecimal.', ...HASH })
  second_root_hash!: string;

  @ContractField(() => [String], { description: 'Hashes of the proof, hexadecimal; in base64 lines under text/plain.' })
  hashes!: readonly string[];

  @ContractField(() => Checkpoint, {
    description: 'Checkpoint published at the first size; null if there is none.',
    nullable: true,
  })
  first_checkpoint!: Checkpoint | null;

  @ContractField(() => Checkpoint, {
    description: 'Checkpoint published at the second size; null if there is none.',
    nullable: true,
  })
  second_checkpoint!: Checkpoint | null;
}

@ArgsType()
export class ConsistencyArgs {
  @ContractField(() => SafeInteger, {
    description: 'The earlier size; 0 by default, which every tree extends.',
    optional: true,
    minimum: 0,
  })
  first?: number;

  @ContractField(() => SafeInteger, {
    description: "The later size; by default the latest checkpoint's.",
    optional: true,
    minimum: 0,
  })
  second?: number;
}

@ArgsType()
export class IncarnationArgs {
  @ContractField(() => String, {
    description: 'Why the tree need not extend its last checkpoint; stored permanently and public.',
    example: 'Restored from the backup of 2 March.',
    minLength: 1,
    maxLength: 2_000,
  })
  reason!: string;
}

@ObjectType({ description: 'The last checkpoint before the declaration of an incarnation.' })
class PreviousCheckpoint {
  @ContractField(() => String, { description: 'The checkpoint.', example: 'chk_01JQ0000000000000000000001' })
  checkpoint_id!: string;

  @ContractField(() => Int, { description: 'Its incarnation.', example: 1 })
  incarnation!: number;

  @ContractField(() => SafeInteger, { description: 'Number of entries that it covers.', example: 128 })
  tree_size!: number;

  @ContractField(() => String, { description: 'Its root, hexadecimal.', ...HASH })
  root_hash!: string;
}

@ObjectType({ description: 'An incarnation of the tree, declared by an operator.' })
export class LedgerIncarnation {
  @ContractField(() => Int, { description: 'Its number.', example: 2 })
  incarnation!: number;

  @ContractField(() => String, { description: 'Why it was declared.', example: 'Restored from the backup of 2 March.' })
  reason!: string;

  @ContractField(() => String, { description: 'Actor or key that declared it.' })
  declared_by!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  declared_at!: string;

  @ContractField(() => PreviousCheckpoint, { description: 'The last checkpoint before it.', nullable: true })
  previous!: PreviousCheckpoint | null;

  @ContractField(() => SafeInteger, { description: 'Number of entries in the tree at the declaration.', example: 120 })
  tree_size!: number;
}
