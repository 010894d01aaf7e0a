import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../shared/graph/withheld-page.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';

export const EXAMPLE_EVENT = 'evt_01JQ0000000000000000000001';
export const EXAMPLE_RULE = 'rul_01JQ0000000000000000000001';
export const EXAMPLE_SHA256 = 'a3'.repeat(32);

/** Description of `purpose` for an answer about one event and its member's record. */
const JUDGED_FOR =
  'Purpose of use, which consent is checked for. A withheld event is 403; withheld events of the record are ignored.';

@ObjectType({ description: 'A rule revision that an answer is based on.' })
export class StoodOnRule {
  @ContractField(() => String, { description: 'The rule.', example: EXAMPLE_RULE })
  rule_id!: string;

  @ContractField(() => SafeInteger, { description: 'Revision in force at the event’s effective time.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'SHA-256 of the stored artifact.', example: EXAMPLE_SHA256 })
  artifact_sha256!: string;
}

@ObjectType({ description: 'A ledger entry that an answer is based on.' })
export class StoodOnEvent {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'Its entry hash in the chain.', example: EXAMPLE_SHA256 })
  entry_hash!: string;
}

@ObjectType({ description: 'The rules and events that an answer is based on.' })
export class StoodOn {
  @ContractField(() => JsonScalar, { description: 'Rule revisions.', shape: listShape('StoodOnRule') })
  rules!: readonly StoodOnRule[];

  @ContractField(() => JsonScalar, {
    description: 'The event, and other events of its member that gave evidence.',
    shape: listShape('StoodOnEvent'),
  })
  events!: readonly StoodOnEvent[];

  @ContractField(() => Boolean, {
    description: 'True if the member has more events than were read; only the newest were read.',
    example: false,
  })
  record_capped!: boolean;
}

@ObjectType({ description: 'The place in a record that states a fact.' })
export class FactEvidence {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, {
    description: 'JSON Pointer to the member of the event.',
    example: '/payload/diagnosis_codes/0',
  })
  field!: string;

  @ContractField(() => JsonScalar, { description: 'Value at that place.', example: 'G47.33', nullable: true })
  value!: JsonValue;
}

@ObjectType({ description: 'An event of the record that this caller may not see in full.' })
export class WithheldEvent {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => String, { description: 'Reason.', enum: ['REDACTED', 'DISPOSED'], example: 'REDACTED' })
  state!: 'REDACTED' | 'DISPOSED';
}

@ObjectType({ description: 'The ledger entry that records an answer.' })
export class RecordedAnswer {
  @ContractField(() => String, { description: 'Its partition.', example: '_records' })
  source_system!: string;

  @ContractField(() => String, { description: 'Its id in the partition.', example: 'eff_01JQ0000000000000000000001' })
  source_record_id!: string;
}

/** Arguments of an answer about one event. */
@ArgsType()
export class EventAnswerArgs {
  @ContractField(() => String, { description: 'The event.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => Boolean, {
    description: 'Record the answer in the ledger, once for each answer.',
    optional: true,
  })
  record?: boolean;

  @ContractField(() => String, { ...PURPOSE_OPTIONS, description: JUDGED_FOR })
  purpose?: string;
}

/** What an answer about the record of an event states besides its result. */
@ObjectType()
export abstract class RecordAnswer {
  @ContractField(() => String, { description: 'The event; the answer does not change it.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => JsonScalar, {
    description: 'Events of the record that this caller may not see in full.',
    shape: listShape('WithheldEvent'),
  })
  withheld!: readonly WithheldEvent[];

  @ContractField(() => WithheldType, { description: 'Events of the record that consent withholds.', optional: true })
  withheld_by_consent?: WithheldType;

  @ContractField(() => String, { description: 'Limits of the answer.', example: 'It is not legal or medical advice.' })
  limits!: string;

  @ContractField(() => String, {
    description: 'SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.',
    example: EXAMPLE_SHA256,
  })
  answer_sha256!: string;

  @ContractField(() => RecordedAnswer, { description: 'Present if `record` was set.', optional: true })
  recorded?: RecordedAnswer;
}
