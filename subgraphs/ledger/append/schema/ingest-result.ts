import { Int, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../../shared/graph/contract-field.js';
import { FieldFaultType } from '../../../../shared/graph/fault-type.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';

@ObjectType({ description: 'Why an item was rejected.' })
export class IngestError {
  @ContractField(() => String, { description: 'Error code.', example: 'VALIDATION_ERROR' })
  code!: string;

  @ContractField(() => String, { description: 'Explanation of the fault.' })
  message!: string;

  @ContractField(() => [FieldFaultType], { description: 'Each fault with its place.', optional: true })
  errors?: readonly FieldFaultType[];
}

@ObjectType({ description: 'Result for one envelope.' })
export class IngestResult {
  @ContractField(() => Int, { description: 'Place in the batch, from 0.', example: 0 })
  index!: number;

  @ContractField(() => String, {
    description: 'DUPLICATE: the same envelope was sent before; the result names the first event.',
    example: 'ACCEPTED',
    enum: ['ACCEPTED', 'DUPLICATE', 'REJECTED'],
  })
  status!: string;

  @ContractField(() => String, { description: 'The event.', optional: true, example: 'evt_01JQ0000000000000000000001' })
  event_id?: string;

  @ContractField(() => String, { description: 'Tenant.', optional: true, example: 'acme-health' })
  tenant_id?: string;

  @ContractField(() => String, { description: 'Originating system.', optional: true, example: 'um-core' })
  source_system?: string;

  @ContractField(() => SafeInteger, { description: 'Place in the chain, from 1.', optional: true, example: 1 })
  sequence?: number;

  @ContractField(() => String, { description: 'Hash of the previous entry.', optional: true })
  prev_hash?: string;

  @ContractField(() => String, { description: 'Hash of this entry.', optional: true })
  entry_hash?: string;

  @ContractField(() => String, { description: 'SHA-256 of the write-once copy.', optional: true })
  worm_sha256?: string;

  @ContractField(() => String, { description: 'When it was recorded.', optional: true, format: 'date-time' })
  accepted_at?: string;

  @ContractField(() => IngestError, { description: 'Why it was rejected.', optional: true })
  error?: IngestError;
}

@ObjectType({ description: 'Result for a batch; the results are in the order of its envelopes.' })
export class IngestBatchResult {
  @ContractField(() => Int, { description: 'Envelopes appended.', example: 1 })
  accepted!: number;

  @ContractField(() => Int, { description: 'Number of repeated envelopes.', example: 0 })
  duplicated!: number;

  @ContractField(() => Int, { description: 'Envelopes refused.', example: 0 })
  rejected!: number;

  @ContractField(() => JsonScalar, { description: 'One result for each envelope.', shape: listShape('IngestResult') })
  results!: readonly IngestResult[];
}

@ObjectType({ description: 'Whether an envelope would be accepted; nothing is written.' })
export class EventValidation {
  @ContractField(() => Boolean, { description: 'True if it would be accepted.' })
  valid!: boolean;

  @ContractField(() => [FieldFaultType], { description: 'Every fault found.' })
  errors!: readonly FieldFaultType[];

  @ContractField(() => String, {
    description: 'SHA-256 of the canonical envelope as sent, without tenant_id; null if it is no JSON object.',
    nullable: true,
  })
  canonical_sha256!: string | null;
}
