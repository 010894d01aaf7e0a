import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { RAW_FORMATS } from '../../formats/domain.js';
import { IngestWarning, MessagePart } from './message-part.js';

@ObjectType({ description: 'What one part of a raw message would become.' })
export class RawPreviewRow extends MessagePart {
  @ContractField(() => String, { description: 'Whether it would be an event.', enum: ['VALID', 'REJECTED'] })
  status!: 'VALID' | 'REJECTED';

  @ContractField(() => JsonScalar, { description: 'The event, for the first 50 of them.', optional: true })
  event?: JsonObject;
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
