import type { LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { readExplainData } from '../../../subgraphs/advocacy/explain/adapters/explain-data.js';
import { explain } from '../../../subgraphs/advocacy/explain/domain/explanation.js';
import type { Language } from '../../../subgraphs/advocacy/explain/domain/sentences.js';
import type { ExplanationAnswer } from '../../../subgraphs/advocacy/explain/schema/index.js';

export const data = readExplainData();

export const EVENT_ID = 'evt_01JQ0000000000000000000001';

/** By default a remittance of an unnamed plan. */
export const eventOf = (payload: JsonObject, members: Partial<LedgerEventView> = {}): LedgerEventView => ({
  event_id: EVENT_ID,
  source_system: 'payer',
  sequence: 1,
  recorded_at: '2026-06-02T00:00:00.000Z',
  prev_hash: '0'.repeat(64),
  entry_hash: '1'.repeat(64),
  worm_sha256: '2'.repeat(64),
  state: 'INCLUDED',
  redaction_id: null,
  event_family: 'remittance',
  event_type: 'claim_adjudicated',
  member_id: 'M-1',
  source_record_id: 'R-1',
  effective_at: '2026-06-01T00:00:00.000Z',
  outcome: 'denied',
  payload,
  ...members,
});

export const explained = (
  event: LedgerEventView,
  language: Language = 'en',
  rules: Parameters<typeof explain>[1]['rules'] = [],
): ExplanationAnswer => explain(data, { event, rules, language });

/** Everything of an answer that is read by a person. */
export const wordsOf = ({ summary, reasons, appeal_rights }: ExplanationAnswer): string[] => [
  summary,
  ...reasons.flatMap(({ meaning, why_it_happened, what_to_do }) => [meaning, why_it_happened, what_to_do]),
  appeal_rights.text,
  ...appeal_rights.steps.flatMap(({ name, text }) => [name, text]),
];
