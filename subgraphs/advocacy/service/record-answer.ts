import { isoTime } from '../../../shared/clock/clock.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { type GivenAnswer, type KeepAnswerDeps, keyOf, rowOf } from './keep-answer.js';

/** The partition of what is no caller's event (evidence.md section 2 closes the list of partitions). */
const PARTITION = '_records';

/** Where a recorded answer stands in the ledger. */
export interface RecordedAnswer {
  readonly source_system: typeof PARTITION;
  readonly source_record_id: string;
}

/** An event that an answer stood on. */
export interface StoodOnEvent {
  readonly event_id: string;
  readonly entry_hash: string;
}

/**
 * Makes an answer an entry of the ledger, at most once for (event, kind, hash of the answer): asked again, the entry that
 * is there is named. The entry holds hashes, ids and revisions; who has the answer can prove that it is the one recorded.
 */
export async function recordAnswer(
  { clock, ids, answers }: KeepAnswerDeps,
  given: GivenAnswer,
  stoodOn: readonly StoodOnEvent[],
): Promise<RecordedAnswer> {
  const key = keyOf(given);
  const now = clock.nowMs();
  const entry = ledgerEntryEffect(ids, {
    tenant_id: given.tenantId,
    source_system: PARTITION,
    entry: {
      event_family: 'advocacy',
      event_type: `advocacy.${given.kind.toLowerCase()}_answered`,
      event_effective_timestamp: isoTime(now),
      ...(given.verdict !== null && { outcome: given.verdict }),
      payload: payloadOf(given, stoodOn),
    },
  });
  await answers.insert(rowOf({ ...given }, now), []);
  if (await answers.markRecorded(key, entry.id, [entry])) {
    await answers.relay(key, [entry]);
    return { source_system: PARTITION, source_record_id: entry.id };
  }
  const known = await answers.find(key);
  return { source_system: PARTITION, source_record_id: known?.recorded_entry_id ?? entry.id };
}

const payloadOf = (given: GivenAnswer, stoodOn: readonly StoodOnEvent[]): JsonObject => ({
  event_id: given.eventId,
  kind: given.kind,
  answer_sha256: given.answerSha256,
  rules: given.rules.map((rule) => ({ ...rule })),
  events: stoodOn.map(({ event_id, entry_hash }) => ({ event_id, entry_hash })),
});
