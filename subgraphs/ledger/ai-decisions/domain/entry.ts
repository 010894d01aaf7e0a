import { AI_PROVENANCE_PARTITION } from '../../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import { type AiDecision, type AiOverride, type ExportedDecision, OVERRIDDEN_TYPE, RECORDED_TYPE } from './decision.js';

// A decision in the ledger is an envelope of the partition `ai-provenance` with the record as its payload. The envelope
// follows from the record alone, so that a retry of the request makes the same entry and appends nothing twice.

const FAMILY = 'ai_provenance';

/** The sender is part of the record. */
type Sender = Pick<ExportedDecision, 'recorded_by'>;

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
    payload: { ...defined(decision), recorded_by },
  };
}

export function overrideEntry(override: AiOverride, memberId: string | undefined, { recorded_by }: Sender): JsonObject {
  return {
    event_family: FAMILY,
    event_type: OVERRIDDEN_TYPE,
    source_system: AI_PROVENANCE_PARTITION,
    // The record is the decision: one look-up in the ledger finds its entry and all its overrides.
    source_record_id: override.decision_id,
    event_effective_timestamp: override.overridden_at,
    outcome: override.outcome,
    ...(memberId === undefined ? {} : { member_id: memberId }),
    payload: { ...defined(override), recorded_by },
  };
}

/** The members that have a value. */
export const defined = (members: object): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The content of an entry of the partition. */
export type AiEntry =
  | { readonly kind: 'DECISION'; readonly decision: AiDecision; readonly recorded_by: string }
  | { readonly kind: 'OVERRIDE'; readonly override: AiOverride; readonly recorded_by: string };

/** Reads a record of the partition; null for a form that this version does not write. */
export function aiEntryOf(record: JsonObject): AiEntry | null {
  const { event_type: type, payload } = record;
  if (!isJsonObject(payload) || typeof payload['decision_id'] !== 'string') return null;
  const { recorded_by: by, ...members } = payload;
  const recorded_by = String(by);
  if (type === RECORDED_TYPE) return { kind: 'DECISION', decision: recorded<AiDecision>(members), recorded_by };
  if (type === OVERRIDDEN_TYPE) return { kind: 'OVERRIDE', override: recorded<AiOverride>(members), recorded_by };
  return null;
}

/** The contract checked the members before they were recorded, and the reader has verified the record's hash. */
const recorded = <Recorded extends object>(members: object): Recorded => members as Recorded;
