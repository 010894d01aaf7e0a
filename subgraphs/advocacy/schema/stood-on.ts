import { ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';

export const EXAMPLE_EVENT = 'evt_01JQ0000000000000000000001';
export const EXAMPLE_RULE = 'rul_01JQ0000000000000000000001';
export const EXAMPLE_SHA256 = 'a3'.repeat(32);

/** As PURPOSE_OPTIONS, of one event and its record. */
export const JUDGED_FOR =
  'For what; consent is asked: an event that it withholds is 403, and what it withholds of the record takes no part.';

@ObjectType({ description: 'A revision of a rule that an answer stood on.' })
export class StoodOnRule {
  @ContractField(() => String, { description: 'The rule.', example: EXAMPLE_RULE })
  rule_id!: string;

  @ContractField(() => SafeInteger, { description: 'The revision in force at the event’s effective time.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'SHA-256 of the artifact as it was stored.', example: EXAMPLE_SHA256 })
  artifact_sha256!: string;
}

@ObjectType({ description: 'An entry of the ledger that an answer stood on.' })
export class StoodOnEvent {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'Its link in the chain.', example: EXAMPLE_SHA256 })
  entry_hash!: string;
}

@ObjectType({ description: 'What an answer stood on.' })
export class StoodOn {
  @ContractField(() => JsonScalar, { description: 'Revisions of rules.', shape: listShape('StoodOnRule') })
  rules!: JsonValue;

  @ContractField(() => JsonScalar, {
    description: 'The event, and others of its member that evidence was drawn from.',
    shape: listShape('StoodOnEvent'),
  })
  events!: JsonValue;

  @ContractField(() => Boolean, {
    description: 'The member has more events than were read; the newest ones were.',
    example: false,
  })
  record_capped!: boolean;
}

@ObjectType({ description: 'Where in a record a fact stands.' })
export class FactEvidence {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, {
    description: 'JSON Pointer to the member of the event.',
    example: '/payload/diagnosis_codes/0',
  })
  field!: string;

  @ContractField(() => JsonScalar, { description: 'What stands there.', example: 'G47.33', nullable: true })
  value!: JsonValue;
}

@ObjectType({ description: 'An event of the record that this reader could not see wholly.' })
export class WithheldEvent {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'Why.', enum: ['REDACTED', 'DISPOSED'], example: 'REDACTED' })
  state!: string;
}

@ObjectType({ description: 'The entry of the ledger that an answer became.' })
export class RecordedAnswer {
  @ContractField(() => String, { description: 'Its partition.', example: '_records' })
  source_system!: string;

  @ContractField(() => String, { description: 'Its id there.', example: 'eff_01JQ0000000000000000000001' })
  source_record_id!: string;
}
