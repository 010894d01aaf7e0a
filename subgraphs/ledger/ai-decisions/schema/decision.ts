import { Directive, Float, InputType, ObjectType } from 'type-graphql';
import { ContractField, OpenShape } from '../../../../shared/graph/contract-field.js';
import { EXTRA, EXTRA_INPUT } from '../../../../shared/graph/extra.js';
import { pageType } from '../../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/strict-json.js';
import {
  AI_DECISION_STATUSES,
  AI_DECISION_TYPES,
  type AiDecisionStatus,
  type AiDecisionType,
} from '../domain/decision.js';

export const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
/** Words appear in counts and exports: they need a visible character and no control characters. */
const PRINTABLE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$';
const word = (maxLength: number) => ({ minLength: 1, maxLength, pattern: PRINTABLE });
const SHA256 = { example: 'a'.repeat(64), pattern: '^[0-9a-f]{64}$' };
const TEXT = { minLength: 1, maxLength: 20_000 };
const EXAMPLE_DECISION = 'aid_01JQ0000000000000000000001';
const EXAMPLE_EVENT = 'evt_01JQ0000000000000000000001';
const EXAMPLE_KEY = 'key_01JQ0000000000000000000001';

@InputType('AiModelInput', { description: 'The model that decided.' })
@ObjectType('AiModel', { description: 'The model that decided.' })
class AiModelShape {
  @ContractField(() => String, { description: 'Its name.', example: 'um-triage', ...word(200) })
  name!: string;

  @ContractField(() => String, { description: 'Its version.', example: '4.2.0', ...word(200) })
  version!: string;

  @ContractField(() => String, { description: 'Who provides it.', optional: true, ...word(200) })
  provider?: string;

  @ContractField(() => String, { description: 'SHA-256 of the model itself.', optional: true, ...SHA256 })
  artifact_sha256?: string;
}

@InputType('AiReviewerInput', { description: 'The person who reviewed the decision before it took effect.' })
@ObjectType('AiReviewer', { description: 'The person who reviewed the decision before it took effect.' })
class AiReviewerShape {
  @ContractField(() => String, { description: 'Who.', example: 'dr-17', ...word(256) })
  reviewer_id!: string;

  @ContractField(() => String, { description: 'Kind of licence.', optional: true, example: 'MD', ...word(64) })
  license_type?: string;

  @ContractField(() => String, { description: 'Its number.', optional: true, example: 'CA-A12345', ...word(64) })
  license_number?: string;

  @ContractField(() => String, { description: 'Specialty.', optional: true, ...word(128) })
  specialty?: string;

  @ContractField(() => String, { description: 'When.', optional: true, ...TIME })
  reviewed_at?: string;

  @ContractField(() => Float, {
    description: 'Duration of the review.',
    optional: true,
    minimum: 0,
    maximum: 8_640_000,
  })
  duration_seconds?: number;

  @ContractField(() => String, { description: "The reviewer's comment.", optional: true, ...word(128) })
  outcome?: string;
}

@InputType('AiHumanReviewInput', { description: 'Whether a person reviewed it.' })
@ObjectType('AiHumanReview', { description: 'Whether a person reviewed it.' })
class AiHumanReviewShape {
  @ContractField(() => Boolean, { description: 'Whether a review was required.', example: true })
  required!: boolean;

  @ContractField(() => AiReviewerShape, { description: 'The reviewer.', optional: true })
  reviewer?: AiReviewerShape;
}

@InputType({
  description: 'Whether the decision considered the person and not only a group; absent members count as false.',
})
class AiIndividualizedInput {
  @ContractField(() => Boolean, { description: 'Whether it considered the medical history.', optional: true })
  medical_history?: boolean;

  @ContractField(() => Boolean, { description: "Whether it considered the provider's recommendation.", optional: true })
  provider_recommendation?: boolean;

  @ContractField(() => Boolean, { description: 'Whether it considered clinical notes.', optional: true })
  clinical_notes?: boolean;
}

@ObjectType({ description: 'Whether the decision considered the person and not only a group.' })
class AiIndividualized {
  @ContractField(() => Boolean, { description: 'Whether it considered the medical history.', example: true })
  medical_history!: boolean;

