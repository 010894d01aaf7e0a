import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { Checkpoint, EventProof } from '../transparency/schema.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:00:00.000Z' } as const;

@ObjectType({ description: "Proof that the operator's log covers the ledger of this tenant." })
export class OperatorProof {
  @ContractField(() => String, { description: 'Start of the period.', ...TIME })
  period!: string;

  @ContractField(() => String, { description: 'When the notes were collected.', ...TIME })
  recorded_at!: string;

  @ContractField(() => Int, { description: 'Number of logs under the root.', example: 12 })
  logs!: number;

  @ContractField(() => String, {
    description: 'Root over the newest notes of all logs in the order of their origins (RFC 6962), hexadecimal.',
    example: 'a3'.repeat(32),
  })
  root_hash!: string;

  @ContractField(() => Int, { description: 'Place of this ledger among the logs, from 0.', example: 3 })
  leaf_index!: number;

  @ContractField(() => [String], { description: "Hashes from the note's leaf to the root, hexadecimal." })
  hashes!: readonly string[];

  @ContractField(() => Checkpoint, { description: 'The checkpoint; its note is the leaf.' })
  checkpoint!: Checkpoint;

  @ContractField(() => JsonScalar, { description: "Header of the operator's entry: its entry_hash covers it, as JCS." })
  header!: unknown;

  @ContractField(() => String, { description: 'Record of the entry, which names period, number of logs and root.' })
  record!: string;

  @ContractField(() => String, { description: "Seed of the entry's commitments, hexadecimal." })
  seed!: string;

  @ContractField(() => EventProof, { description: "Proof of the entry in the operator's log." })
  entry!: EventProof;
}
