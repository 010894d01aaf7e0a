import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { LedgerEntryEffect } from '../../../../shared/outbox/pending-effect.js';
import type { ConnectorKind } from '../../domain/connector-kinds.js';
import type { ConnectorAction, ConnectorState } from '../../domain/connector-states.js';

/** What a connector is. How it fares stands apart (ConnectorRun), so that counting changes no revision. */
export interface ConnectorRow {
  readonly connector_id: string;
  readonly tenant_id: TenantId;
  readonly kind: ConnectorKind;
  readonly name: string;
  readonly source_system: string;
  readonly direction: 'INBOUND';
  /** Without secrets. */
  readonly config: JsonObject;
  /** By member: wrapped by the master key, base64. */
  readonly wrapped_secrets: Readonly<Record<string, string>>;
  readonly status: ConnectorState;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  /** Latest last. */
  readonly history: readonly ConnectorStepRow[];
}

export interface ConnectorStepRow {
  readonly revision: number;
  readonly action: ConnectorAction;
  readonly from: ConnectorState | null;
  readonly to: ConnectorState;
  readonly at: Date;
  /** The key that did it; the service itself where none did. */
  readonly by: string;
  /** Of the request that made the change: the same request run again finds it done. */
  readonly work_id: string | null;
}

export interface ConnectorWrite {
  readonly connector: Omit<ConnectorRow, 'history'>;
  readonly step: ConnectorStepRow;
  readonly pending: readonly LedgerEntryEffect[];
}

export interface ConnectorQuery extends ListWindow {
  readonly kind?: ConnectorKind | undefined;
  readonly status?: ConnectorState | undefined;
  readonly source_system?: string | undefined;
}

/** Connectors of one tenant; deleted ones are not among them. */
export interface TenantConnectors {
  get(connectorId: string): Promise<ConnectorRow | null>;
  /** Up to `limit + 1` in order. */
  list(query: ConnectorQuery): Promise<readonly ConnectorRow[]>;
  count(): Promise<number>;
  /** Null when the identifier, or the folder, is taken. Durable when it resolves. */
  insert(write: ConnectorWrite): Promise<ConnectorRow | null>;
  /** Null when it was changed since `revision`, or when its folder is taken. */
  replace(write: ConnectorWrite, revision: number): Promise<ConnectorRow | null>;
  /** Performs what a write has left behind. */
  relay(write: ConnectorWrite): Promise<void>;
}

export interface ConnectorStore {
  forTenant(tenantId: TenantId): TenantConnectors;
  /** Those of all tenants that are to be run: ENABLED and ERROR. */
  toRun(): Promise<readonly ConnectorRow[]>;
}

export interface ConnectorCounts {
  readonly messages: number;
  readonly bytes: number;
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly unreadable: number;
  readonly exceptions: number;
  readonly failures: number;
}

export const NO_COUNTS: ConnectorCounts = {
  messages: 0,
  bytes: 0,
  accepted: 0,
  duplicated: 0,
  rejected: 0,
  unreadable: 0,
  exceptions: 0,
  failures: 0,
};

export interface ConnectorTrouble {
  readonly code: string;
  readonly message: string;
  readonly at: Date;
  readonly raw_sha256?: string;
  readonly byte_offset?: number;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** How a connector fares, and who runs it. */
export interface ConnectorRun {
  readonly connector_id: string;
  readonly counters: ConnectorCounts;
  readonly listening: Listening | null;
  /** The port that it last had: taken again, so that senders find it where it was. */
  readonly last_port: number | null;
  readonly last_message_at: Date | null;
  readonly last_error: ConnectorTrouble | null;
  readonly retry_at: Date | null;
  /** Failures in a row. */
  readonly attempts: number;
  /** How far a poller has come, by resource type. */
  readonly cursor: Readonly<Record<string, string>>;
  /** The process that runs it must have renewed by then. */
  readonly until: Date | null;
}

/** What a run tells of itself; what is absent stays. */
export interface RunNote {
  readonly counts?: Partial<ConnectorCounts>;
  readonly listening?: Listening | null;
  readonly last_port?: number;
  readonly last_message_at?: Date;
  readonly last_error?: ConnectorTrouble;
  readonly retry_at?: Date | null;
  readonly attempts?: number;
  readonly cursor?: Readonly<Record<string, string>>;
}

/** Who runs a connector: the fence is another for every holder, and each of its writes names it. */
export interface RunLease {
  readonly tenantId: TenantId;
  readonly connectorId: string;
  readonly fence: number;
}

export interface ConnectorRuns {
  of(tenantId: TenantId, connectorIds: readonly string[]): Promise<ReadonlyMap<string, ConnectorRun>>;
  /** Null while another holds it. */
  hold(
    connector: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>,
    owner: string,
    nowMs: number,
    untilMs: number,
  ): Promise<RunLease | null>;
  /** False when the lease is lost. */
  renew(lease: RunLease, untilMs: number): Promise<boolean>;
  release(lease: RunLease): Promise<void>;
  /** A holder's note. False when the lease is lost: then nothing was written. */
  note(lease: RunLease, note: RunNote): Promise<boolean>;
  /** A note of who holds no lease: the endpoint, which every process serves. */
  add(connector: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>, note: RunNote): Promise<void>;
}
