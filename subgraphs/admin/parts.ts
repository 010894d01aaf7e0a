import type { AdminDeps } from '../../shared/contracts/deps.js';
import type { ExceptionKind, OutsideException } from '../../shared/contracts/exceptions.js';
import type { SigningPurpose } from '../../shared/contracts/signing-keys.js';
import type { Area } from '../../shared/graph/areas.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import type { Effect, PendingEffect } from '../../shared/outbox/pending-effect.js';
import type { CommitDocument } from '../../shared/records/row-store.js';
import type { AdminStores } from './stores.js';

/** Inserts the successor of a rotated key; the write of the old key carries it. */
export interface SuccessorKeyEffect extends Effect {
  readonly kind: 'successor-key';
  /** The stored document. */
  readonly document: CommitDocument<AdminEffect>;
}

/** Retires the former signing keys after an activation for the same purpose. */
export interface RetireFormerEffect extends Effect {
  readonly kind: 'retire-former';
  readonly tenant_id: TenantId;
  readonly purpose: SigningPurpose;
  /** Activation of the new key. */
  readonly activation: number;
  readonly at: Date;
  /** Author of the activation, for the ledger entries. */
  readonly done_by: JsonObject;
}

/** Opens an exception that a person must handle. */
export interface OpenExceptionEffect extends Effect {
  readonly kind: 'open-exception';
  readonly tenant_id: TenantId;
  readonly exception: OutsideException;
}

/** Resolves an exception. */
export interface ResolveExceptionEffect extends Effect {
  readonly kind: 'resolve-exception';
  readonly tenant_id: TenantId;
  readonly exception_kind: ExceptionKind;
  readonly subject: JsonObject;
  readonly note: string;
}

/** Cancels the waiting deliveries of a deleted webhook. */
interface CancelDeliveriesEffect extends Effect {
  readonly kind: 'cancel-deliveries';
  readonly tenant_id: TenantId;
  readonly webhook_id: string;
}

/** Makes the deliveries that wait for an enabled webhook due. */
export interface HastenDeliveriesEffect extends Effect {
  readonly kind: 'hasten-deliveries';
  readonly tenant_id: TenantId;
  readonly webhook_id: string;
  readonly at: Date;
}

/** Effects of this subgraph's writes. */
export type AdminEffect =
  | PendingEffect
  | SuccessorKeyEffect
  | RetireFormerEffect
  | OpenExceptionEffect
  | ResolveExceptionEffect
  | CancelDeliveriesEffect
  | HastenDeliveriesEffect;

/** The parts that areas share, made once by the root. */
export type AdminParts = AdminDeps & AdminStores;
export type AdminArea = Area<AdminParts>;
