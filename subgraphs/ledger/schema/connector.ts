import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { CONNECTOR_KINDS, type ConnectorKind } from '../domain/connector-kinds.js';
import { CONNECTOR_STATUSES, type ConnectorState, type ConnectorStatus } from '../domain/connector-states.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const EXAMPLE_KEY = 'key_01JQ0000000000000000000001';
const NAME = { example: 'Hospital north, ADT', minLength: 1, maxLength: 128 };
const SYSTEM = {
  example: 'hospital-north',
  minLength: 1,
  maxLength: 128,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
};
const KIND = { example: 'HL7V2', enum: [...CONNECTOR_KINDS] };
const DIRECTION = { example: 'INBOUND', enum: ['INBOUND'] };
const CONFIG = {
  description:
    'By transport: MllpConnectorConfig (HL7V2), DropFolderConnectorConfig (X12, NCPDP, HL7V2, FHIR), FhirEndpointConnectorConfig or FhirPollConnectorConfig (FHIR). transport may be left out where it is the first of its kind.',
  shape: { type: 'object', additionalProperties: true },
} as const;

@InputType({ description: 'A connector to be made.' })
export class ConnectorInput {
  @ContractField(() => String, { description: 'Format that comes in by it.', ...KIND })
  kind!: ConnectorKind;

  @ContractField(() => String, { description: 'What it is, for operators.', ...NAME })
  name!: string;

  @ContractField(() => String, { description: 'Originating system that its events are of.', ...SYSTEM })
  source_system!: string;

  @ContractField(() => String, { description: 'INBOUND is the only one.', optional: true, ...DIRECTION })
  direction?: string;

  @ContractField(() => JsonScalar, { example: { transport: 'MLLP', port: 2_575 }, ...CONFIG })
  config!: JsonObject;
}

@InputType({ description: 'Changes of a connector: absent stays.' })
export class ConnectorPatch {
  @ContractField(() => String, { optional: true, ...NAME, description: 'What it is, for operators.' })
  name?: string;

  @ContractField(() => String, { optional: true, ...SYSTEM, description: 'Originating system of its events.' })
  source_system?: string;

  @ContractField(() => JsonScalar, {
    ...CONFIG,
    optional: true,
    description: 'Members of its configuration: absent stays, null takes away; secrets too.',
  })
  config?: JsonObject;

  @ContractField(() => Int, {
    description: 'The revision that this change is made on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ObjectType({
  description: 'What has come in by a connector; told at most a second late, and in a crash a second short.',
})
export class ConnectorCounters {
  @ContractField(() => SafeInteger, { description: 'Messages, files or resources read.', example: 3 })
  messages!: number;

  @ContractField(() => SafeInteger, { description: 'Their bytes.', example: 4_096 })
  bytes!: number;

  @ContractField(() => SafeInteger, { description: 'Events appended.', example: 3 })
  accepted!: number;

  @ContractField(() => SafeInteger, { description: 'Events that came before.', example: 0 })
  duplicated!: number;

  @ContractField(() => SafeInteger, { description: 'Parts of messages refused.', example: 0 })
  rejected!: number;

  @ContractField(() => SafeInteger, { description: 'Messages that could not be read at all.', example: 0 })
  unreadable!: number;

  @ContractField(() => SafeInteger, { description: 'Exceptions opened.', example: 0 })
  exceptions!: number;

  @ContractField(() => SafeInteger, { description: 'Times that it could not do its work.', example: 0 })
  failures!: number;
}

@ObjectType({ description: 'The last trouble of a connector; it names nothing of a message.' })
export class ConnectorError {
  @ContractField(() => String, { description: 'What it was, as a word.', example: 'EADDRINUSE' })
  code!: string;

  @ContractField(() => String, { description: 'What it was, as a sentence.' })
  message!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The body concerned, by its hash.', optional: true })
  raw_sha256?: string;

  @ContractField(() => SafeInteger, { description: 'Byte of it where the trouble is.', optional: true })
  byte_offset?: number;
}

@ObjectType({ description: 'Where a connector listens.' })
export class ConnectorListening {
  @ContractField(() => String, { description: 'Address.', example: '127.0.0.1' })
  host!: string;

  @ContractField(() => Int, { description: 'Port.', example: 2_575 })
  port!: number;

  @ContractField(() => Boolean, { description: 'Whether it speaks TLS.', example: false })
  tls!: boolean;
}

@ObjectType({ description: 'One change of a connector.' })
export class ConnectorStep {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'create' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true })
  from!: string | null;

  @ContractField(() => String, { description: 'Status after.', example: 'DISABLED' })
  to!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it, or service:connectors.', example: EXAMPLE_KEY })
  by!: string;
}

