import type { JsonObject, JsonValue } from '../../json/strict-json.js';
import { CASE_CONTEXT, caseNodes } from './case-custody.js';
import { controlNumber } from './control-numbers.js';
import { edrmJson } from './edrm-json.js';
import type { ExportSource } from './export-source.js';
import { fhirResources } from './fhir-custody.js';
import { jsonList, jsonText } from './json-pieces.js';
import { concordanceDat, csvLoadFile } from './load-file.js';

export const EDX_VERSION = '1';

/**
 * Streams the export as one JSON document (evidence.md section 5, "/edx"), so that a million events never fill memory.
 * The document contains the manifest as it was sealed, and the load files as texts.
 */
export async function* edxJson(source: ExportSource): AsyncGenerator<string> {
  yield JSON.stringify(factsOf(source)).slice(0, -1);
  yield ',"manifest":';
  yield* asText(source.manifest());
  yield ',"edrm":';
  yield* edrmJson(source);
  yield ',"load_files":{"dat":';
  yield* jsonText(concordanceDat(source.records()));
  yield ',"csv":';
  yield* jsonText(csvLoadFile(source.records()));
  yield '},"custody":{"case_jsonld":';
  yield* caseJson(source);
  yield '},"fhir":{"audit_events":';
  yield* jsonList(resourcesOf(source, 'AuditEvent'));
  yield ',"provenance":';
  yield* jsonList(resourcesOf(source, 'Provenance'));
  yield '}}\n';
}

function factsOf({ head, wormBlobSha256, prefix }: ExportSource): JsonObject {
  const count = head.counts.events + head.counts.documents;
  return {
    edx_version: EDX_VERSION,
    bundle_id: head.bundle_id,
    worm_blob_sha256: wormBlobSha256,
    control_numbers: {
      prefix,
      count,
      first: count === 0 ? null : controlNumber(prefix, 1),
      last: count === 0 ? null : controlNumber(prefix, count),
    },
  };
}

/** The custody part by itself, as JSON-LD. */
export async function* caseJson(source: ExportSource): AsyncGenerator<string> {
  yield `{"@context":${JSON.stringify(CASE_CONTEXT)},"@graph":`;
  yield* jsonList(caseNodes(source));
  yield '}';
}

/** The FHIR part by itself: a Bundle of type collection. */
export async function* fhirJson(source: ExportSource): AsyncGenerator<string> {
  yield `{"resourceType":"Bundle","type":"collection","timestamp":${JSON.stringify(source.head.sealed_at)},"entry":`;
  yield* jsonList(entries(source));
  yield '}';
}

async function* entries(source: ExportSource): AsyncGenerator<JsonValue> {
  for await (const resource of fhirResources(source)) yield { resource };
}

async function* resourcesOf(source: ExportSource, resourceType: string): AsyncGenerator<JsonObject> {
  for await (const resource of fhirResources(source)) {
    if (resource['resourceType'] === resourceType) yield resource;
  }
}

/** Characters may be cut by the store's pieces. */
async function* asText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
