import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import { diagnosisCode, type ListedCode, procedureCode, reasonNumber } from './code-systems.js';
import type { StoredEdgeKind } from './edge-kinds.js';
import { type EdgeEnd, type GraphRecord, settledEdges } from './graph-record.js';
import { type NodeId, nodeOf, pairNodeOf } from './node-id.js';

/** An event as the graph takes it in. */
export interface ProjectedEvent {
  readonly event_id: string;
  readonly source_system: string;
  readonly recorded_at: string;
  /** Null when it is disposed of, or cannot be read. */
  readonly record: JsonObject | null;
  /** RFC 6901: leaves that applied redactions hide. */
  readonly hidden: readonly string[];
  /** Where there is no record. */
  readonly state?: 'DISPOSED' | 'DAMAGED';
}

/** Of one kind in one event: what holds more was made to be costly, and the record keeps all. */
const MOST_OF_A_KIND = 500;

/**
 * The node of an event and the edges that its content says. What a redaction hides is marked so; of an event whose content
 * is gone the node alone stays (evidence.md section 2 "Disposed"). The same for the same event, whenever it is made.
 */
export function eventRecord(event: ProjectedEvent): GraphRecord | undefined {
  const node = nodeOf('event', event.event_id);
  if (node === undefined) return undefined;
  const { record, source_system } = event;
  if (record === null) {
    const status = event.state ?? 'DISPOSED';
    const at_ms = instantOf(event.recorded_at) ?? 0;
    return { node, kind: 'event', at_ms, label: null, status, source_system, category: 'event', labels: [], edges: [] };
  }
  const shown = event.hidden.length === 0 ? record : withoutLeaves(record, event.hidden);
  const plain = edgesOfContent(shown, source_system);
  const all = shown === record ? [] : edgesOfContent(record, source_system);
  return {
    node,
    kind: 'event',
    at_ms: instantOf(textOf(record['event_effective_timestamp']) ?? '') ?? instantOf(event.recorded_at) ?? 0,
    label: textOf(shown['event_type'])?.toLowerCase() ?? null,
    status: textOf(shown['outcome'])?.toLowerCase() ?? null,
    source_system,
    // Consent is judged by what the event is, hidden or not.
    category: textOf(record['event_family'])?.toLowerCase() ?? 'event',
    labels: textsOf(payloadOf(record)['sensitivity']).sort(),
    edges: settledEdges([...plain, ...all.map((edge) => ({ ...edge, hidden: true as const }))]),
  };
}

function edgesOfContent(record: JsonObject, sourceSystem: string): EdgeEnd[] {
  const payload = payloadOf(record);
  const edges: EdgeEnd[] = [];
  const add = (kind: StoredEdgeKind, targets: readonly (NodeId | undefined)[]): void => {
    for (const to of new Set(targets)) if (to !== undefined) edges.push({ kind, to });
  };
  add('CONCERNS', [nodeOf('member', textOf(record['member_id']) ?? '')]);
  add(
    'INVOLVES',
    npisOf(payload).map((npi) => nodeOf('provider', npi)),
  );
  add(
    'ABOUT_CLAIM',
    textsOf(payload['claim_id']).map((id) => pairNodeOf('claim', sourceSystem, id)),
  );
  add(
    'PROCEDURE',
    textsOf(payload['procedure_codes']).map((code) => codeNode(procedureCode(code))),
  );
  add(
    'DIAGNOSIS',
    textsOf(payload['diagnosis_codes']).map((code) => codeNode(diagnosisCode(code))),
  );
  add('REASON', [
    ...textsOf(payload['carc']).map((code) => pairNodeOf('code', 'CARC', reasonNumber(code))),
    ...textsOf(payload['rarc']).map((code) => pairNodeOf('code', 'RARC', code)),
    ...textsOf(payload['reject_codes']).map((code) => pairNodeOf('code', 'NCPDP', code)),
  ]);
  add('IN_MATTER', [nodeOf('matter', textOf(payload['matter_id']) ?? '')]);
  return edges;
}

const codeNode = ({ system, code }: ListedCode): NodeId | undefined => pairNodeOf('code', system, code);

const payloadOf = ({ payload }: JsonObject): JsonObject => (isJsonObject(payload) ? payload : {});

function textOf(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** A text, a list of texts, or of objects with a `code`; a payload is free, and what has another shape says nothing. */
function textsOf(value: JsonValue | undefined): string[] {
  const items = (Array.isArray(value) ? value : [value]).slice(0, MOST_OF_A_KIND);
  return items.flatMap((item) => textOf(isJsonObject(item) ? item['code'] : item) ?? []);
}

const NPI = /^\d{10}$/;

function npisOf(payload: JsonObject): string[] {
  const { providers, provider } = payload;
  const listed = [...(Array.isArray(providers) ? providers.slice(0, MOST_OF_A_KIND) : []), provider ?? null];
  const named = [
    ...listed.map((item) => (isJsonObject(item) ? item['npi'] : undefined)),
    ...Object.entries(payload).flatMap(([name, value]) => (name === 'npi' || name.endsWith('_npi') ? [value] : [])),
  ];
  return named.flatMap((value) => textOf(value) ?? []).filter((npi) => NPI.test(npi));
}

/** A copy in which the leaves say nothing. */
function withoutLeaves(record: JsonObject, pointers: readonly string[]): JsonObject {
  const copy = structuredClone(record);
  for (const pointer of pointers) {
    const path = pointer
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = path.pop();
    let holder: JsonValue | undefined = copy;
    for (const token of path) holder = memberOf(holder, token);
    if (last === undefined) return {};
    if (Array.isArray(holder)) holder[Number(last)] = null;
    else if (isJsonObject(holder) && Object.hasOwn(holder, last)) holder[last] = null;
  }
  return copy;
}

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(token)];
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}
