import {
  claimIdsOf,
  diagnosesOf,
  type ListedCode,
  npisOf,
  payloadOf,
  proceduresOf,
  reasonsOf,
  textOf,
  textsOf,
} from '../../../../shared/event-keys/payload-codes.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';
import type { StoredEdgeKind } from './edge-kinds.js';
import { type NodeId, nodeOf, pairNodeOf } from './node-id.js';
import { type EdgeEnd, type GraphRecord, sortedEdges } from './record.js';

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
    claimIdsOf(payload).map((id) => pairNodeOf('claim', sourceSystem, id)),
  );
  add('PROCEDURE', proceduresOf(payload).map(codeNode));
  add('DIAGNOSIS', diagnosesOf(payload).map(codeNode));
  add('REASON', reasonsOf(payload).map(codeNode));
  add('IN_MATTER', [nodeOf('matter', textOf(payload['matter_id']) ?? '')]);
  return edges;
}

const codeNode = ({ system, code }: ListedCode): NodeId | undefined => pairNodeOf('code', system, code);

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
