import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EventDataOf } from '../../../shared/outbox/event-kinds.js';
import { platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { AnswerKey, AnswerKind, AnswerStore, KeptAnswer, StoodOnRule } from './ports/answer-store.js';

export interface KeepAnswerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly answers: AnswerStore;
}

/** An answer as it is kept. */
export interface GivenAnswer {
  readonly tenantId: TenantId;
  readonly eventId: string;
  readonly kind: AnswerKind;
  readonly answerSha256: string;
  readonly rules: readonly StoodOnRule[];
  /** What receivers of webhooks are told; null for what raises nothing. */
  readonly verdict: EventDataOf<'advocacy.verdict'>['verdict'] | null;
}

export const keyOf = ({ tenantId, eventId, kind, answerSha256 }: GivenAnswer): AnswerKey => ({
  tenant_id: tenantId,
  event_id: eventId,
  kind,
  answer_sha256: answerSha256,
});

/** Most answers that a process remembers to be kept: a read of one of them writes and asks nothing. */
const REMEMBERED = 20_000;

/**
 * Keeps that an answer was given. A new one (event, kind, hash of the answer, which names the revisions) raises
 * `advocacy.verdict` once, by the effect that its row carries.
 */
export class AnswerKeeper {
  readonly #deps: KeepAnswerDeps;
  readonly #kept = new Set<string>();

  constructor(deps: KeepAnswerDeps) {
    this.#deps = deps;
  }

  async keep(given: GivenAnswer): Promise<void> {
    const name = `${given.tenantId}/${given.eventId}/${given.kind}/${given.answerSha256}`;
    if (this.#kept.has(name)) return;
    const key = keyOf(given);
    const { clock, ids, answers } = this.#deps;
    if ((await answers.find(key)) === null) {
      const now = clock.nowMs();
      const pending = given.verdict === null ? [] : [verdictEffect(ids, key, given.verdict, now)];
      if (await answers.insert(rowOf(given, now), pending)) await answers.relay(key, pending);
    }
    const [oldest] = this.#kept;
    if (this.#kept.size >= REMEMBERED && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.add(name);
  }
}

export const rowOf = (given: GivenAnswer, nowMs: number): KeptAnswer => ({
  ...keyOf(given),
  verdict: given.verdict,
  rules: given.rules,
  created_at: new Date(nowMs),
});

const verdictEffect = (ids: Ids, key: AnswerKey, verdict: NonNullable<GivenAnswer['verdict']>, nowMs: number) =>
  platformEventEffect(ids, {
    tenant_id: key.tenant_id,
    type: 'advocacy.verdict',
    at: isoTime(nowMs),
    data: { event_id: key.event_id, verdict, answer_sha256: key.answer_sha256 },
  });
