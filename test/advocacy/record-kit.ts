import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { repositoryFile } from '../../app/repository.js';
import type { LedgerEventView } from '../../shared/contracts/event-reads.js';
import type { JsonObject, JsonValue } from '../../shared/json/strict-json.js';
import { readFacts } from '../../subgraphs/advocacy/facts/domain/read-facts.js';
import { recordOf } from '../../subgraphs/advocacy/facts/domain/record.js';
import type { Facts } from '../../subgraphs/advocacy/facts/domain/value.js';
import { evaluateGuideline } from '../../subgraphs/advocacy/guideline/domain/evaluate-guideline.js';
import type { GuidelineResult } from '../../subgraphs/advocacy/guideline/schema.js';

/** Events of a record as tests write them, and the guidelines that come with the service. */

export interface Written {
  readonly payload: JsonObject;
  readonly day?: string;
  readonly family?: string;
  readonly type?: string;
  readonly outcome?: string | null;
  readonly state?: LedgerEventView['state'];
}

export interface WrittenCase {
  readonly payload: JsonObject;
  readonly record: readonly Written[];
}

export function eventView(
  n: number,
  {
    payload,
    day = '2024-06-10',
    family = 'claim',
    type = 'claim_submitted',
    outcome = 'submitted',
    state = 'INCLUDED',
  }: Written,
): LedgerEventView {
  const event_id = `evt_01JQ00000000000000000000${String(n).padStart(2, '0')}`;
  return {
    event_id,
    source_system: 'um-core',
    sequence: n,
    recorded_at: `${day}T12:00:00.000Z`,
    prev_hash: sha256(`before ${n}`),
    entry_hash: sha256(event_id),
    worm_sha256: null,
    state,
    redaction_id: null,
    event_family: family,
    event_type: type,
    member_id: 'M-1',
    source_record_id: `CLM-${n}`,
    effective_at: `${day}T12:00:00.000Z`,
    outcome,
    payload,
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The first is the event judged; the others are its member's, in any order. */
export function recordFrom({ payload, record }: WrittenCase, event: Partial<Written> = {}) {
  const judged = eventView(1, {
    payload,
    day: (payload['service_date'] as string | undefined) ?? '2024-06-10',
    ...event,
  });
  const others = record.map((one, i) => eventView(i + 2, one));
  others.sort((a, b) => ((a.effective_at ?? '') < (b.effective_at ?? '') ? 1 : -1));
  return recordOf(judged, others, false);
}

export const factsOf = (written: WrittenCase): Facts => readFacts(recordFrom(written));

interface StoredGuideline {
  readonly id: string;
  readonly title: string;
  readonly citation: string;
  readonly jurisdiction: string;
  readonly program: string;
  readonly effective_from: string;
}

const codeFile = (name: string): JsonValue =>
  JSON.parse(readFileSync(repositoryFile(`subgraphs/advocacy/corpus/tables/${name}`), 'utf8')) as JsonValue;

export const STARTER = (codeFile('guidelines.json') as unknown as { readonly guidelines: readonly StoredGuideline[] })
  .guidelines;
export const CRITERIA = codeFile('guideline-criteria.json') as JsonObject;

export function guidelineOf(id: string): Parameters<typeof evaluateGuideline>[0] {
  const stored = STARTER.find((one) => one.id === id);
  if (!stored) throw new Error(`there is no guideline ${id}`);
  return {
    rule_id: 'rul_01JQ0000000000000000000001',
    key: id,
    revision: 1,
    title: stored.title,
    kind: 'GUIDELINE',
    citation: stored.citation,
    program: stored.program,
    jurisdiction: stored.jurisdiction,
    effective_from: new Date(`${stored.effective_from}T00:00:00Z`),
    effective_to: null,
    criteria: CRITERIA[id] ?? null,
    artifact_sha256: 'a3'.repeat(32),
  };
}

export function judged(id: string, written: WrittenCase): GuidelineResult {
  const found = evaluateGuideline(guidelineOf(id), factsOf(written));
  if (!found) throw new Error(`${id} is for another programme`);
  return found;
}
