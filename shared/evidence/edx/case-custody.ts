import { hash } from 'node:crypto';
import type { JsonObject } from '../../json/strict-json.js';
import type { ExportRecord } from './export-record.js';
import type { ExportSource } from './export-source.js';
import type { TraceRow } from './trace-rows.js';

// Chain of custody in CASE 1.4 over UCO 1.4 (caseontology.org, unifiedcyberontology.org), as JSON-LD: every record of the
// production is an observable with a provenance record under its control number, every act on it an investigative action.

const CASE = 'https://ontology.caseontology.org/case/investigation/';
const UCO = 'https://ontology.unifiedcyberontology.org/uco';

export const CASE_CONTEXT: JsonObject = {
  kb: 'urn:evidentiary-audit-service:',
  'case-investigation': CASE,
  'uco-action': `${UCO}/action/`,
  'uco-core': `${UCO}/core/`,
  'uco-identity': `${UCO}/identity/`,
  'uco-observable': `${UCO}/observable/`,
  'uco-types': `${UCO}/types/`,
  'uco-vocabulary': `${UCO}/vocabulary/`,
  xsd: 'http://www.w3.org/2001/XMLSchema#',
};

/** Returns an identifier that ends in a UUID, as UCO wants, derived from the name (RFC 9562 section 5.8, version 8). */
function nodeId(kind: string, name: string): string {
  const digest = hash('sha256', `${kind}\0${name}`, 'hex');
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return `kb:${kind}-${parts.join('-')}`;
}

const typed = (type: string, value: string): JsonObject => ({ '@type': type, '@value': value });
const reference = (id: string): JsonObject => ({ '@id': id });

/** The nodes of the graph, one by one. */
export async function* caseNodes(source: ExportSource): AsyncGenerator<JsonObject> {
  const { bundle_id, bundle_type, sealed_at, content_digest } = source.head;
  yield {
    '@id': nodeId('investigation', bundle_id),
    '@type': 'case-investigation:Investigation',
    'uco-core:name': bundle_id,
    'uco-core:description': `Evidence bundle (${bundle_type}), content digest ${content_digest}`,
    'uco-core:objectCreatedTime': typed('xsd:dateTime', sealed_at),
  };
  for await (const record of source.records()) yield* recordNodes(record);
  const performers = new Set<string>();
  for await (const row of source.trace()) {
    const performer = performerOf(row);
    if (performer !== null && !performers.has(performer.id)) {
      performers.add(performer.id);
      yield performer.node;
    }
    yield actionNode(row, performer?.id ?? null);
  }
}

function recordNodes(record: ExportRecord): JsonObject[] {
  const observable = nodeId(record.record_kind.toLowerCase(), record.record_id);
  const facet: JsonObject = {
    '@id': nodeId('content-data-facet', record.record_id),
    '@type': 'uco-observable:ContentDataFacet',
    'uco-observable:mimeType': record.media_type,
    ...(record.size_bytes === null
      ? {}
      : { 'uco-observable:sizeInBytes': typed('xsd:integer', String(record.size_bytes)) }),
    ...(record.sha256 === null ? {} : { 'uco-observable:hash': [hashNode(record.sha256)] }),
  };
  return [
    {
      '@id': observable,
      '@type': 'uco-observable:ObservableObject',
      'uco-core:name': record.record_id,
      'uco-core:hasFacet': [facet],
    },
    {
      '@id': nodeId('provenance-record', record.record_id),
      '@type': 'case-investigation:ProvenanceRecord',
      'case-investigation:exhibitNumber': record.control_number,
      'uco-core:description': `${record.record_kind} ${record.state}`,
      'uco-core:object': [reference(observable)],
    },
  ];
}

const hashNode = (sha256: string): JsonObject => ({
  '@id': nodeId('hash', sha256),
  '@type': 'uco-types:Hash',
  'uco-types:hashMethod': typed('uco-vocabulary:HashNameVocab', 'SHA256'),
  'uco-types:hashValue': typed('xsd:hexBinary', sha256),
});

function performerOf({ actor_type, actor_id }: TraceRow): { readonly id: string; readonly node: JsonObject } | null {
  if (actor_id === undefined) return null;
  const id = nodeId('identity', `${actor_type ?? ''}/${actor_id}`);
  return {
    id,
    node: {
      '@id': id,
      '@type': 'uco-identity:Identity',
      'uco-core:name': actor_id,
      ...(actor_type === undefined ? {} : { 'uco-core:tag': [actor_type] }),
    },
  };
}

function actionNode(row: TraceRow, performer: string | null): JsonObject {
  const notes = (['purpose', 'recipient', 'partition', 'seq', 'prev_hash', 'entry_hash'] as const).flatMap((name) =>
    row[name] === undefined ? [] : [`${name}=${row[name]}`],
  );
  return {
    '@id': nodeId('investigative-action', row.entry_hash ?? ''),
    '@type': 'case-investigation:InvestigativeAction',
    'uco-core:name': row.action ?? '',
    'uco-core:description': notes.join('; '),
    'uco-action:startTime': typed('xsd:dateTime', row.at ?? ''),
    ...(performer === null ? {} : { 'uco-action:performer': reference(performer) }),
    'uco-action:object': [reference(nodeId((row.subject_type ?? 'record').toLowerCase(), row.subject_id ?? ''))],
  };
}
