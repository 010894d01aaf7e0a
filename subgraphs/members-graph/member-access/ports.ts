import type { ExtraRow } from '../../../shared/graph/extra.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { AccessKind, CodeStatus, SessionStatus } from './domain.js';

/** A requested code. */
export interface CodeRequest extends ExtraRow {
  readonly request_id: string;
  readonly tenant_id: TenantId;
  readonly kind: AccessKind;
  /** As the caller named the member. */
  readonly member_id: string;
  /** False for an unknown member; its code cannot be verified. */
  readonly known: boolean;
  readonly purpose: string;
  readonly requested_by: string | null;
  /** Lifetime of the token that the code opens. */
  readonly token_seconds: number;
  /** HMAC of request id and code, under the tenant's key. */
  readonly code_hmac: string;
  readonly tries: number;
  readonly status: CodeStatus;
  /** Work id of the request that verified the code; a repeated request finds its step done. */
  readonly verified_by: string | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly expires_at: Date;
}

/** A step of a code and its effects. */
interface CodeStep {
  readonly status: CodeStatus;
  readonly verified_by?: string | null;
  readonly updated_at: Date;
  readonly pending: readonly PendingEffect[];
}

/** Codes of one tenant. */
export interface TenantCodes {
  get(requestId: string): Promise<CodeRequest | null>;
  /** Durable when it resolves. @returns false if the identifier is taken */
  insert(request: CodeRequest, pending: readonly PendingEffect[]): Promise<boolean>;
  /** Counts an attempt on a code that is PENDING and not expired. @returns null if no attempt is left */
  takeAttempt(kind: AccessKind, requestId: string, maxTries: number, atMs: number): Promise<CodeRequest | null>;
  /** Takes a step of a PENDING code. @returns null if it is no longer PENDING */
  step(requestId: string, step: CodeStep): Promise<CodeRequest | null>;
}

export type CodeStore = (tenantId: TenantId) => TenantCodes;

/** The session that a verified code opened. */
export interface Session {
  readonly session_id: string;
  readonly tenant_id: TenantId;
  readonly kind: AccessKind;
  readonly member_id: string;
  readonly purpose: string;
  readonly requested_by: string | null;
  readonly status: SessionStatus;
  readonly access_hmac: string;
  readonly access_until: Date;
  /** Null if the session cannot be renewed. */
  readonly refresh_hmac: string | null;
  /** Hashes of used refresh tokens, oldest first. */
  readonly used_refresh_hmacs: readonly string[];
  readonly ends_at: Date;
  /** Work id of the last request that changed the session. */
  readonly work_id: string | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SessionWrite {
  readonly session: Session;
  readonly pending: readonly PendingEffect[];
}

/** Sessions of one tenant. */
interface TenantSessions {
  get(sessionId: string): Promise<Session | null>;
  /** @returns false if the session exists */
  insert(write: SessionWrite): Promise<boolean>;
  /** @returns false if the session has another revision */
  replace(write: SessionWrite, revision: number): Promise<boolean>;
}

export interface SessionStore {
  forTenant(tenantId: TenantId): TenantSessions;
  /** Reads a session without a tenant, for tokens, which name none. */
  byId(sessionId: string): Promise<Session | null>;
}

/** Counts actions in a time window across all processes. */
export interface CodeLimits {
  /**
   * Counts one action, also if it exceeds the limit.
   *
   * @param name stored as a hash
   * @returns seconds to wait; null if the action is allowed
   */
  take(name: string, limit: number, windowMs: number): Promise<number | null>;
}

/** Returns the contact data of a member; null for an unknown member. */
export type MemberContacts = (tenantId: TenantId, memberId: string) => Promise<MemberContact | null>;

interface MemberContact {
  /** The surviving identifier. */
  readonly member_id: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
}

/** A code to send to a member. */
export interface CodeMessage {
  readonly request_id: string;
  readonly tenant_id: TenantId;
  readonly kind: AccessKind;
  readonly to: MemberContact;
  readonly code: string;
  readonly purpose: string;
  /** Person who wants to read the record; null for the member. */
  readonly requested_by: string | null;
  readonly expires_at: Date;
}

/** A code was not sent; the message is a reason without personal data. */
export class NotSent extends Error {}

/** Sends codes to members; SERVICE_NOTIFIER chooses the adapter. */
export interface Notifier {
  readonly name: 'log' | 'webhook' | 'smtp';
  /** Resolves when the next system has accepted the message. @throws NotSent */
  send(message: CodeMessage): Promise<void>;
  close(): Promise<void>;
}
