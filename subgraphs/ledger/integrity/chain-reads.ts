import { delay } from '../../../shared/clock/timers.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { objectIn } from '../../../shared/json/object-in.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { RecordDocument } from '../../../shared/worm/records/document.js';
import type { TenantWorm } from '../../../shared/worm/worm-store.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import { type LedgerRow, malformedField } from '../append/domain/index.js';
import type { TenantLedger } from '../append/index.js';
import type { TenantTree } from '../transparency/index.js';
import { type CopiedEntry, copyFault } from './domain/write-once-copy.js';
import type { TenantIntegrity } from './ports.js';

// What the checks of a chain read besides its rows: write-once copies, leaves, and the disposals that explain holes.

/** Rows of a chain and the records that the write-once store holds under their hashes. */
interface CheckedBatch {
  readonly rows: readonly LedgerRow[];
  readonly copies: ReadonlyMap<string, RecordDocument>;
}

const BATCH_ROWS = 500;
const BATCHES_AHEAD = 2;
/** A copy may still be in progress: ledger and write-once store are written concurrently. */
const COPY_GRACE_MS = 60_000;
const COPY_POLLS = 20;
const COPY_POLL_MS = 100;

/** The write-once copies of one tenant. */
export interface CopyStores {
  readonly worm: Pick<TenantWorm, 'readRecords'>;
  readonly upkeep: Pick<WormUpkeep, 'copiesOf'>;
}

interface ChainStores {
  readonly context: { readonly ledger: Pick<TenantLedger, 'rows'>; readonly worm: CopyStores['worm'] };
  readonly upkeep: CopyStores['upkeep'];
}

