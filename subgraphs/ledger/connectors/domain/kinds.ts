import type { RawFormat } from '../../formats/domain.js';
import type {
  DropFolderConnectorConfig,
  FhirEndpointConnectorConfig,
  FhirPollConnectorConfig,
  MllpConnectorConfig,
} from '../schema/config.js';

export const CONNECTOR_KINDS = ['FHIR', 'HL7V2', 'X12', 'NCPDP'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

/** How messages arrive. */
const CONNECTOR_TRANSPORTS = ['MLLP', 'DROP_FOLDER', 'ENDPOINT', 'POLL'] as const;
export type ConnectorTransport = (typeof CONNECTOR_TRANSPORTS)[number];

/** Transports of each kind; the first is the default. */
const TRANSPORTS: Readonly<Record<ConnectorKind, readonly [ConnectorTransport, ...ConnectorTransport[]]>> = {
  FHIR: ['ENDPOINT', 'POLL', 'DROP_FOLDER'],
  HL7V2: ['MLLP', 'DROP_FOLDER'],
  X12: ['DROP_FOLDER'],
  NCPDP: ['DROP_FOLDER'],
};

export const transportsOf = (kind: ConnectorKind): readonly [ConnectorTransport, ...ConnectorTransport[]] =>
  TRANSPORTS[kind];

const FORMATS: Readonly<Record<ConnectorKind, RawFormat>> = {
  FHIR: 'fhir',
  HL7V2: 'hl7v2',
  X12: 'x12',
  NCPDP: 'ncpdp',
};

export const formatOf = (kind: ConnectorKind): RawFormat => FORMATS[kind];

/** Contract type that checks the configuration of each transport. */
export const CONFIG_TYPES: Readonly<Record<ConnectorTransport, string>> = {
  MLLP: 'MllpConnectorConfig',
  DROP_FOLDER: 'DropFolderConnectorConfig',
  ENDPOINT: 'FhirEndpointConnectorConfig',
  POLL: 'FhirPollConnectorConfig',
};

/** Write-only members: stored encrypted, shown by name only. */
export const SECRET_MEMBERS: Readonly<Record<ConnectorTransport, readonly string[]>> = {
  MLLP: ['tls_private_key'],
  DROP_FOLDER: [],
  ENDPOINT: [],
  POLL: ['token', 'password'],
};

export type MllpConfig = Readonly<MllpConnectorConfig>;
export type DropFolderConfig = Readonly<DropFolderConnectorConfig>;
export type FhirPollConfig = Readonly<FhirPollConnectorConfig>;
export type ConnectorConfig = MllpConfig | DropFolderConfig | FhirPollConfig | Readonly<FhirEndpointConnectorConfig>;

/** For members that the contract type of their transport has checked. */
export const isConfig = (members: object): members is ConnectorConfig =>
  'transport' in members && CONNECTOR_TRANSPORTS.some((transport) => transport === members.transport);
