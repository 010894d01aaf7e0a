import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { IngestError } from '../../append/schema/index.js';

@ObjectType({ description: 'An irregularity that did not stop reading.' })
export class IngestWarning {
  @ContractField(() => String, { description: 'What it is, as a word.' })
  code!: string;

  @ContractField(() => String, { description: 'What it is, as a sentence.' })
  message!: string;

  @ContractField(() => JsonScalar, { description: 'Position in the body.', optional: true })
  position?: JsonObject;

  @ContractField(() => String, {
    description: 'Source feed that agrees to this fault of its sender.',
    example: 'fed_01JQ0000000000000000000001',
    optional: true,
  })
  agreed_by?: string;
}

/** The members that an ingest and a preview show of each part of a raw message. */
@ObjectType()
export abstract class MessagePart {
  @ContractField(() => Int, { description: 'Part of the message, from 0, in reading order.', example: 0 })
  index!: number;

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
