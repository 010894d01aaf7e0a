import { ArgsType, Directive, Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, patchOf, RecordInput, RecordType } from '../../../../shared/graph/members.js';
import { PageArgs, pageType } from '../../../../shared/graph/page.js';
import { JsonScalar, SafeInteger } from '../../../../shared/graph/scalars.js';
import { briefStepOf } from '../../../../shared/graph/step-type.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import { rowCheckOf } from '../../../../shared/records/row-check.js';
import { CONNECTOR_KINDS, type ConnectorKind } from '../domain/kinds.js';
import { CONNECTOR_STATUSES, type ConnectorState, type ConnectorStatus } from '../domain/states.js';

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
    'By transport: MllpConnectorConfig (HL7V2), DropFolderConnectorConfig (X12, NCPDP, HL7V2, FHIR), FhirEndpointConnectorConfig or FhirPollConnectorConfig (FHIR). transport defaults to the first one of the kind. In a patch, null removes a member, and secrets too.',
  shape: { type: 'object', additionalProperties: true },
} as const;

/** The members that callers give to a connector; each is one field of the input, the patch and the answer. */
export abstract class ConnectorMembers {
  @Member(() => String, { description: 'Format of the messages.', ...KIND })
  kind!: ConnectorKind;

  @Member(() => String, { description: 'Name for operators.', ...NAME })
  name!: string;

  @Member(() => String, { description: 'Source system of the events.', ...SYSTEM })
  source_system!: string;

  @Member(() => JsonScalar, { example: { transport: 'MLLP', port: 2_575 }, ...CONFIG })
  config!: JsonObject;
}

@RecordInput({ description: 'A new connector.' })
export class ConnectorInput extends inputOf(ConnectorMembers) {
  @ContractField(() => String, { description: 'INBOUND is the only direction.', optional: true, ...DIRECTION })
  direction?: string;
}

@RecordInput({
  description: 'Changes of a connector: an absent member stays, and so does an absent member of `config`.',
})
export class ConnectorPatch extends patchOf(ConnectorMembers, 'kind') {
  @ContractField(() => Int, {
    description: 'Revision that the caller has read; CONFLICT if the connector has another one.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ObjectType({
  description: 'Counters of a connector: at most one second late, and one second short after a crash.',
})
export class ConnectorCounters {
  @ContractField(() => SafeInteger, { description: 'Messages, files or resources read.', example: 3 })
  messages!: number;

  @ContractField(() => SafeInteger, { description: 'Bytes read.', example: 4_096 })
  bytes!: number;

  @ContractField(() => SafeInteger, { description: 'Events appended.', example: 3 })
  accepted!: number;

  @ContractField(() => SafeInteger, { description: 'Events received before.', example: 0 })
  duplicated!: number;

  @ContractField(() => SafeInteger, { description: 'Rejected parts of messages.', example: 0 })
  rejected!: number;

  @ContractField(() => SafeInteger, { description: 'Unreadable messages.', example: 0 })
  unreadable!: number;

  @ContractField(() => SafeInteger, { description: 'Exceptions opened.', example: 0 })
  exceptions!: number;

  @ContractField(() => SafeInteger, { description: 'Failed attempts to work.', example: 0 })
  failures!: number;
}

@ObjectType({ description: 'Last failure of a connector, without content of messages.' })
export class ConnectorError {
  @ContractField(() => String, { description: 'Code of the failure.', example: 'EADDRINUSE' })
  code!: string;

  @ContractField(() => String, { description: 'Description of the failure.' })
  message!: string;

