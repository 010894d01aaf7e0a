import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { NoticeStore } from './ports/notice-store.js';

/** Events that one message names at most; more repetitions of a request are split over several messages. */
const MOST_EVENTS = 1_000;

interface DuplicateReporterDeps {
  readonly notices: NoticeStore;
  readonly outbox: EffectRelay;
  readonly collection: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Reports `event.duplicated` for events that a request repeated (design.md decision 5). */
export class DuplicateReporter {
  readonly #deps: DuplicateReporterDeps;
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: DuplicateReporterDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the notice is durable, before the answer. This process or the sweep sends it afterwards.
   *
   * @param ids ids of the request's work, if it has an Idempotency-Key: a retry of the request reports nothing new.
   */
  async report(tenantId: string, eventIds: Iterable<string>, ids: Ids = this.#deps.ids): Promise<void> {
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

  /** Resolves when no report is being sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #perform(effect: Parameters<NoticeStore['insert']>[0]): Promise<void> {
    const { outbox, notices, collection, logger } = this.#deps;
    try {
      await outbox.relay(collection, effect.id, [effect]);
      await notices.removePerformed(effect.id);
    } catch (error) {
      logger.warn(describeUnexpected(error), 'a performed notice will be removed later');
    }
  }
}