@ObjectType({ description: 'A way in that the service keeps open by itself.' })
export class Connector {
  @ContractField(() => String, { description: 'Identifier.', example: 'con_01JQ0000000000000000000001' })
  connector_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Format that comes in by it.', ...KIND })
  kind!: ConnectorKind;

  @ContractField(() => String, { description: 'What it is.', example: NAME.example })
  name!: string;

  @ContractField(() => String, { description: 'Originating system that its events are of.', example: SYSTEM.example })
  source_system!: string;

  @ContractField(() => String, { description: 'INBOUND is the only one.', ...DIRECTION })
  direction!: string;

  @ContractField(() => JsonScalar, { description: 'Its configuration without secrets.', shape: CONFIG.shape })
  config!: JsonObject;

  @ContractField(() => [String], { description: 'Secrets that its configuration holds, by name.', example: [] })
  secrets!: string[];

  @ContractField(() => String, {
    description: 'Where it stands.',
    example: 'ENABLED',
    enum: [...CONNECTOR_STATUSES, 'DELETED'],
  })
  status!: ConnectorState;

  @ContractField(() => [String], {
    description: 'Actions that it takes now.',
    example: ['disable', 'update', 'delete'],
  })
  allowed_actions!: string[];

  @ContractField(() => ConnectorListening, { description: 'Where it listens now.', nullable: true })
  listening!: ConnectorListening | null;

  @ContractField(() => String, { description: 'When a message last came in.', nullable: true, ...TIME })
  last_message_at!: string | null;

  @ContractField(() => ConnectorError, { description: 'Its last trouble.', nullable: true })
  last_error!: ConnectorError | null;

  @ContractField(() => String, { description: 'When it is tried again.', nullable: true, ...TIME })
  retry_at!: string | null;

  @ContractField(() => ConnectorCounters, { description: 'What has come in by it.' })
  counters!: ConnectorCounters;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was made.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: EXAMPLE_KEY })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [ConnectorStep], { description: 'Its latest 50 changes, oldest first.' })
  history!: ConnectorStep[];
}

export const ConnectorPage = pageType('ConnectorPage', () => Connector);

@ArgsType()
export class ConnectorFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only of this kind.', optional: true, enum: [...CONNECTOR_KINDS] })
  kind?: ConnectorKind;

  @ContractField(() => String, { description: 'Only those here.', optional: true, enum: [...CONNECTOR_STATUSES] })
  status?: ConnectorStatus;

  @ContractField(() => String, { description: 'Only of this system.', optional: true, maxLength: 128 })
  source_system?: string;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, ...TIME })
  to?: string;
}

@ObjectType({ description: 'One thing that a connector needs.' })
export class ConnectorCheck {
  @ContractField(() => String, { description: 'What was tried.', example: 'listen' })
  name!: string;

  @ContractField(() => Boolean, { description: 'Whether it can be had.', example: true })
  ok!: boolean;

  @ContractField(() => String, { description: 'What was found.' })
  detail!: string;
}

@ObjectType({ description: 'Whether a connector could do its work, tried without taking a message.' })
export class ConnectorTestResult {
  @ContractField(() => String, { description: 'The connector.', example: 'con_01JQ0000000000000000000001' })
  connector_id!: string;

  @ContractField(() => Boolean, { description: 'Whether every check passed.', example: true })
  ok!: boolean;

  @ContractField(() => [ConnectorCheck], { description: 'What was tried.' })
  checks!: readonly ConnectorCheck[];

  @ContractField(() => String, { description: 'When.', ...TIME })
  tested_at!: string;
}

@ObjectType({ description: 'What became of a body that a system posted to a connector.' })
export class FhirReceipt {
  @ContractField(() => String, {
    description: 'The ingest; null when the body was refused as a whole.',
    nullable: true,
  })
  ingest_id!: string | null;

  @ContractField(() => Int, { description: 'Events appended.', example: 1 })
  accepted!: number;

  @ContractField(() => Int, { description: 'Events that came before.', example: 0 })
  duplicated!: number;

  @ContractField(() => Int, { description: 'Parts refused.', example: 0 })
  rejected!: number;

  @ContractField(() => String, { description: 'OperationOutcome or response Bundle, as JSON text.', nullable: true })
  content!: string | null;

  @ContractField(() => String, { description: 'Why the body was refused as a whole, as a code.', nullable: true })
  refusal_code!: string | null;

  @ContractField(() => String, { description: 'The same in words.', nullable: true })
  refusal_message!: string | null;
}
