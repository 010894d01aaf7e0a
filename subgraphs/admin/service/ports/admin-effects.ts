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

/** Effects that documents of this subgraph carry. */
export type AdminEffect = PendingEffect | SuccessorKeyEffect | RetireFormerEffect;
