import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import type { EventDataOf } from '../../../shared/outbox/event-kinds.js';
import { ledgerEntryEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import type { AnswerKind, AnswerRow, AnswerStore } from './ports.js';
import type { RecordedAnswer, StoodOnEvent, StoodOnRule } from './schema.js';

export interface AnswerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly answers: AnswerStore;
}

/** The facts about an answer that the service stores; the answer itself is personal and is not stored. */
interface AnswerRecord {
  readonly tenantId: TenantId;
  readonly eventId: string;
  readonly kind: AnswerKind;
  readonly answerSha256: string;
  readonly rules: readonly StoodOnRule[];
  /** Verdict for receivers of webhooks; null for an answer that raises no event. */
  readonly verdict: EventDataOf<'advocacy.verdict'>['verdict'] | null;
}

/** The partition for records that are not events of a caller (evidence.md section 2 lists the partitions). */
const PARTITION = '_records';

/** Returns the SHA-256 of the canonical form (RFC 8785) of an answer without `answer_sha256` and `recorded`. */
// Answers are JSON by construction; an interface has no index signature for the compiler to see that.
export const answerSha256 = (answer: object): string => sha256Hex(canonicalJson(answer as JsonValue));

/** The stored form of a rule revision that an answer is based on. */
export const basisRule = ({ rule_id, revision, artifact_sha256 }: StoodOnRule): StoodOnRule => ({
  rule_id,
  revision,
  artifact_sha256,
});

const idOf = ({ tenantId, eventId, kind, answerSha256 }: AnswerRecord): string =>
  `${tenantId}/${eventId}/${kind}/${answerSha256}`;

const rowOf = (answer: AnswerRecord, nowMs: number): AnswerRow => ({
  _id: idOf(answer),
  tenant_id: answer.tenantId,
  event_id: answer.eventId,
  kind: answer.kind,
  answer_sha256: answer.answerSha256,
  verdict: answer.verdict,
  rules: answer.rules,
  created_at: new Date(nowMs),
});

/** Answers that a process remembers as stored; reading one of them again costs no query. */
const MAX_REMEMBERED = 20_000;

/**
 * Stores that an answer was returned. A new answer (event, kind and hash, which covers the rule revisions) raises
 * `advocacy.verdict` once, by an effect of its row.
 */
export class AnswerKeeper {
  readonly #deps: AnswerDeps;
  readonly #stored = new Set<string>();

  constructor(deps: AnswerDeps) {
    this.#deps = deps;
  }

  async keep(answer: AnswerRecord): Promise<void> {
    const id = idOf(answer);
    if (this.#stored.has(id)) return;
    const { clock, ids, answers } = this.#deps;
    if ((await answers.find(id)) === null) {
      const row = rowOf(answer, clock.nowMs());
      await answers.insert(row, answer.verdict === null ? [] : [verdictEffect(ids, row, answer.verdict)]);
    }
    const [oldest] = this.#stored;
    if (this.#stored.size >= MAX_REMEMBERED && oldest !== undefined) this.#stored.delete(oldest);
    this.#stored.add(id);
  }
}

const verdictEffect = (ids: Ids, row: AnswerRow, verdict: NonNullable<AnswerRecord['verdict']>) =>
  platformEventEffect(ids, {
    tenant_id: row.tenant_id,
    type: 'advocacy.verdict',
    at: isoTime(row.created_at.getTime()),
    data: { event_id: row.event_id, verdict, answer_sha256: row.answer_sha256 },
  });

/**
 * Records an answer in the ledger, at most once for (event, kind, hash). A repeated request returns the existing entry. The
 * entry holds hashes, ids and revisions, so that a holder of the answer can prove that it is the recorded one.
 */
export async function recordAnswer(
  { clock, ids, answers }: AnswerDeps,
  answer: AnswerRecord,
  events: readonly StoodOnEvent[],
): Promise<RecordedAnswer> {
  const now = clock.nowMs();
  const { eventId: event_id, kind, answerSha256: answer_sha256, rules, verdict } = answer;
  const entry = ledgerEntryEffect(ids, {
    tenant_id: answer.tenantId,
    source_system: PARTITION,
    entry: {
      event_family: 'advocacy',
      event_type: `advocacy.${kind.toLowerCase()}_answered`,
      event_effective_timestamp: isoTime(now),
      ...(verdict !== null && { outcome: verdict }),
      payload: {
        event_id,
        kind,
        answer_sha256,
        rules: rules.map((rule) => ({ ...rule })),
        events: events.map((event) => ({ event_id: event.event_id, entry_hash: event.entry_hash })),
      },
    },
  });
  await answers.insert(rowOf(answer, now), []);
  const id = idOf(answer);
  const known = (await answers.markRecorded(id, entry)) ? null : await answers.find(id);
  return { source_system: PARTITION, source_record_id: known?.recorded_entry_id ?? entry.id };
}
