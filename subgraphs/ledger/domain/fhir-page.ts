import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { instantOf } from '../../../shared/time/rfc3339.js';

/** What a poller needs of a page of a search (FHIR R4 "RESTful API", search and paging). */
export interface FhirPage {
  /** How many resources it holds. */
  readonly entries: number;
  /** Places of what the server says of the search itself (OperationOutcome). */
  readonly notes: ReadonlySet<number>;
  /** meta.lastUpdated of the last one by time; null where none tells. */
  readonly lastUpdated: string | null;
  /** Whether they ascend by time, as was asked for. */
  readonly ascends: boolean;
  /** Address of the next page, as the server gives it. */
  readonly next: string | null;
}

/** Null for what is no Bundle of a search. */
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
