import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { AccessKind } from '../../domain/member-access/one-time-code.js';
import type { MemberContact } from './access-store.js';

/** A code on its way to a member. */
export interface CodeMessage {
  readonly request_id: string;
  readonly tenant_id: TenantId;
  readonly kind: AccessKind;
  readonly to: MemberContact;
  readonly code: string;
  readonly purpose: string;
  /** Who would read the record; null for the member. */
  readonly requested_by: string | null;
  readonly expires_at: Date;
}

/** Why a code did not go out: a word, nothing personal and nothing of the code. */
export class NotSent extends Error {}

/** How codes reach members; one adapter a way, chosen by SERVICE_NOTIFIER. */
export interface Notifier {
  readonly name: 'log' | 'webhook' | 'smtp';
  /** Resolves when it was handed over. @throws NotSent */
  send(message: CodeMessage): Promise<void>;
  close(): Promise<void>;
}
