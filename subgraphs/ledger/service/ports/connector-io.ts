import type { Target } from '../../../../shared/http/safe-connect/judge-url.js';
import type { SendFailure } from '../../../../shared/http/safe-connect/send-failure.js';
import type { Listening } from './connector-store.js';

/** What the deployment lets connectors have. */
export interface ConnectorLimits {
  /** Folder that drops of all tenants are below; null where there is none. */
  readonly dropDir: string | null;
  readonly mllpHost: string;
  /** Ports that listeners may take; 0 to 0 is any. */
  readonly mllpPorts: { readonly from: number; readonly to: number };
  readonly perTenant: number;
}

/** A trouble of the outside world that is told to the connector's owner: a code, and words without any content. */
export class ConnectorFailure extends Error {
  readonly code: string;
  /** When the other side asked for it. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'ConnectorFailure';
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** One message as it came, and the way to answer it. */
export interface ReceivedFrame {
  readonly bytes: Buffer;
  /** Answers; the connection may be gone. */
  answer(text: string): void;
  /** Ends the connection without an answer: the sender must send again. */
  drop(): void;
}

export interface ListenerSettings {
  readonly host: string;
  /** Tried in this order; 0 is any. */
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
  /** A connection was ended for what it sent: a code of ours. */
  refused(code: 'FRAME_TOO_LONG' | 'NOT_FRAMED' | 'CUT', message: string): void;
  failed(error: Error): void;
}

export interface OpenListener {
  readonly listening: Listening;
  /** Connections that are open now. */
  readonly connections: number;
  /** Nothing is read until `resume`: what has come in is too much. */
  pause(): void;
  resume(): void;
  /** No new connections and no new messages; `close` when what is under way was answered. */
  quiesce(): void;
  close(): Promise<void>;
}

/** @throws ConnectorFailure when no port can be had. */
export type OpenMessageListener = (settings: ListenerSettings, events: ListenerEvents) => Promise<OpenListener>;

/** A file that was claimed: nobody else takes it any more. */
export interface ClaimedFile {
  /** Unique among all files of the folder, and sorted by the time of the claim. */
  readonly name: string;
  readonly sizeBytes: number;
  /** @throws ConnectorFailure when it is no plain file any more. */
  read(): AsyncIterable<Uint8Array>;
}

export interface SeenFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** The folders of one drop. Every name stays within them. */
export interface DropFolder {
  /** Files that lie there; what is no plain file is left alone. */
  list(): Promise<readonly SeenFile[]>;
  /** Moves a file to where only this service looks; null when it is gone. */
  claim(name: string, claimId: string): Promise<ClaimedFile | null>;
  /** What an earlier process claimed and did not finish, oldest first. */
  unfinished(): Promise<readonly ClaimedFile[]>;
  /** Written whole or not at all; the same again writes the same. */
  writeAnswer(file: Pick<ClaimedFile, 'name'>, extension: string, text: string): Promise<void>;
  finish(file: Pick<ClaimedFile, 'name'>, into: 'done' | 'failed'): Promise<void>;
}

/** @throws ConnectorFailure when the folders cannot be had. */
export type OpenDropFolder = (place: {
  readonly base: string;
  readonly tenantId: string;
  readonly folder: string;
}) => Promise<DropFolder>;

export type Fetched =
  | { readonly status: number; readonly retryAfter: string | null; readonly mediaType: string; readonly body: Buffer }
  | { readonly failure: SendFailure | 'too_long' };

/** Asks an address that a tenant named. Follows no redirect. */
export type Fetch = (request: {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) => Promise<Fetched>;
