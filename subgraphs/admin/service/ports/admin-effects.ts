import type { ExceptionKind, OutsideException } from '../../../../shared/contracts/exceptions.js';
import type { SigningPurpose } from '../../../../shared/contracts/signing-keys.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { Effect, PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** A rotated key's successor: comes into being with the rotation, which is one write of the old key's document. */
export interface SuccessorKeyEffect extends Effect {
  readonly kind: 'successor-key';
  /** As it is stored. */
  readonly document: Readonly<Record<string, unknown>> & { readonly _id: string };
}

/** A signing key has become the active one: whichever was so before it for the same purpose is retired. */
export interface RetireFormerEffect extends Effect {
  readonly kind: 'retire-former';
  readonly tenant_id: TenantId;
  readonly purpose: SigningPurpose;
  /** Of the key that is active now. */
  readonly activation: number;
  readonly at: Date;
  /** Who activated it, as entries say so. */
  readonly done_by: JsonObject;
}

/** Something that a person must look at follows from a change. */
export interface OpenExceptionEffect extends Effect {
  readonly kind: 'open-exception';
  readonly tenant_id: TenantId;
  readonly exception: OutsideException;
}

/** A change puts right what a person was to look at. */
export interface ResolveExceptionEffect extends Effect {
  readonly kind: 'resolve-exception';
  readonly tenant_id: TenantId;
  readonly exception_kind: ExceptionKind;
  readonly subject: JsonObject;
  readonly note: string;
}

/** A subscription is deleted: what waits to be sent to it is never to be sent. */
export interface CancelDeliveriesEffect extends Effect {
  readonly kind: 'cancel-deliveries';
  readonly tenant_id: TenantId;
  readonly webhook_id: string;
}

/** A subscription is ACTIVE again: what has waited for it since before `at` is due. */
export interface HastenDeliveriesEffect extends Effect {
  readonly kind: 'hasten-deliveries';
  readonly tenant_id: TenantId;
  readonly webhook_id: string;
  readonly at: Date;
}

/** Effects that documents of this subgraph carry. */
export type AdminEffect =
  | PendingEffect
  | SuccessorKeyEffect
  | RetireFormerEffect
  | OpenExceptionEffect
  | ResolveExceptionEffect
  | CancelDeliveriesEffect
  | HastenDeliveriesEffect;
