import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { NoticeStore } from './ports/notice-store.js';

/** Events that one message names at most; a request that repeats more is told in several. */
const MOST_EVENTS = 1_000;

export interface DuplicateTellerDeps {
  readonly notices: NoticeStore;
  readonly outbox: EffectRelay;
  readonly collection: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Tells `event.duplicated`: what a request repeated of what the ledger holds (design.md decision 5). */
export class DuplicateTeller {
  readonly #deps: DuplicateTellerDeps;
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: DuplicateTellerDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when it is written that it be told: before the answer. Told it is behind it, by this process or by the sweep.
   *
   * @param ids of the request's work, where it has an Idempotency-Key: the same request run again tells nothing new.
   */
  async tell(tenantId: string, eventIds: Iterable<string>, ids: Ids = this.#deps.ids): Promise<void> {
    const all = [...new Set(eventIds)];
    const at = isoTime(this.#deps.clock.nowMs());
    for (let from = 0; from < all.length; from += MOST_EVENTS) {
      const effect = platformEventEffect(ids, {
        tenant_id: tenantId as TenantId,
        type: 'event.duplicated',
        at,
        data: { event_ids: all.slice(from, from + MOST_EVENTS) },
      });
      await this.#deps.notices.insert(effect);
      const performing = this.#perform(effect).finally(() => this.#underWay.delete(performing));
      this.#underWay.add(performing);
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #perform(effect: Parameters<NoticeStore['insert']>[0]): Promise<void> {
    const { outbox, notices, collection, logger } = this.#deps;
    try {
      await outbox.relay(collection, effect.id, [effect]);
      await notices.removePerformed(effect.id);
    } catch (error) {
      logger.warn(describeUnexpected(error), 'a notice that is performed is removed later');
    }
  }
}