  @ContractField(() => Boolean, { description: "Whether it considered the provider's recommendation.", example: true })
  provider_recommendation!: boolean;

  @ContractField(() => Boolean, { description: 'Whether it considered clinical notes.', example: false })
  clinical_notes!: boolean;
}

@OpenShape()
@InputType({ description: 'A decision that a model made or helped to make.' })
export class AiDecisionInput {
  @ContractField(() => String, { description: 'Kind of decision.', example: 'DENIAL', enum: [...AI_DECISION_TYPES] })
  decision_type!: AiDecisionType;

  @ContractField(() => AiModelShape, { description: 'The model.' })
  model!: AiModelShape;

  @ContractField(() => String, { description: 'Member concerned.', example: 'M-1001', optional: true, ...word(256) })
  member_id?: string;

  @ContractField(() => String, {
    description: 'The event that it decides about.',
    example: EXAMPLE_EVENT,
    optional: true,
  })
  event_id?: string;

  @ContractField(() => String, {
    description: 'Its subject, if that is not an event of this service.',
    optional: true,
    ...word(512),
  })
  subject_ref?: string;

  @ContractField(() => String, { description: "SHA-256 of the model's input.", optional: true, ...SHA256 })
  input_sha256?: string;

  @ContractField(() => JsonScalar, {
    description: "The model's input in place of its hash: hashed (SHA-256 of RFC 8785) and not stored.",
    optional: true,
  })
  inputs?: JsonValue;

  @ContractField(() => JsonScalar, { description: "The model's output.", optional: true })
  output?: JsonValue;

  @ContractField(() => Float, { description: 'Its score.', example: 0.91, optional: true })
  score?: number;

  @ContractField(() => Float, {
    description: 'The threshold for the score.',
    example: 0.8,
    optional: true,
  })
  threshold?: number;

  @ContractField(() => String, { description: 'What it recommends.', example: 'DENY', ...word(128) })
  recommendation!: string;

  @ContractField(() => AiHumanReviewShape, { description: 'Whether a person reviewed it.', optional: true })
  human_review?: AiHumanReviewShape;

  @ContractField(() => String, { description: 'Why.', optional: true, ...TEXT })
  rationale?: string;

  @ContractField(() => Boolean, {
    description: 'Whether it is adverse to the member; by default derived from type and recommendation.',
    optional: true,
  })
  adverse?: boolean;

  @ContractField(() => AiIndividualizedInput, { description: 'Whether it considered the person.', optional: true })
  individualized?: AiIndividualizedInput;

  @ContractField(() => JsonScalar, {
    description: 'Anything else to record; the sender defines its content.',
    optional: true,
    shape: { type: 'object', additionalProperties: true },
  })
  metadata?: JsonObject;

  @ContractField(() => String, {
    description: 'When it was made; the time of the request by default.',
    optional: true,
    ...TIME,
  })
  decided_at?: string;

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@OpenShape()
@InputType({ description: 'The outcome that replaces that of a decision.' })
export class AiOverrideInput {
  @ContractField(() => String, { description: 'What holds.', example: 'APPROVE', ...word(128) })
  outcome!: string;

  @ContractField(() => String, { description: 'Why.', example: 'Imaging was documented.', ...TEXT })
  reason!: string;

  @ContractField(() => String, { description: 'Who decided it.', example: 'dr-17', ...word(256) })
  overridden_by!: string;

  @ContractField(() => String, {
    description: 'Their credentials.',
    example: 'MD CA-A12345',
    optional: true,
    ...word(256),
  })
  credentials?: string;

  @ContractField(() => JsonScalar, EXTRA_INPUT)
  extra?: JsonObject;
}

@ObjectType({ description: "The place of an entry in the ledger's partition ai-provenance." })
class AiProvenance {
  @ContractField(() => String, { description: 'Identifier of the entry.', example: EXAMPLE_EVENT })
  event_id!: string;

  @ContractField(() => SafeInteger, { description: 'Place in the chain.', example: 1 })
  sequence!: number;

  @ContractField(() => String, { description: 'Hash of the entry.', ...SHA256 })
  entry_hash!: string;

  @ContractField(() => String, { description: 'When it was recorded.', ...TIME })
  recorded_at!: string;
}

@ObjectType({ description: 'An override of a decision: a separate entry.' })
export class AiOverride {
  @ContractField(() => String, { description: 'Its identifier.', example: 'aio_01JQ0000000000000000000001' })
  override_id!: string;

