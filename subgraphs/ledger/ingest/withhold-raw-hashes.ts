import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import type { EventFacts, TenantRedactions } from '../redactions/index.js';
import type { IngestAnswer, IngestRow, IngestStore } from './ports.js';
import type { RawIngestResult } from './schema/index.js';

// A hash of raw bytes has no salt: who knows the rest of a message can guess the hidden words by it.

const RAW_HASHES: ReadonlySet<string> = new Set(['raw_sha256', 'first_raw_sha256', 'part_sha256']);

/** Leaves the hashes of the raw bytes out of an answer if one of its events is redacted or disposed of. */
export async function withoutRawHashes(
  store: Pick<IngestStore, 'page'>,
  redactions: Pick<TenantRedactions, 'factsOf'>,
  answer: IngestAnswer,
): Promise<RawIngestResult> {
  if (!(await hasHidden(store, redactions, answer))) return answer;
  const { raw_sha256: _, exceptions, ...rest } = answer;
  return {
    ...rest,
    exceptions: exceptions.map(({ subject, detail, ...exception }) => ({
      ...exception,
      subject: withoutHashes(subject),
      detail: withoutHashes(detail),
    })),
  };
}

async function hasHidden(
  store: Pick<IngestStore, 'page'>,
  redactions: Pick<TenantRedactions, 'factsOf'>,
  { ingest_id, results, results_truncated }: IngestAnswer,
): Promise<boolean> {
  const isAmong = async (rows: readonly IngestRow[]): Promise<boolean> => {
    const ids = rows.flatMap(({ event_id }) => event_id ?? []);
    return ids.length > 0 && [...(await redactions.factsOf(ids)).values()].some(isHidden);
  };
  if (await isAmong(results)) return true;
  if (!results_truncated) return false;
  for (let page = 0; ; page++) {
    const rows = await store.page(ingest_id, page);
    if (rows === null) return false;
    if (await isAmong(rows)) return true;
  }
}

const isHidden = ({ hidden, disposal }: EventFacts): boolean => hidden !== null || disposal !== null;

function withoutHashes(members: JsonObject): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || RAW_HASHES.has(name)) continue;
    kept[name] = isJsonObject(value) ? withoutHashes(value) : value;
  }
  return kept;
}
