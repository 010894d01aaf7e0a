import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { RecordDocument } from '../../../shared/worm/record-document.js';
import type { TenantIntegrity } from './ports/integrity-store.js';
import type { TenantTree } from './ports/tree-store.js';

/** What can account for a write-once record. */
export interface Explaining {
  readonly integrity: Pick<TenantIntegrity, 'recordNames'>;
  readonly worm: { presentBlobs(sha256s: readonly string[]): Promise<ReadonlySet<string>> };
  readonly tree: Pick<TenantTree, 'noteHashes'>;
}

/**
 * How many of these records nothing explains: neither an entry of the ledger (one whose content is disposed of explains its
 * record until the segment is dropped), nor a stored blob, nor a checkpoint. Such a
 * record is no damage (a crash between the two writes of an append leaves one); it is left, and counted.
 *
 * @param settledBefore events received since then may still be on their way into the ledger, and are passed over.
 */
export async function explainRecords(
  by: Explaining,
  records: readonly RecordDocument[],
  settledBefore: string,
): Promise<number> {
  const events = new Map<string, string>();
  const others: RecordDocument[] = [];
  for (const record of records) {
    const members = membersOf(record.bytes);
    const eventId = members?.['event_id'];
    if (typeof eventId !== 'string') others.push(record);
    else if (String(members?.['received_at']) < settledBefore) events.set(record._id, eventId);
  }
  const names = events.size === 0 ? new Map() : await by.integrity.recordNames([...new Set(events.values())]);
  let unexplained = 0;
  for (const [sha256, eventId] of events) {
    const name = names.get(eventId);
    if (name !== null && name !== sha256) unexplained++;
  }
  return unexplained + (await unexplainedOthers(by, others));
}

async function unexplainedOthers(by: Explaining, records: readonly RecordDocument[]): Promise<number> {
  if (records.length === 0) return 0;
  const notes = await by.tree.noteHashes(records.map(({ _id }) => _id));
  const blobs = records.filter(({ _id }) => !notes.has(_id)).map(({ bytes }) => blobOf(bytes));
  const stored = await by.worm.presentBlobs(blobs.filter((blob) => blob !== null));
  return blobs.filter((blob) => blob === null || !stored.has(blob)).length;
}

/** The blob that a record commits; null for a record of anything else. */
function blobOf(bytes: Buffer): string | null {
  const members = membersOf(bytes);
  const blob = members?.['kind'] === 'blob' ? members['sha256'] : undefined;
  return typeof blob === 'string' ? blob : null;
}

function membersOf(bytes: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // A note, or nothing that we wrote: the caller asks what else it may be.
    return undefined;
  }
}
