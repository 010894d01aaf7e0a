import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { IngestError } from '../../append/schema/index.js';
import { RAW_FORMATS } from '../../formats/domain.js';
import { IngestWarning } from './index.js';

@ObjectType({ description: 'What one part of a raw message would become.' })
export class RawPreviewRow {
  @ContractField(() => Int, { description: 'Part of the message, from 0, in reading order.', example: 0 })
  index!: number;

  @ContractField(() => String, { description: 'Whether it would be an event.', enum: ['VALID', 'REJECTED'] })
  status!: 'VALID' | 'REJECTED';

  @ContractField(() => JsonScalar, { description: 'The event, for the first 50 of them.', optional: true })
  event?: JsonObject;

  @ContractField(() => String, { description: 'Record in the source system.', optional: true })
  source_record_id?: string;

  @ContractField(() => String, { description: 'Source system.', optional: true })
  source_system?: string;

  @ContractField(() => String, { description: 'Rejected item, if the part yields no event.', optional: true })
  item?: string;

  @ContractField(() => String, { description: 'Segment of the fault.', optional: true })
  segment?: string;

  @ContractField(() => JsonScalar, { description: 'Position in the body.', optional: true })
  position?: JsonObject;

  @ContractField(() => [IngestWarning], { description: 'Warnings about it.', optional: true })
  warnings?: readonly IngestWarning[];

  @ContractField(() => IngestError, { description: 'Reason for the rejection.', optional: true })
  error?: IngestError;
}

@ObjectType({ description: 'An exception that an ingest would open.' })
class PreviewedException {
  @ContractField(() => String, { description: 'Kind.', example: 'PARSE_FAILED' })
  kind!: string;

  @ContractField(() => JsonScalar, { description: 'What was found.' })
  detail!: JsonObject;
}

@ObjectType({ description: 'What a raw message would become. Nothing is stored.' })
export class RawPreview {
  @ContractField(() => String, { description: 'Format of the body.', enum: [...RAW_FORMATS] })
  format!: string;

  @ContractField(() => Int, { description: 'Transactions read.', example: 1 })
  transactions!: number;

  @ContractField(() => Int, { description: 'Parts that would be events.', example: 3 })
  valid!: number;

  @ContractField(() => Int, { description: 'Parts that would be rejected.', example: 0 })
  rejected!: number;

  @ContractField(() => [RawPreviewRow], { description: 'At most 1,000 rows, in reading order.' })
  results!: readonly RawPreviewRow[];

  @ContractField(() => Boolean, { description: 'True if there are more rows than shown.' })
  results_truncated!: boolean;

  @ContractField(() => [PreviewedException], {
    description:
      'Exceptions about the body that an ingest would open, at most 1,000. Each rejected part opens one too.',
  })
  exceptions!: readonly PreviewedException[];

  @ContractField(() => [IngestWarning], { description: 'Warnings about the message, at most 1,000.' })
  warnings!: readonly IngestWarning[];
}
