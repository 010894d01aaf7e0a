import type { RawFormat } from './sniff-format.js';

export const CONNECTOR_KINDS = ['FHIR', 'HL7V2', 'X12', 'NCPDP'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

/** How messages come in. */
export const CONNECTOR_TRANSPORTS = ['MLLP', 'DROP_FOLDER', 'ENDPOINT', 'POLL'] as const;
export type ConnectorTransport = (typeof CONNECTOR_TRANSPORTS)[number];

/** What each kind may come by; the first is taken where none is told. */
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

/** Contract type that the configuration of each transport is held to. */
export const CONFIG_TYPES: Readonly<Record<ConnectorTransport, string>> = {
  MLLP: 'MllpConnectorConfig',
  DROP_FOLDER: 'DropFolderConnectorConfig',
  ENDPOINT: 'FhirEndpointConnectorConfig',
  POLL: 'FhirPollConnectorConfig',
};

/** Members that are written and never read: kept encrypted, and shown by name alone. */
export const SECRET_MEMBERS: Readonly<Record<ConnectorTransport, readonly string[]>> = {
  MLLP: ['tls_private_key'],
  DROP_FOLDER: [],
  ENDPOINT: [],
  POLL: ['token', 'password'],
};

/** An HL7 v2 listener as it is run. */
export interface MllpConfig {
  readonly transport: 'MLLP';
  /** Absent: any free one of the deployment's range. */
  readonly port?: number;
  readonly strict?: boolean;
  readonly max_frame_bytes?: number;
  readonly max_connections?: number;
  readonly max_in_flight?: number;
  readonly idle_seconds?: number;
  readonly allowed_addresses?: readonly string[];
  readonly tls_certificate?: string;
  readonly tls_private_key?: string;
  readonly tls_client_ca?: string;
}

export interface DropFolderConfig {
  readonly transport: 'DROP_FOLDER';
  readonly folder: string;
  readonly poll_seconds?: number;
  readonly stable_seconds?: number;
  readonly strict?: boolean;
  readonly acknowledge?: boolean;
}

export interface FhirEndpointConfig {
  readonly transport: 'ENDPOINT';
  readonly strict?: boolean;
}

export interface FhirPollConfig {
  readonly transport: 'POLL';
  readonly base_url: string;
  readonly resource_types: readonly string[];
  readonly poll_seconds?: number;
  readonly page_size?: number;
  readonly since?: string;
  readonly strict?: boolean;
  readonly authorization?: 'NONE' | 'BEARER' | 'BASIC';
  readonly username?: string;
  readonly token?: string;
  readonly password?: string;
}

export type ConnectorConfig = MllpConfig | DropFolderConfig | FhirEndpointConfig | FhirPollConfig;
