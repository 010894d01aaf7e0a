import type { Target } from '../../../shared/http/safe-connect/judge-url.js';
import type { SendFailure } from '../../../shared/http/safe-connect/send-failure.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Records } from '../../../shared/records/records.js';
import type { StepLine, Stored, StoredMembers } from '../../../shared/records/stored.js';
import type { ConnectorAction, ConnectorState } from './domain/states.js';
import type {
  Connector,
  ConnectorCounters,
  ConnectorError,
  ConnectorListening,
  ConnectorRunMember,
} from './schema/connector.js';

interface OwnMembers {
  /** Encrypted secrets of the configuration by member, in base64; `config` holds the rest. */
  readonly wrapped_secrets: Readonly<Record<string, string>>;
  readonly history: readonly Omit<StepLine<ConnectorState, ConnectorAction>, 'actor_id'>[];
}

/** A connector's definition. Its running state is separate (ConnectorRun), so that counting changes no revision. */
export type ConnectorRow = Stored<Connector, OwnMembers, ConnectorRunMember>;

/** Connectors of one tenant, without the deleted ones. */
export interface TenantConnectors extends Records<ConnectorRow> {
  count(): Promise<number>;
}

export interface ConnectorStore {
  forTenant(tenantId: TenantId): TenantConnectors;
  /** ENABLED and ERROR connectors of all tenants. */
  toRun(): Promise<readonly ConnectorRow[]>;
}

export type ConnectorCounts = StoredMembers<ConnectorCounters>;
export type ConnectorTrouble = StoredMembers<ConnectorError>;
export type Listening = StoredMembers<ConnectorListening>;

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

/** The running state of a connector and its lease. */
export interface ConnectorRun {
  readonly connector_id: string;
  readonly counters: ConnectorCounts;
  readonly listening: Listening | null;
  /** The last port, reused so that senders find the listener again. */
  readonly last_port: number | null;
  readonly last_message_at: Date | null;
  readonly last_error: ConnectorTrouble | null;
  readonly retry_at: Date | null;
  /** Consecutive failures. */
  readonly attempts: number;
  /** The position of a poller, by resource type. */
  readonly cursor: Readonly<Record<string, string>>;
  /** The running process must renew the lease before this time. */
  readonly until: Date | null;
}

/** An update of the running state; absent members stay. */
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

/** A lease: every holder has another fence, and each of its writes names it. */
export interface RunLease {
  readonly tenantId: TenantId;
  readonly connectorId: string;
  readonly fence: number;
}

export interface ConnectorRuns {
  of(tenantId: TenantId, connectorIds: readonly string[]): Promise<ReadonlyMap<string, ConnectorRun>>;
  /** Null while another process holds the lease. */
  hold(
    connector: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>,
    owner: string,
    nowMs: number,
    untilMs: number,
  ): Promise<RunLease | null>;
  /** False if the lease is lost. */
  renew(lease: RunLease, untilMs: number): Promise<boolean>;
  release(lease: RunLease): Promise<void>;
  /** An update by the lease holder. False if the lease is lost; then nothing is written. */
  note(lease: RunLease, note: RunNote): Promise<boolean>;
  /** An update without a lease: by the endpoint, which every process serves. */
  add(connector: Pick<ConnectorRow, 'tenant_id' | 'connector_id'>, note: RunNote): Promise<void>;
}

/** The deployment's limits for connectors. */
export interface ConnectorLimits {
  /** Folder above the drops of all tenants; null if there is none. */
  readonly dropDir: string | null;
  readonly mllpHost: string;
  /** Ports for listeners; 0 to 0 means any. */
  readonly mllpPorts: { readonly from: number; readonly to: number };
  readonly perTenant: number;
}

/** A fault of the outside world for the connector's owner: a code and a message without content. */
export class ConnectorFailure extends Error {
  readonly code: string;
  /** The delay that the other side asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ConnectorFailure';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** One received message and the way to answer it. */
export interface ReceivedFrame {
  readonly bytes: Buffer;
  /** Answers, if the connection is still open. */
  answer(text: string): void;
  /** Ends the connection without an answer: the sender must repeat the message. */
  drop(): void;
}

export interface ListenerSettings {
  readonly host: string;
  /** Tried in this order; 0 means any. */
  readonly ports: Iterable<number>;
  readonly maxFrameBytes: number;
  readonly maxConnections: number;
  readonly maxInFlight: number;
  readonly idleMs: number;
  readonly allowedAddresses: readonly string[];
  readonly tls: { readonly certificate: string; readonly key: string; readonly ca?: string } | null;
}

export interface ListenerEvents {
  frame(frame: ReceivedFrame): void;
  /** A connection was ended because of its data; `code` says why. */
  refused(code: 'FRAME_TOO_LONG' | 'NOT_FRAMED' | 'CUT', message: string): void;
  failed(error: Error & { readonly code?: string }): void;
}

export interface OpenListener {
  readonly listening: Listening;
  /** Open connections. */
  readonly connections: number;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops new connections and messages; call `close` after the pending answers. */
  quiesce(): void;
  close(): Promise<void>;
}

/** @throws ConnectorFailure if no port is available. */
export type OpenMessageListener = (settings: ListenerSettings, events: ListenerEvents) => Promise<OpenListener>;

/** A claimed file: no other process takes it. */
export interface ClaimedFile {
  /** Unique in the folder; sorts by the time of the claim. */
  readonly name: string;
  readonly sizeBytes: number;
  /** @throws ConnectorFailure if it is no regular file any more. */
  read(): AsyncIterable<Uint8Array>;
}

export interface SeenFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** The folders of one drop. No name leads outside them. */
export interface DropFolder {
  /** Lists regular files; ignores anything else. */
  list(): Promise<readonly SeenFile[]>;
  /** Moves a file to the processing folder; null if it is gone. */
  claim(name: string, claimId: string): Promise<ClaimedFile | null>;
  /** Files that an earlier process claimed and did not finish, oldest first. */
  unfinished(): Promise<readonly ClaimedFile[]>;
  /** Writes atomically; a repetition writes the same. */
  writeAnswer(file: Pick<ClaimedFile, 'name'>, extension: string, text: string): Promise<void>;
  finish(file: Pick<ClaimedFile, 'name'>, into: 'done' | 'failed'): Promise<void>;
}

/** @throws ConnectorFailure if the folders are not usable. */
export type OpenDropFolder = (place: {
  readonly base: string;
  readonly tenantId: string;
  readonly folder: string;
}) => Promise<DropFolder>;

type Fetched =
  | { readonly status: number; readonly retryAfter: string | null; readonly mediaType: string; readonly body: Buffer }
  | { readonly failure: SendFailure | 'too_long' };

/** Sends a request to a tenant's URL. Does not follow redirects. */
export type Fetch = (request: {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) => Promise<Fetched>;
