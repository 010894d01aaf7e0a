import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import type { StoredEdgeKind } from './edge-kinds.js';
import { type NodeId, nodeOf, pairNodeOf } from './node-id.js';
import { type EdgeEnd, type GraphRecord, sortedEdges } from './record.js';

// Guesses the code system from the shape of a code: `procedure_codes` and `diagnosis_codes` of events hold codes without
// qualifiers (mapping.md section 2). Uses the names that rules use, so that a rule and an event link to the same node.

const PROCEDURES: readonly (readonly [system: string, shape: RegExp])[] = [
  // CPT: five digits, or four and a letter (categories II and III, proprietary analyses).
  ['CPT', /^\d{4}[0-9A-Z]$/],
  ['HCPCS', /^[A-V]\d{4}$/],
  ['NDC', /^\d{11}$|^\d{4,5}-\d{3,4}-\d{1,2}$/],
  ['LOINC', /^\d{1,7}-\d$/],
  ['ICD10PCS', /^[0-9A-HJ-NP-Z]{7}$/],
  ['REVENUE', /^\d{3,4}$/],
];
const DIAGNOSES: readonly (readonly [system: string, shape: RegExp])[] = [
  ['ICD10CM', /^[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?$/],
  ['ICD10CM', /^U\d{2}(?:\.?\d{1,4})?$/],
  ['ICD9CM', /^(?:\d{3}|V\d{2}|E\d{3})(?:\.?\d{1,2})?$/],
  ['SNOMED', /^\d{6,18}$/],
];

interface ListedCode {
  readonly system: string;
  readonly code: string;
}

const systemOf = (lists: typeof PROCEDURES, code: string): string =>
  lists.find(([, shape]) => shape.test(code))?.[0] ?? 'OTHER';

function procedureCode(written: string): ListedCode {
  const code = written.toUpperCase();
  return { system: systemOf(PROCEDURES, code), code };
}

/** Adds the point to ICD-10 codes, which X12 omits. */
function diagnosisCode(written: string): ListedCode {
  const code = written.toUpperCase();
  const system = systemOf(DIAGNOSES, code);
  const isUndotted = system === 'ICD10CM' && code.length > 3 && !code.includes('.');
  return { system, code: isUndotted ? `${code.slice(0, 3)}.${code.slice(3)}` : code };
}

/** Removes the group code: `50`, `CO50` and `CO-50` are one reason (mapping.md section 2 "payload.carc"). */
const reasonNumber = (code: string): string => code.toUpperCase().replace(/^(?:CO|PR|OA|PI|CR)-?/, '');

/** An event to project into the graph. */
interface ProjectedEvent {
  readonly event_id: string;
  readonly source_system: string;
  readonly recorded_at: string;
  /** Null for a disposed or unreadable event. */
  readonly record: JsonObject | null;
  /** RFC 6901 pointers to leaves that applied redactions hide. */
  readonly hidden: readonly string[];
  /** Set where `record` is null. */
  readonly state?: 'DISPOSED' | 'DAMAGED';
}

/** Values of one kind read from one event; guards against oversized payloads. */
const MAX_OF_A_KIND = 500;

/**
 * Builds the node of an event and the edges of its content. Marks edges that a redaction hides. A disposed event keeps its
 * node without edges (evidence.md section 2 "Disposed"). The same event always yields the same record.
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
    // Consent rules apply to the family even where a redaction hides it.
    category: textOf(record['event_family'])?.toLowerCase() ?? 'event',
    labels: textsOf(payloadOf(record)['sensitivity']).sort(),
    edges: sortedEdges([...plain, ...all.map((edge) => ({ ...edge, hidden: true as const }))]),
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

/** Reads a text, a list of texts, or a list of objects with a `code`. Payloads are free-form; other shapes yield nothing. */
function textsOf(value: JsonValue | undefined): string[] {
  const items = (Array.isArray(value) ? value : [value]).slice(0, MAX_OF_A_KIND);
  return items.flatMap((item) => textOf(isJsonObject(item) ? item['code'] : item) ?? []);
}

const NPI = /^\d{10}$/;

function npisOf(payload: JsonObject): string[] {
  const { providers, provider } = payload;
  const listed = [...(Array.isArray(providers) ? providers.slice(0, MAX_OF_A_KIND) : []), provider ?? null];
  const named = [
    ...listed.map((item) => (isJsonObject(item) ? item['npi'] : undefined)),
    ...Object.entries(payload).flatMap(([name, value]) => (name === 'npi' || name.endsWith('_npi') ? [value] : [])),
  ];
  return named.flatMap((value) => textOf(value) ?? []).filter((npi) => NPI.test(npi));
}

/** Copies a record with the leaves set to null. */
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
