import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/strict-json.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';

/** The members of a search page that a poller needs (FHIR R4 "RESTful API", search and paging). */
export interface FhirPage {
  /** Number of resources. */
  readonly entries: number;
  /** Indexes of OperationOutcomes about the search itself. */
  readonly notes: ReadonlySet<number>;
  /** The latest meta.lastUpdated; null if no resource has one. */
  readonly lastUpdated: string | null;
  /** True if the times ascend, as requested. */
  readonly ascends: boolean;
  /** URL of the next page, as sent by the server. */
  readonly next: string | null;
}

/** Null if it is not a search Bundle. */
export function fhirPageOf(value: JsonValue): FhirPage | null {
  if (!isJsonObject(value) || value['resourceType'] !== 'Bundle') return null;
  const entries = objectsIn(value['entry']);
  let lastUpdated: string | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  let beforeMs = Number.NEGATIVE_INFINITY;
  let ascends = true;
  const notes = new Set<number>();
  for (const [at, entry] of entries.entries()) {
    if (isNote(entry['resource'])) {
      notes.add(at);
      continue;
    }
    const time = updatedOf(entry['resource']);
    const atMs = time === null ? undefined : instantOf(time);
    if (time === null || atMs === undefined) {
      ascends = false;
      continue;
    }
    if (atMs < beforeMs) ascends = false;
    beforeMs = atMs;
    if (atMs > lastMs) [lastMs, lastUpdated] = [atMs, time];
  }
  const next = objectsIn(value['link']).find((link) => link['relation'] === 'next')?.['url'];
  return { entries: entries.length, notes, lastUpdated, ascends, next: typeof next === 'string' ? next : null };
}

const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const isNote = (resource: JsonValue | undefined): boolean =>
  isJsonObject(resource) && resource['resourceType'] === 'OperationOutcome';

function updatedOf(resource: JsonValue | undefined): string | null {
  const meta = isJsonObject(resource) ? resource['meta'] : undefined;
  const time = isJsonObject(meta) ? meta['lastUpdated'] : undefined;
  return typeof time === 'string' ? time : null;
}