  @ContractField(() => String, { description: 'What holds.', example: 'APPROVE' })
  outcome!: string;

  @ContractField(() => String, { description: 'The previous outcome.', example: 'DENY' })
  prior_outcome!: string;

  @ContractField(() => String, { description: 'Why.', example: 'Imaging was documented.' })
  reason!: string;

  @ContractField(() => String, { description: 'Who decided it.', example: 'dr-17' })
  overridden_by!: string;

  @ContractField(() => String, { description: 'Their credentials.', optional: true })
  credentials?: string;

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;

  @ContractField(() => String, { description: 'When.', ...TIME })
  overridden_at!: string;

  @ContractField(() => String, { description: 'The key that sent it.', example: EXAMPLE_KEY })
  recorded_by!: string;

  @ContractField(() => AiProvenance, { description: 'Its entry.' })
  provenance!: AiProvenance;
}

@Directive('@key(fields: "decision_id")')
@ObjectType({ description: 'A decision that a model made or helped to make, as recorded.' })
export class AiDecision {
  @ContractField(() => String, { description: 'Identifier of the decision.', example: EXAMPLE_DECISION })
  decision_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Kind of decision.', example: 'DENIAL', enum: [...AI_DECISION_TYPES] })
  decision_type!: AiDecisionType;

  @ContractField(() => AiModelShape, { description: 'The model.' })
  model!: AiModelShape;

  @ContractField(() => String, { description: 'Member concerned.', optional: true })
  member_id?: string;

  @ContractField(() => String, { description: 'The event that it decides about.', optional: true })
  event_id?: string;

  @ContractField(() => String, { description: 'Its subject, if that is not an event of this service.', optional: true })
  subject_ref?: string;

  @ContractField(() => String, { description: "SHA-256 of the model's input.", ...SHA256 })
  input_sha256!: string;

  @ContractField(() => JsonScalar, { description: "The model's output.", optional: true })
  output?: JsonValue;

  @ContractField(() => Float, { description: 'Its score.', optional: true })
  score?: number;

  @ContractField(() => Float, { description: 'The threshold for the score.', optional: true })
  threshold?: number;

  @ContractField(() => String, { description: 'What it recommended.', example: 'DENY' })
  recommendation!: string;

  @ContractField(() => String, {
    description: 'The current outcome: that of the last override, else the recommendation.',
    example: 'DENY',
  })
  outcome!: string;

  @ContractField(() => AiHumanReviewShape, { description: 'Whether a person reviewed it.' })
  human_review!: AiHumanReviewShape;

  @ContractField(() => String, { description: 'Why.', optional: true })
  rationale?: string;

  @ContractField(() => Boolean, { description: 'Whether it is adverse to the member.', example: true })
  adverse!: boolean;

  @ContractField(() => Boolean, { description: 'Adverse, and recorded without a licensed reviewer.', example: false })
  unreviewed!: boolean;

  @ContractField(() => String, { description: 'The exception that this opened.', nullable: true })
  exception_id!: string | null;

  @ContractField(() => AiIndividualized, { description: 'Whether it considered the person.' })
  individualized!: AiIndividualized;

  @ContractField(() => JsonScalar, { description: 'Anything else that was recorded.', optional: true })
  metadata?: JsonObject;

  @ContractField(() => JsonScalar, EXTRA)
  extra?: JsonObject;

  @ContractField(() => String, { description: 'When it was made.', ...TIME })
  decided_at!: string;

  @ContractField(() => String, {
    description: 'Place of its entry in the ledger.',
    example: 'RECORDED',
    enum: [...AI_DECISION_STATUSES],
  })
  status!: AiDecisionStatus;

  @ContractField(() => String, { description: 'When it was recorded.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that sent it.', example: EXAMPLE_KEY })
  recorded_by!: string;

  @ContractField(() => AiProvenance, { description: 'Its entry.' })
  provenance!: AiProvenance;

  @ContractField(() => [AiOverride], { description: 'Its overrides, oldest first.' })
  overrides!: readonly AiOverride[];
}

export const AiDecisionPage = pageType('AiDecisionPage', () => AiDecision);
