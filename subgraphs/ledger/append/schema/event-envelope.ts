import { InputType } from 'type-graphql';
import { ContractField, OpenShape } from '../../../../shared/graph/contract-field.js';
import { JsonScalar } from '../../../../shared/graph/scalars.js';
import { TENANT_ID_PATTERN } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';

// Identifiers appear in keys, pointers and text exports: they need a visible character and no control characters.
const PRINTABLE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$';
const CODES = { optional: true, items: { minLength: 1 } } as const;

/** The envelope's free content. Listed keys are checked if present; the sender defines all others. */
@InputType({ description: 'Free content of an event; the keys listed here are checked if present.' })
@OpenShape()
export class EventPayload {
  @ContractField(() => String, { description: 'Service concerned.', example: 'MRI of the knee', optional: true })
  service?: string;

  @ContractField(() => [String], { description: 'Procedure codes.', example: ['73721'], ...CODES })
  procedure_codes?: string[];

  @ContractField(() => [String], { description: 'Diagnosis codes.', example: ['M25.561'], ...CODES })
  diagnosis_codes?: string[];

  @ContractField(() => String, { description: 'Jurisdiction.', example: 'US-CA', optional: true })
  jurisdiction?: string;

  @ContractField(() => String, { description: 'Programme of cover.', example: 'Commercial', optional: true })
  program?: string;

  @ContractField(() => [String], { description: 'Claim adjustment reason codes.', example: ['50'], ...CODES })
  carc?: string[];

  @ContractField(() => String, { description: 'Reason given.', example: 'Not documented', optional: true })
  rationale?: string;
}

/** The specification's "Event envelope": the only definition behind ingest, validation, OpenAPI and the contract. */
@InputType({ description: 'One event as its source system sends it.' })
export class EventEnvelope {
  @ContractField(() => String, {
    description: 'Grouping of the event.',
    example: 'utilization_management',
    minLength: 1,
    maxLength: 128,
    pattern: PRINTABLE,
  })
  event_family!: string;

  @ContractField(() => String, {
    description: 'Kind of event within the family.',
    example: 'prior_auth.denied',
    minLength: 1,
    maxLength: 128,
    pattern: PRINTABLE,
  })
  event_type!: string;

  @ContractField(() => String, {
    description: 'Member the event concerns.',
    example: 'M-1001',
    optional: true,
    minLength: 1,
    maxLength: 256,
    pattern: PRINTABLE,
  })
  member_id?: string;

  @ContractField(() => String, {
    description: 'Originating system; with the tenant it names the hash chain. Names with a leading _ are reserved.',
    example: 'um-core',
    minLength: 1,
    maxLength: 128,
    pattern: PRINTABLE,
  })
  source_system!: string;

  @ContractField(() => String, {
    description: 'Identifier of the record in the source system.',
    example: 'PA-2026-0001',
    minLength: 1,
    maxLength: 512,
    pattern: PRINTABLE,
  })
  source_record_id!: string;

  @ContractField(() => String, {
    description: 'When the event took effect: RFC 3339 with a zone, kept as sent.',
    example: '2026-03-02T14:11:09.123Z',
    format: 'date-time',
    maxLength: 64,
  })
  event_effective_timestamp!: string;

  @ContractField(() => String, {
    description: 'Result of the event.',
    example: 'DENIED',
    optional: true,
    minLength: 1,
    maxLength: 128,
    pattern: PRINTABLE,
  })
  outcome?: string;

  @ContractField(() => JsonScalar, {
    description: 'Free content.',
    optional: true,
    shape: 'EventPayload',
    example: { service: 'MRI of the knee', procedure_codes: ['73721'], carc: ['50'] },
  })
  payload?: JsonObject;

  @ContractField(() => String, {
    description: "May repeat the request's tenant; must not name another tenant.",
    example: 'acme-health',
    optional: true,
    pattern: TENANT_ID_PATTERN,
  })
  tenant_id?: string;
}
