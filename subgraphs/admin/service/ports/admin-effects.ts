import type { Effect, PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** A rotated key's successor: comes into being with the rotation, which is one write of the old key's document. */
export interface SuccessorKeyEffect extends Effect {
  readonly kind: 'successor-key';
  /** As it is stored. */
  readonly document: Readonly<Record<string, unknown>> & { readonly _id: string };
}

/** Effects that documents of this subgraph carry. */
export type AdminEffect = PendingEffect | SuccessorKeyEffect;
