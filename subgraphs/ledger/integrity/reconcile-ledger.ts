import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { nextTurn } from '../../../shared/clock/timers.js';
import { entryHash } from '../../../shared/evidence/chain.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import type { RecordDocument } from '../../../shared/worm/records/document.js';
import type { TenantWorm, WormRecord } from '../../../shared/worm/worm-store.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { TenantLedger } from '../append/index.js';
import type { ExceptionDraft, OpenExceptions } from '../exceptions/index.js';
import type { TenantTree } from '../transparency/index.js';
import { explainHoles, leavesOf, readCopies } from './chain-reads.js';
import { type CopiedEntry, copyFault } from './domain/write-once-copy.js';
import type { EntryHeader, ReconcileRow, TenantIntegrity } from './ports.js';
import { brokenChain, damagedCopy, type EntryPlace, missingCopy, missingEntries } from './scrub-findings.js';

/** A chain is compared from its start once a day; new entries within a run or two. */
const RECONCILE_PASS_MS = 24 * 3_600_000;
/** Entries per run and chain; the next run continues after them. */
const RUN_ENTRIES = 20_000;
const BATCH_ENTRIES = 500;
/** Records in memory at once; one may have 256 KiB. */
const BATCH_RECORDS = 100;
/** Copies of younger entries may still be in progress. */
const COPY_SETTLING_MS = 60_000;

interface ReconcileDeps {
  readonly clock: Clock;
  readonly openExceptions: OpenExceptions;
}

export interface ReconciledTenant {
  readonly tenantId: string;
  readonly ledger: Pick<TenantLedger, 'sourceSystems' | 'records' | 'list'>;
  readonly worm: Pick<TenantWorm, 'readRecords' | 'putRecords'>;
  readonly upkeep: Pick<WormUpkeep, 'copiesOf'>;
  readonly tree: Pick<TenantTree, 'ofChain' | 'assignedUpTo'>;
  readonly integrity: TenantIntegrity;
  genesis(sourceSystem: string): string;
}

/**
 * Compares a tenant's chains with their write-once copies and the tree, one part per run. Restores a missing copy from
 * the ledger's own record. Opens an exception for every fault and never closes one: a person must see it.
 */
export async function reconcileLedger(
  deps: ReconcileDeps,
  tenant: ReconciledTenant,
  signal?: AbortSignal,
): Promise<void> {
  // Includes chains that were compared before and are missing now.
  const { reconciled } = await tenant.integrity.sums();
  const sources = new Set([...(await tenant.ledger.sourceSystems()), ...reconciled.map((row) => row.source_system)]);
  for (const sourceSystem of sources) {
    if (signal?.aborted) return;
    await reconcileChain(deps, tenant, sourceSystem);
  }
}

async function reconcileChain(deps: ReconcileDeps, tenant: ReconciledTenant, sourceSystem: string): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const known = await tenant.integrity.reconciled(sourceSystem);
  let row = known && !isDue(known, nowMs) ? known : passFrom(known, nowMs, tenant.genesis(sourceSystem));
  for (let seen = 0; seen < RUN_ENTRIES; ) {
    const headers = await tenant.integrity.headers(sourceSystem, row.next_seq, BATCH_ENTRIES);
    const settled = headers.filter(({ recorded_at }) => recorded_at.getTime() <= nowMs - COPY_SETTLING_MS);
    const { next, drafts } = await compare({ deps, tenant, sourceSystem }, row, settled);
    await deps.openExceptions(tenant.tenantId, drafts);
    const atEnd = headers.length === 0;
    row = atEnd ? await atEndOf({ deps, tenant, sourceSystem }, next) : next;
    if (row !== known) await tenant.integrity.saveReconciled(sourceSystem, row);
    if (settled.length < headers.length || atEnd) return;
    seen += settled.length;
    await nextTurn();
  }
}

const isDue = ({ pass_started_at, passed_at }: ReconcileRow, nowMs: number): boolean =>
  passed_at?.getTime() === pass_started_at.getTime() && pass_started_at.getTime() <= nowMs - RECONCILE_PASS_MS;

const passFrom = (known: ReconcileRow | null, nowMs: number, genesis: string): ReconcileRow => ({
  next_seq: 1,
  prev_hash: genesis,
  pass_started_at: new Date(nowMs),
  passed_at: known?.passed_at ?? null,
  repaired: known?.repaired ?? 0,
  cut_at: null,
});

interface Chain {
  readonly deps: ReconcileDeps;
  readonly tenant: ReconciledTenant;
  readonly sourceSystem: string;
}

async function compare(
  chain: Chain,
  row: ReconcileRow,
  headers: readonly EntryHeader[],
): Promise<{ readonly next: ReconcileRow; readonly drafts: readonly ExceptionDraft[] }> {
  const last = headers.at(-1);
  if (!last) return { next: row, drafts: [] };
  const leaves = await compareLeaves(chain, headers);
  const records = await compareRecords(chain, headers);
  const drafts = [
    ...compareLinks(chain, row, headers),
    ...leaves,
    ...records.drafts,
    ...(await unexplainedHoles(chain, headers)),
  ];
  const repaired = row.repaired + records.repaired;
  return { next: { ...row, next_seq: last.seq + 1, prev_hash: last.entry_hash, repaired }, drafts };
}

const placeOf = (sourceSystem: string, { seq, event_id }: EntryHeader): EntryPlace => ({
  sourceSystem,
  sequence: seq,
  eventId: event_id,
});

