import { InputType, Int } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';

// The `config` of a connector, one class per transport. It crosses the graph as JSON; secrets are write-only.

const STRICT = { description: 'Reject messages with faults that an acknowledgement reports.', optional: true } as const;
const PEM = { optional: true, minLength: 1, maxLength: 65_536 } as const;
const SECRET = { optional: true, minLength: 1, maxLength: 8_192 } as const;
const transport = (name: string) => ({ description: 'How messages arrive.', enum: [name], example: name }) as const;

@InputType({ description: 'An HL7 v2 listener over MLLP; answers each message when it is durable.' })
export class MllpConnectorConfig {
  @ContractField(() => String, transport('MLLP'))
  transport!: 'MLLP';

  @ContractField(() => Int, {
    description: 'Port in the range of the deployment; default any free one.',
    optional: true,
    minimum: 1,
    maximum: 65_535,
    example: 2_575,
  })
  port?: number;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;

  @ContractField(() => Int, {
    description: 'Longest message; a longer one ends its connection. Default 1 MiB.',
    optional: true,
    minimum: 1_024,
    maximum: 16_777_216,
  })
  max_frame_bytes?: number;

  @ContractField(() => Int, {
    description: 'Concurrent connections; default 64.',
    optional: true,
    minimum: 1,
    maximum: 1_024,
  })
  max_connections?: number;

  @ContractField(() => Int, {
    description: 'Messages of one connection that may wait for answers before reading pauses; default 16.',
    optional: true,
    minimum: 1,
    maximum: 256,
  })
  max_in_flight?: number;

  @ContractField(() => Int, {
    description: 'Seconds of silence after which a connection is closed; default 3,600.',
    optional: true,
    minimum: 1,
    maximum: 86_400,
  })
  idle_seconds?: number;

  @ContractField(() => [String], {
    description: 'Address blocks of allowed senders; default all.',
    optional: true,
    maxItems: 100,
    items: { minLength: 2, maxLength: 64 },
    example: ['10.1.0.0/16'],
  })
  allowed_addresses?: readonly string[];

  @ContractField(() => String, { description: 'Certificate chain, PEM; enables TLS.', ...PEM })
  tls_certificate?: string;

  @ContractField(() => String, { description: 'Its private key, PEM; write-only.', ...PEM })
  tls_private_key?: string;

  @ContractField(() => String, {
    description: "Authority that must have signed the senders' certificates, PEM.",
    ...PEM,
  })
  tls_client_ca?: string;
}

@InputType({ description: 'A folder into which senders drop files.' })
export class DropFolderConnectorConfig {
  @ContractField(() => String, transport('DROP_FOLDER'))
  transport!: 'DROP_FOLDER';

  @ContractField(() => String, {
    description: "Name of the folder below the tenant's folder.",
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    example: 'claims',
  })
  folder!: string;

  @ContractField(() => Int, {
    description: 'Scan interval; default 5 seconds.',
    optional: true,
    minimum: 1,
    maximum: 3_600,
  })
  poll_seconds?: number;

  @ContractField(() => Int, {
    description: 'Time without a change of size before a file is ingested; default 5 seconds.',
    optional: true,
    minimum: 0,
    maximum: 3_600,
  })
  stable_seconds?: number;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;

  @ContractField(() => Boolean, { description: 'Write acknowledgements into out/; default true.', optional: true })
  acknowledge?: boolean;
}

@InputType({ description: 'Accepts FHIR resources and Bundles at POST /v1/connectors/{id}/fhir.' })
export class FhirEndpointConnectorConfig {
  @ContractField(() => String, transport('ENDPOINT'))
  transport!: 'ENDPOINT';

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;
}

@InputType({ description: 'Polls a FHIR server for updated resources.' })
export class FhirPollConnectorConfig {
  @ContractField(() => String, transport('POLL'))
  transport!: 'POLL';

  @ContractField(() => String, {
    description: 'Base address of the server.',
    format: 'uri',
    maxLength: 1_024,
    example: 'https://fhir.example/r4',
  })
  base_url!: string;

  @ContractField(() => [String], {
    description: 'Resource types to query.',
    minItems: 1,
    maxItems: 32,
    uniqueItems: true,
    items: { pattern: '^[A-Z][A-Za-z]{0,63}$' },
    example: ['ClaimResponse', 'ExplanationOfBenefit'],
  })
  resource_types!: readonly string[];

  @ContractField(() => Int, {
    description: 'Poll interval; default 60 seconds.',
    optional: true,
    minimum: 1,
    maximum: 86_400,
  })
  poll_seconds?: number;

  @ContractField(() => Int, {
    description: 'Resources per page (_count); default 100.',
    optional: true,
    minimum: 1,
    maximum: 1_000,
  })
  page_size?: number;

  @ContractField(() => String, {
    description: 'Only resources updated at this time or later; default all.',
    optional: true,
    format: 'date-time',
  })
  since?: string;

  @ContractField(() => Boolean, STRICT)
  strict?: boolean;

  @ContractField(() => String, {
    description: 'Authentication at the server; default NONE.',
    optional: true,
    enum: ['NONE', 'BEARER', 'BASIC'],
  })
  authorization?: 'NONE' | 'BEARER' | 'BASIC';

  @ContractField(() => String, { description: 'For BASIC.', optional: true, minLength: 1, maxLength: 256 })
  username?: string;

  @ContractField(() => String, { description: 'For BEARER; write-only.', ...SECRET })
  token?: string;

  @ContractField(() => String, { description: 'For BASIC; write-only.', ...SECRET })
  password?: string;
}
