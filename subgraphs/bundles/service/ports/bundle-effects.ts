import type { OutsideException } from '../../../../shared/contracts/exceptions.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Effect, PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** A build that failed must be looked at; what is built again resolves it. */
export interface BundleExceptionEffect extends Effect {
  readonly kind: 'open-exception';
  readonly tenant_id: TenantId;
  readonly exception: OutsideException;
}

export interface BundleResolvedEffect extends Effect {
  readonly kind: 'resolve-exception';
  readonly tenant_id: TenantId;
  readonly subject: OutsideException['subject'];
  readonly note: string;
}

/** A sealed bundle whose signature is to be time-stamped, where the deployment names an authority. */
export interface BundleTimestampEffect extends Effect {
  readonly kind: 'ask-timestamp';
  readonly tenant_id: TenantId;
  readonly bundle_id: string;
}

export type BundleEffect = PendingEffect | BundleTimestampEffect | BundleExceptionEffect | BundleResolvedEffect;