  @ContractField(() => String, { description: 'Time.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'SHA-256 of the body concerned.', optional: true })
  raw_sha256?: string;

  @ContractField(() => SafeInteger, { description: 'Byte offset of the failure in the body.', optional: true })
  byte_offset?: number;
}

@ObjectType({ description: 'Address that a connector listens at.' })
export class ConnectorListening {
  @ContractField(() => String, { description: 'Address.', example: '127.0.0.1' })
  host!: string;

  @ContractField(() => Int, { description: 'Port.', example: 2_575 })
  port!: number;

  @ContractField(() => Boolean, { description: 'True for TLS.', example: false })
  tls!: boolean;
}

@RecordType({ description: 'One step of a connector.' })
class ConnectorStep extends briefStepOf('DISABLED') {}

@Directive('@key(fields: "connector_id")')
@RecordType({ description: 'A way in that the service keeps open.' })
export class Connector extends outputOf(ConnectorMembers) {
  @ContractField(() => String, {
    description: 'Identifier of the connector.',
    example: 'con_01JQ0000000000000000000001',
  })
  connector_id!: string;

  @ContractField(() => String, { description: 'Tenant of the connector.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'INBOUND is the only direction.', ...DIRECTION })
  direction!: 'INBOUND';

  @ContractField(() => [String], { description: 'Names of the secrets in the configuration.', example: [] })
  secrets!: string[];

  @ContractField(() => String, {
    description: 'Current status.',
    example: 'ENABLED',
    enum: [...CONNECTOR_STATUSES, 'DELETED'],
  })
  status!: ConnectorState;

  @ContractField(() => [String], {
    description: 'Actions allowed now.',
    example: ['disable', 'update', 'delete'],
  })
  allowed_actions!: string[];

  @ContractField(() => ConnectorListening, { description: 'Address of the open listener.', nullable: true })
  listening!: ConnectorListening | null;

  @ContractField(() => String, { description: 'Time of the last message.', nullable: true, ...TIME })
  last_message_at!: string | null;

  @ContractField(() => ConnectorError, { description: 'Last failure.', nullable: true })
  last_error!: ConnectorError | null;

  @ContractField(() => String, { description: 'Time of the next attempt.', nullable: true, ...TIME })
  retry_at!: string | null;

  @ContractField(() => ConnectorCounters, { description: 'Counters since its creation.' })
  counters!: ConnectorCounters;

  @ContractField(() => Int, { description: 'Number of the current revision.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'Time of creation.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'Key that created it.', example: EXAMPLE_KEY })
  created_by!: string;

  @ContractField(() => String, { description: 'Time of the last change.', ...TIME })
  updated_at!: string;

  @ContractField(() => [ConnectorStep], { description: 'The latest 50 steps, oldest first.' })
  history!: ConnectorStep[];
}

/** Members that runs store, or that the row stores in another form. */
const RUN_MEMBERS = ['secrets', 'listening', 'last_message_at', 'last_error', 'retry_at', 'counters'] as const;
export type ConnectorRunMember = (typeof RUN_MEMBERS)[number];

export const CONNECTOR_ROW = rowCheckOf(Connector, { own: { wrapped_secrets: 'json' }, omitted: RUN_MEMBERS });

export const ConnectorPage = pageType('ConnectorPage', () => Connector);

@ArgsType()
export class ConnectorFilter extends PageArgs {
  @ContractField(() => String, {
    description: 'Only connectors of this kind.',
    optional: true,
    enum: [...CONNECTOR_KINDS],
  })
  kind?: ConnectorKind;

  @ContractField(() => String, {
    description: 'Only connectors with this status.',
    optional: true,
    enum: [...CONNECTOR_STATUSES],
  })
  status?: ConnectorStatus;

  @ContractField(() => String, {
    description: 'Only connectors of this source system.',
    optional: true,
    maxLength: 128,
  })
  source_system?: string;

  @ContractField(() => String, { description: 'Created at this time or later.', optional: true, ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Created before this time.', optional: true, ...TIME })
  to?: string;
}

@ObjectType({ description: 'One requirement of a connector.' })
class ConnectorCheck {
  @ContractField(() => String, { description: 'Name of the check.', example: 'listen' })
  name!: string;

  @ContractField(() => Boolean, { description: 'Whether the check passed.', example: true })
  ok!: boolean;

  @ContractField(() => String, { description: 'What was found.' })
  detail!: string;
}

@ObjectType({ description: 'Whether a connector can work, checked without taking a message.' })
export class ConnectorTestResult {
  @ContractField(() => String, {
    description: 'Identifier of the connector.',
    example: 'con_01JQ0000000000000000000001',
  })
  connector_id!: string;

  @ContractField(() => Boolean, { description: 'Whether every check passed.', example: true })
  ok!: boolean;

  @ContractField(() => [ConnectorCheck], { description: 'Name of the check.' })
  checks!: readonly ConnectorCheck[];

  @ContractField(() => String, { description: 'Time.', ...TIME })
  tested_at!: string;
}

@ObjectType({ description: 'Result of a body posted to a connector.' })
export class FhirReceipt {
  @ContractField(() => String, {
    description: 'The ingest; null if the body was rejected as a whole.',
    nullable: true,
  })
  ingest_id!: string | null;

  @ContractField(() => Int, { description: 'Events appended.', example: 1 })
  accepted!: number;

  @ContractField(() => Int, { description: 'Events received before.', example: 0 })
  duplicated!: number;

  @ContractField(() => Int, { description: 'Parts rejected.', example: 0 })
  rejected!: number;

  @ContractField(() => String, { description: 'OperationOutcome or response Bundle, as JSON text.', nullable: true })
  content!: string | null;

  @ContractField(() => String, {
    description: 'Code of the reason for which the body was rejected as a whole.',
    nullable: true,
  })
  refusal_code!: string | null;

  @ContractField(() => String, { description: 'Description of that reason.', nullable: true })
  refusal_message!: string | null;
}