function compareLinks({ tenant, sourceSystem }: Chain, row: ReconcileRow, headers: readonly EntryHeader[]) {
  const drafts: ExceptionDraft[] = [];
  let expected = row.next_seq;
  let prev = row.prev_hash;
  for (const header of headers) {
    const place = placeOf(sourceSystem, header);
    if (header.seq !== expected) {
      const gap = { sourceSystem, sequence: expected, eventId: null };
      drafts.push(missingEntries(gap, header.seq - 1, 'the entries after them'));
    } else if (prev !== null && header.prev_hash !== prev) {
      drafts.push(brokenChain(place, 'prev_hash with the hash of the previous entry'));
    }
    if (hashOf(tenant.tenantId, sourceSystem, header) !== header.entry_hash) {
      drafts.push(brokenChain(place, 'entry_hash with the hash of the header'));
    }
    expected = header.seq + 1;
    prev = header.entry_hash;
  }
  return drafts;
}

const hashOf = (tenant_id: string, source_system: string, header: EntryHeader): string =>
  entryHash({
    commit: header.commit,
    event_id: header.event_id,
    fields: header.fields,
    member_tag: header.member_tag,
    prev: header.prev_hash,
    recorded_at: isoTime(header.recorded_at.getTime()),
    seq: header.seq,
    source_system,
    tenant_id,
  });

/** Leaves are assigned along the chain: an entry without a leaf before an entry with one has lost it. */
async function compareLeaves({ tenant, sourceSystem }: Chain, headers: readonly EntryHeader[]) {
  const sequences = headers.map(({ seq }) => seq);
  const leaves = await leavesOf(tenant.tree, sourceSystem, sequences);
  const lacking = sequences.some((seq) => !leaves.has(seq));
  const assigned = lacking ? await tenant.tree.assignedUpTo(sourceSystem) : 0;
  return headers.flatMap((header) => {
    const leaf = leaves.get(header.seq);
    const place = placeOf(sourceSystem, header);
    if (leaf !== undefined) return leaf === header.entry_hash ? [] : [brokenChain(place, 'entry_hash with its leaf')];
    return header.seq > assigned ? [] : [brokenChain(place, 'the entry with the tree: its leaf is missing')];
  });
}

/** Compares every record with its entry's hash and commitment; restores missing copies from records that match. */
async function compareRecords(chain: Chain, headers: readonly EntryHeader[]) {
  const { tenant, sourceSystem } = chain;
  const kept = headers.filter(({ worm_sha256 }) => worm_sha256 !== null);
  const drafts: ExceptionDraft[] = [];
  let repaired = 0;
  for (let from = 0; from < kept.length; from += BATCH_RECORDS) {
    const batch = kept.slice(from, from + BATCH_RECORDS);
    const sequences = batch.map(({ seq }) => seq);
    const records = await tenant.ledger.records(sourceSystem, sequences);
    const sound = new Map(records.map((record) => [record.sha256, record]));
    const entries = batch.map((header) => copiedEntry(header, sound));
    const copies = await readCopies(tenant, entries);
    const lost = records.filter(({ sha256 }) => !copies.has(sha256));
    if (lost.length > 0) await tenant.worm.putRecords(lost);
    repaired += lost.length;
    for (const entry of entries) drafts.push(...recordFindings(sourceSystem, entry, copies.get(entry.worm_sha256)));
    await nextTurn();
  }
  return { repaired, drafts };
}

interface ComparedEntry extends CopiedEntry {
  readonly header: EntryHeader;
}

/** @param sound the records that match their hash and commitment, by hash. */
function copiedEntry(header: EntryHeader, sound: ReadonlyMap<string, WormRecord>): ComparedEntry {
  const worm_sha256 = header.worm_sha256 ?? '';
  const { bytes, seed } = sound.get(worm_sha256) ?? {};
  const bufferOf = (value: Uint8Array | undefined) =>
    value && Buffer.from(value.buffer, value.byteOffset, value.length);
  return { header, worm_sha256, commit: header.commit, record: bufferOf(bytes), seed: bufferOf(seed) };
}

/** Reports a missing record unless a disposal accounts for it (evidence.md section 2). */
async function unexplainedHoles({ tenant, sourceSystem }: Chain, headers: readonly EntryHeader[]) {
  const holes = headers.filter(({ worm_sha256 }) => worm_sha256 === null);
  const explained = await explainHoles(tenant, sourceSystem, holes);
  return holes
    .filter(({ seq }) => !explained.has(seq))
    .map((header) =>
      brokenChain(placeOf(sourceSystem, header), 'the entry with its record, which is missing without a disposal'),
    );
}

/** A record that differs from its hash must not restore its copy: a forged one would pass as the original. */
function recordFindings(
  sourceSystem: string,
  entry: ComparedEntry,
  copy: RecordDocument | undefined,
): readonly ExceptionDraft[] {
  const { header, worm_sha256: name, record } = entry;
  const place = placeOf(sourceSystem, header);
  const drafts = record === undefined ? [brokenChain(place, 'the record with its hash and commitment')] : [];
  if (copy === undefined) return record === undefined ? [...drafts, missingCopy(place, name)] : drafts;
  const fault = copyFault(copy, entry, new Committer());
  return fault === null ? drafts : [...drafts, damagedCopy(place, name, fault)];
}

/** Ends a pass at the end of a chain. Entries that only the tree still has were cut off; reported once per pass. */
async function atEndOf({ deps, tenant, sourceSystem }: Chain, row: ReconcileRow): Promise<ReconcileRow> {
  const passed = row.passed_at?.getTime() === row.pass_started_at.getTime();
  const ended = passed ? row : { ...row, passed_at: row.pass_started_at };
  const assigned = await tenant.tree.assignedUpTo(sourceSystem);
  if (assigned < row.next_seq || row.cut_at === row.next_seq) return ended;
  const place = { sourceSystem, sequence: row.next_seq, eventId: null };
  await deps.openExceptions(tenant.tenantId, [missingEntries(place, assigned, 'the tree')]);
  return { ...ended, cut_at: row.next_seq };
}