interface RowRange {
  readonly sourceSystem: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a range of a chain with its copies, two batches ahead of the consumer; three batches are in memory.
 *
 * @param nowMs current time in ms: the reader waits for missing copies of young rows.
 */
export async function* rowBatches(
  { context: { ledger, worm }, upkeep }: ChainStores,
  { sourceSystem, from, to }: RowRange,
  nowMs: () => number,
): AsyncGenerator<CheckedBatch> {
  let next = from;
  let reading: Promise<unknown> = Promise.resolve();
  // Batches of rows are read in sequence; their copies are looked up while the next rows are read.
  const fetch = async (): Promise<CheckedBatch> => {
    const rows = reading.then(async () => {
      const read = next > to ? [] : await ledger.rows(sourceSystem, next, to, BATCH_ROWS);
      next = read.length === 0 ? to + 1 : sequenceAfter(read, next);
      return read;
    });
    reading = rows;
    const batch = await rows;
    return { rows: batch, copies: await copiesOf(batch, { worm, upkeep }, nowMs) };
  };
  const ahead = Array.from({ length: BATCHES_AHEAD }, fetch);
  for (const pending of ahead) pending.catch(() => {});
  for (let batch = await ahead.shift(); batch && batch.rows.length > 0; batch = await ahead.shift()) {
    const following = fetch();
    // Awaited in a later round; a consumer that stops early never awaits it.
    following.catch(() => {});
    ahead.push(following);
    yield batch;
  }
}

/** The sequence after these rows of a chain, of which any may hold its own in another type. */
export function sequenceAfter(rows: readonly { readonly _id: { readonly seq: number } }[], from: number): number {
  const last = rows.findLast(({ _id }) => typeof _id.seq === 'number')?._id.seq;
  return last === undefined || last < from ? from + rows.length : Math.floor(last) + 1;
}

async function copiesOf(
  rows: readonly LedgerRow[],
  stores: CopyStores,
  nowMs: () => number,
): Promise<ReadonlyMap<string, RecordDocument>> {
  const found = new Map<string, RecordDocument>();
  const wanted = rows.flatMap((row) => {
    const { worm_sha256 } = row;
    return worm_sha256 === undefined || malformedField(row) !== null ? [] : [{ ...row, worm_sha256 }];
  });
  for (let poll = 0; poll < COPY_POLLS; poll++) {
    const missing = wanted.filter((row) => !found.has(row.worm_sha256));
    const awaited = poll === 0 ? missing : missing.filter((row) => row.recorded_at.getTime() > nowMs() - COPY_GRACE_MS);
    if (awaited.length === 0) break;
    if (poll > 0) await delay(COPY_POLL_MS);
    for (const [sha256, copy] of await readCopies(stores, awaited)) found.set(sha256, copy);
  }
  return found;
}

/**
 * Reads the write-once copies of entries, by hash. A damaged copy gives way to a sound one in another segment, where a
 * repair has put it.
 */
export async function readCopies(
  { worm, upkeep }: CopyStores,
  entries: readonly CopiedEntry[],
): Promise<ReadonlyMap<string, RecordDocument>> {
  const committer = new Committer();
  const found = new Map(await worm.readRecords(entries.map(({ worm_sha256 }) => worm_sha256)));
  for (const entry of entries) {
    const copy = found.get(entry.worm_sha256);
    if (copy === undefined || copyFault(copy, entry, committer) === null) continue;
    const copies = await upkeep.copiesOf(entry.worm_sha256);
    const sound = copies.find((other) => copyFault(other, entry, committer) === null);
    if (sound !== undefined) found.set(entry.worm_sha256, sound);
  }
  return found;
}

/**
 * Returns the leaves of these entries of a chain, by sequence. Leaves of missing entries may lie in between, so that
 * one page need not reach the last.
 *
 * @param sequences ascending.
 */
export async function leavesOf(
  tree: Pick<TenantTree, 'ofChain'>,
  sourceSystem: string,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const leaves = new Map<number, string>();
  for (let at = 0; at < sequences.length; ) {
    const page = await tree.ofChain(sourceSystem, sequences[at] ?? 0, sequences.length);
    for (const { seq, entry_hash } of page) leaves.set(seq, entry_hash);
    const end = page.findLast(({ malformed }) => malformed === undefined)?.seq;
    if (end === undefined || end < (sequences[at] ?? 0)) return leaves;
    while (at < sequences.length && (sequences[at] ?? 0) <= end) at++;
  }
  return leaves;
}

/** Family and type of the `_system` entry that accounts for a disposal. */
export const DISPOSAL_FAMILY = 'retention';
export const DISPOSAL_TYPE = 'records.disposed';

/** An entry without a record. */
interface Hole {
  readonly event_id: string;
  readonly seq: number;
}

interface HoleReader {
  readonly ledger: Pick<TenantLedger, 'list' | 'records'>;
  readonly integrity: Pick<TenantIntegrity, 'disposalIds'>;
}

/**
 * Returns the sequences of holes in a chain that the `_system` partition accounts for: the row names a disposal, and
 * that disposal's entry, which matches its own commitment, names the event at its place (evidence.md section 2). Any
 * other hole is a break.
 */
export async function explainHoles(
  reader: HoleReader,
  sourceSystem: string,
  holes: readonly Hole[],
): Promise<ReadonlySet<number>> {
  const explained = new Set<number>();
  if (holes.length === 0) return explained;
  const sequences = holes.map(({ seq }) => seq);
  const named = await reader.integrity.disposalIds(sourceSystem, sequences);
  const entries = new Map<string, ReadonlySet<string>>();
  for (const { seq, event_id } of holes) {
    const disposalId = named.get(seq);
    if (disposalId === undefined) continue;
    const known = entries.get(disposalId) ?? (await eventsOf(reader, disposalId));
    entries.set(disposalId, known);
    if (known.has(placeKey(event_id, sourceSystem, seq))) explained.add(seq);
  }
  return explained;
}

const placeKey = (eventId: string, sourceSystem: string, sequence: unknown): string =>
  `${eventId}/${String(sequence)}/${sourceSystem}`;

/**
 * Returns the events that the entry of a disposal names; none if the entry is missing or differs from its commitment.
 */
async function eventsOf({ ledger }: HoleReader, disposalId: string): Promise<ReadonlySet<string>> {
  const query = { source_system: '_system', source_record_id: disposalId, event_type: DISPOSAL_TYPE };
  const places = new Set<string>();
  for (const { _id } of await ledger.list({ ...query, limit: 1, ascending: true })) {
    const [record] = await ledger.records('_system', [_id.seq]);
    if (record === undefined) continue;
    for (const event of eventsIn(Buffer.from(record.bytes), disposalId)) {
      places.add(placeKey(String(event['event_id']), String(event['source_system']), event['sequence']));
    }
  }
  return places;
}

function eventsIn(record: Buffer, disposalId: string): readonly JsonObject[] {
  const payload = objectIn(record.toString('utf8'))?.['payload'];
  if (!isJsonObject(payload) || payload['disposal_id'] !== disposalId) return [];
  const { events } = payload;
  return Array.isArray(events) ? events.filter(isJsonObject) : [];
}
