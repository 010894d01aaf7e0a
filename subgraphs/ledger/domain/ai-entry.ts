import { AI_PROVENANCE_PARTITION } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { type AiDecision, type AiOverride, OVERRIDDEN_TYPE, RECORDED_TYPE } from './ai-decision.js';

// How decisions stand in the ledger: an envelope of the partition `ai-provenance` whose payload is the record. It follows
// from the record alone, so that the same request run again makes the same entry, and nothing is appended twice.

const FAMILY = 'ai_provenance';

/** Who sent it is a part of what is recorded. */
export interface Sender {
  readonly recorded_by: string;
}

export function decisionEntry(decision: AiDecision, { recorded_by }: Sender): JsonObject {
  const { member_id, recommendation, decided_at } = decision;
  return {
    event_family: FAMILY,
    event_type: RECORDED_TYPE,
    source_system: AI_PROVENANCE_PARTITION,
    source_record_id: decision.decision_id,
    event_effective_timestamp: decided_at,
    outcome: recommendation,
    ...(member_id === undefined ? {} : { member_id }),
    payload: { ...present(decision), recorded_by },
  };
}

export function overrideEntry(override: AiOverride, memberId: string | undefined, { recorded_by }: Sender): JsonObject {
  return {
    event_family: FAMILY,
    event_type: OVERRIDDEN_TYPE,
    source_system: AI_PROVENANCE_PARTITION,
    source_record_id: override.override_id,
    event_effective_timestamp: override.overridden_at,
    outcome: override.outcome,
    ...(memberId === undefined ? {} : { member_id: memberId }),
    payload: { ...present(override), recorded_by },
  };
}

const present = (record: AiDecision | AiOverride): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as JsonObject;

/** What an entry of the partition says. */
export type AiEntry =
  | { readonly kind: 'DECISION'; readonly decision: AiDecision; readonly recorded_by: string }
  | { readonly kind: 'OVERRIDE'; readonly override: AiOverride; readonly recorded_by: string };

/** Reads a record of the partition; null for one that this version does not write. */
export function aiEntryOf(record: JsonObject): AiEntry | null {
  const { event_type: type, payload } = record;
  if (!isJsonObject(payload) || typeof payload['decision_id'] !== 'string') return null;
  const { recorded_by: by, ...members } = payload;
  const recorded_by = String(by);
  if (type === RECORDED_TYPE) return { kind: 'DECISION', decision: members as unknown as AiDecision, recorded_by };
  if (type === OVERRIDDEN_TYPE) return { kind: 'OVERRIDE', override: members as unknown as AiOverride, recorded_by };
  return null;
}
