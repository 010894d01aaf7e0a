import { InputType, Int } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

// What `config` of a connector holds, one class for each transport. They cross the graph as JSON; secrets are taken and
// never given back.

const STRICT = { description: 'Refuse what the sender would be told is wrong.', optional: true } as const;
const PEM = { optional: true, minLength: 1, maxLength: 65_536 } as const;
const SECRET = { optional: true, minLength: 1, maxLength: 8_192 } as const;
const transport = (name: string) => ({ description: 'How messages come in.', enum: [name], example: name }) as const;

@InputType({ description: 'An HL7 v2 listener over MLLP: each message is answered when it is durable.' })
export class MllpConnectorConfig {
  @ContractField(() => String, transport('MLLP'))
  transport!: string;

  @ContractField(() => Int, {
    description: 'Port, within the range of the deployment; any free one of it unless told.',
    optional: true,
    minimum: 1,
    maximum: 65_535,
    example: 2_575,
  })
  port?: number;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;

  @ContractField(() => Int, {
    description: 'A longer message ends its connection; 1 MiB unless told.',
    optional: true,
    minimum: 1_024,
    maximum: 16_777_216,
  })
  max_frame_bytes?: number;

  @ContractField(() => Int, {
    description: 'Connections at a time; 64 unless told.',
    optional: true,
    minimum: 1,
    maximum: 1_024,
  })
  max_connections?: number;

  @ContractField(() => Int, {
    description: 'Messages of one connection that may wait for their answers; then it is not read. 16 unless told.',
    optional: true,
    minimum: 1,
    maximum: 256,
  })
  max_in_flight?: number;

  @ContractField(() => Int, {
    description: 'A connection that is silent for so long is closed; 3,600 unless told.',
    optional: true,
    minimum: 1,
    maximum: 86_400,
  })
  idle_seconds?: number;

  @ContractField(() => [String], {
    description: 'Address blocks that senders come from; all unless told.',
    optional: true,
    maxItems: 100,
    items: { minLength: 2, maxLength: 64 },
    example: ['10.1.0.0/16'],
  })
  allowed_addresses?: string[];

  @ContractField(() => String, { description: 'Certificate chain, PEM: the listener then speaks TLS.', ...PEM })
  tls_certificate?: string;

  @ContractField(() => String, { description: 'Its private key, PEM; written and never read.', ...PEM })
  tls_private_key?: string;

  @ContractField(() => String, { description: 'Authority that senders must have a certificate of, PEM.', ...PEM })
  tls_client_ca?: string;
}

@InputType({ description: 'A folder that files are dropped into.' })
export class DropFolderConnectorConfig {
  @ContractField(() => String, transport('DROP_FOLDER'))
  transport!: string;

  @ContractField(() => String, {
    description: "Name of the folder within the tenant's own.",
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    example: 'claims',
  })
  folder!: string;

  @ContractField(() => Int, {
    description: 'How often it is looked into; every 5 seconds unless told.',
    optional: true,
    minimum: 1,
    maximum: 3_600,
  })
  poll_seconds?: number;

  @ContractField(() => Int, {
    description: 'A file is taken when its size has not changed for so long; 5 seconds unless told.',
    optional: true,
    minimum: 0,
    maximum: 3_600,
  })
  stable_seconds?: number;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;

  @ContractField(() => Boolean, { description: 'Write acknowledgements into out/; true unless told.', optional: true })
  acknowledge?: boolean;
}

@InputType({ description: 'Takes FHIR resources and Bundles at POST /v1/connectors/{id}/fhir.' })
export class FhirEndpointConnectorConfig {
  @ContractField(() => String, transport('ENDPOINT'))
  transport!: string;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;
}

@InputType({ description: 'Asks a FHIR server for what was last updated.' })
export class FhirPollConnectorConfig {
  @ContractField(() => String, transport('POLL'))
  transport!: string;

  @ContractField(() => String, {
    description: 'Base address of the server.',
    format: 'uri',
    maxLength: 1_024,
    example: 'https://fhir.example/r4',
  })
  base_url!: string;

  @ContractField(() => [String], {
    description: 'Types of resources that are asked for.',
    minItems: 1,
    maxItems: 32,
    uniqueItems: true,
    items: { pattern: '^[A-Z][A-Za-z]{0,63}$' },
    example: ['ClaimResponse', 'ExplanationOfBenefit'],
  })
  resource_types!: string[];

  @ContractField(() => Int, {
    description: 'How often it is asked; every 60 seconds unless told.',
    optional: true,
    minimum: 1,
    maximum: 86_400,
  })
  poll_seconds?: number;

  @ContractField(() => Int, {
    description: 'Resources asked for at a time (_count); 100 unless told.',
    optional: true,
    minimum: 1,
    maximum: 1_000,
  })
  page_size?: number;

  @ContractField(() => String, {
    description: 'Only what was updated at this time or later; everything unless told.',
    optional: true,
    format: 'date-time',
  })
  since?: string;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;

  @ContractField(() => String, {
    description: 'How the server knows us; NONE unless told.',
    optional: true,
    enum: ['NONE', 'BEARER', 'BASIC'],
  })
  authorization?: string;

  @ContractField(() => String, { description: 'For BASIC.', optional: true, minLength: 1, maxLength: 256 })
  username?: string;

  @ContractField(() => String, { description: 'For BEARER; written and never read.', ...SECRET })
  token?: string;

  @ContractField(() => String, { description: 'For BASIC; written and never read.', ...SECRET })
  password?: string;
}
