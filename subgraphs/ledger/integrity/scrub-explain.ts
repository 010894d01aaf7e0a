import { objectIn } from '../../../shared/json/object-in.js';
import type { RecordDocument } from '../../../shared/worm/records/document.js';
import type { TenantTree } from '../transparency/index.js';
import type { NamedRecord, TenantIntegrity } from './ports.js';

/** Readers that can account for a write-once record. */
export interface Explaining {
  readonly integrity: Pick<TenantIntegrity, 'recordNames'>;
  readonly worm: { presentBlobs(sha256s: readonly string[]): Promise<ReadonlySet<string>> };
  readonly tree: Pick<TenantTree, 'noteHashes'>;
}

/** What accounts for a write-once record. */
interface Explanation {
  readonly isExplained: boolean;
  /** See CopiedEntry. */
  readonly commit: string | null | undefined;
}

const UNEXPLAINED: Explanation = { isExplained: false, commit: undefined };
/** The ledger may not have its entry yet. */
const UNSETTLED: Explanation = { isExplained: true, commit: undefined };
const WITHOUT_SEED: Explanation = { isExplained: true, commit: null };

/**
 * Says what accounts for each record: an entry of the ledger, a stored blob, a checkpoint, or nothing. (An entry without
 * content explains its record until the segment is dropped.) A record without explanation is not damage, because a crash
 * between the two writes of an append leaves one.
 *
 * @param settledBefore events received since then may still be on their way into the ledger.
 * @returns in the order of the records.
 */
export async function explainRecords(
  by: Explaining,
  records: readonly RecordDocument[],
  settledBefore: string,
): Promise<readonly Explanation[]> {
  const parsed = records.map(({ bytes }) => objectIn(bytes.toString('utf8')));
  const eventIds = parsed.map((members) => textOf(members?.['event_id']));
  const others = records.filter((_, i) => eventIds[i] === null);
  const known = new Set(eventIds.filter((id) => id !== null));
  const names = known.size === 0 ? new Map<string, NamedRecord>() : await by.integrity.recordNames([...known]);
  const explained = await explainedOthers(by, others);
  return records.map(({ _id }, i) => {
    const eventId = eventIds[i] ?? null;
    if (eventId === null) return explained.has(_id) ? WITHOUT_SEED : UNEXPLAINED;
    if (String(parsed[i]?.['received_at']) >= settledBefore) return UNSETTLED;
    const named = names.get(eventId);
    const isNamed = named?.worm_sha256 === null || named?.worm_sha256 === _id;
    return isNamed ? { isExplained: true, commit: textOf(named?.commit) ?? undefined } : UNEXPLAINED;
  });
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns the hashes of the records that a checkpoint or a stored blob accounts for. */
async function explainedOthers(by: Explaining, records: readonly RecordDocument[]): Promise<ReadonlySet<string>> {
  if (records.length === 0) return new Set();
  const notes = await by.tree.noteHashes(records.map(({ _id }) => _id));
  const blobs = new Map(records.filter(({ _id }) => !notes.has(_id)).map(({ _id, bytes }) => [_id, blobOf(bytes)]));
  const stored = await by.worm.presentBlobs([...blobs.values()].filter((blob) => blob !== null));
  const names = records.map(({ _id }) => _id);
  return new Set(names.filter((name) => notes.has(name) || stored.has(blobs.get(name) ?? '')));
}

/** Returns the blob that a record commits; null for a record of anything else. */
function blobOf(bytes: Buffer): string | null {
  const members = objectIn(bytes.toString('utf8'));
  const blob = members?.['kind'] === 'blob' ? members['sha256'] : undefined;
  return typeof blob === 'string' ? blob : null;
}
