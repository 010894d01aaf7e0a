import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** Effects of requests that change no record. */
export interface NoticeStore {
  /** Resolves when the effect is durable; leaves an existing one as it is. */
  insert(effect: PendingEffect): Promise<void>;
  /** Removes effects that are performed: the named one, or all. */
  removePerformed(id?: string): Promise<void>;
}
