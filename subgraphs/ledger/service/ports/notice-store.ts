import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';

/** Effects that follow from requests which change no record. */
export interface NoticeStore {
  /** Durable when it resolves; one that is there already stays as it is. */
  insert(effect: PendingEffect): Promise<void>;
  /** Those whose effect is performed: the named one, or all. */
  removePerformed(id?: string): Promise<void>;
}
