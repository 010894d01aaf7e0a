import { ArgsType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { PlaceArgs, pageType } from '../../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { RAW_FORMATS } from '../../formats/domain.js';
import { IngestWarning, MessagePart } from './message-part.js';

@ObjectType({ description: 'Result of one part of a raw message.' })
export class RawIngestRow extends MessagePart {
  @ContractField(() => String, { description: 'Result of the part.', enum: ['ACCEPTED', 'DUPLICATE', 'REJECTED'] })
  status!: 'ACCEPTED' | 'DUPLICATE' | 'REJECTED';

  @ContractField(() => String, { description: 'The event.', optional: true })
  event_id?: string;

  @ContractField(() => SafeInteger, { description: 'Place in the chain.', optional: true })
  sequence?: number;

  @ContractField(() => String, { description: 'Hash of the entry.', optional: true })
  entry_hash?: string;

  @ContractField(() => String, { description: 'SHA-256 of the write-once copy.', optional: true })
  worm_sha256?: string;
}

@ObjectType({ description: 'An exception opened by the ingest.' })
class IngestException {
  @ContractField(() => String, { description: 'The exception.', example: 'exc_01JQ0000000000000000000001' })
  exception_id!: string;

  @ContractField(() => String, { description: 'Kind.', example: 'PARSE_FAILED' })
  kind!: string;

  @ContractField(() => JsonScalar, { description: 'Subject of the exception.' })
  subject!: JsonObject;

  @ContractField(() => JsonScalar, { description: 'What was found.', optional: true })
  detail!: JsonObject;
}

/** The sender's acknowledgement: 999 and TA1, ACK, OperationOutcome, NCPDP response. */
type IngestAcknowledgement = Readonly<Record<'format' | 'media_type' | 'content', string>>;

@ObjectType({ description: 'Result of a raw message.' })
export class RawIngestResult {
  @ContractField(() => String, { description: 'The ingest.', example: 'ing_01JQ0000000000000000000001' })
  ingest_id!: string;

  @ContractField(() => String, { description: 'Format of the body.', enum: [...RAW_FORMATS] })
  format!: string;

  @ContractField(() => String, {
    description:
      'SHA-256 of the raw bytes in the write-once store; absent for readers without documents:unredacted if an event of the message is redacted.',
    optional: true,
  })
  raw_sha256?: string;

  @ContractField(() => Int, { description: 'Transactions read.', example: 1 })
  transactions!: number;

  @ContractField(() => Int, { description: 'Events appended.', example: 3 })
  accepted!: number;

  @ContractField(() => Int, { description: 'Events that existed already.', example: 0 })
  duplicated!: number;

  @ContractField(() => Int, { description: 'Parts rejected.', example: 0 })
  rejected!: number;

  @ContractField(() => [IngestException], { description: 'Exceptions opened, at most 1,000.' })
  exceptions!: readonly IngestException[];

  @ContractField(() => [RawIngestRow], { description: 'At most 1,000 rows, rejected ones first.' })
  results!: readonly RawIngestRow[];

  @ContractField(() => Boolean, { description: 'True if there are more rows than shown.' })
  results_truncated!: boolean;

  @ContractField(() => [IngestWarning], { description: 'Warnings about the message, at most 1,000.' })
  warnings!: readonly IngestWarning[];

  @ContractField(() => [JsonScalar], { description: 'Provider-level adjustments (X12 835 PLB), by transaction.' })
  provider_level!: readonly JsonObject[];

  @ContractField(() => JsonScalar, {
    description:
      "The sender's acknowledgement (999 and TA1, ACK, OperationOutcome, NCPDP response) as { format, media_type, content }; null if the sender expects none.",
    nullable: true,
  })
  acknowledgement!: IngestAcknowledgement | null;

  @ContractField(() => String, { description: 'Time at which the message was read.', format: 'date-time' })
  received_at!: string;
}

export const IngestRowPage = pageType('IngestRowPage', () => RawIngestRow);

/** Rows are in reading order only. */
@ArgsType()
export class IngestRowFilter extends PlaceArgs {}

/** What the sender says about a raw message. */
@ArgsType()
export class MessageArgs {
  @ContractField(() => String, { description: 'x12, hl7v2, fhir, ncpdp or cda.', optional: true })
  format?: string;

  @ContractField(() => String, { description: 'Content-Type as sent.', optional: true })
  content_type?: string;

  @ContractField(() => String, { description: 'Source system.', optional: true })
  source_system?: string;

  @ContractField(() => Boolean, {
    description: 'Reject messages with faults that an acknowledgement reports.',
    optional: true,
  })
  strict?: boolean;

  @ContractField(() => String, { description: 'EBCDIC code page that the body was sent in.', optional: true })
  converted_from?: string;
}
