import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { objectIn } from '../../../shared/json/object-in.js';
import { shortText } from '../../../shared/json/short-text.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import {
  malformedSegment,
  type SegmentRow,
  type SegmentSeal,
  sealIn,
} from '../../../shared/worm/segments/directory.js';
import { type LedgerRow, malformedField } from '../append/domain/index.js';
import { differencesFromSeal, SegmentSum, sealIsSigned } from './domain/seal-manifest.js';
import type { Break } from './domain/verify-chain.js';
import { RevokedSignatures } from './revoked-signatures.js';
import { DROP_TYPE, SEAL_TYPE } from './seal-segments.js';
import {
  malformedRow,
  type PartFindings,
  type SegmentsPlace,
  type VerifiedTenant,
  type VerifyDeps,
  wholeBreak,
} from './verify-state.js';

const BATCH_NAMES = 2_000;

/**
 * Continues along the sealed segments, as the ledger's entries name them: signature, root of the previous segment, and
 * the list of records.
 *
 * @returns null at the end.
 */
export async function verifySegmentsPart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  place: SegmentsPlace,
  findings: PartFindings,
): Promise<SegmentsPlace | null> {
  const entry = await nextEntry(tenant, place);
  const segments = await soundSegments(tenant, place, findings);
  if (!entry) {
    await withoutEntry(tenant, segments, findings);
    return null;
  }
  const stated = sealOf(entry);
  if (stated === null) return skipped(place, entry, findings);
  const { segment, seal } = stated;
  const row = segments.find(({ _id }) => _id === segment);
  const say = (kind: Break['kind'], detail: string): void =>
    findings.report([wholeBreak(kind, `Segment ${segment}: ${detail}`)]);
  if (place.walk === null) {
    const revoked = await RevokedSignatures.of(tenant, findings);
    const unsigned = await signatureFault(deps, tenant.context.tenantId, segment, seal, revoked);
    if (unsigned !== null) say('SEGMENT_SIGNATURE', unsigned);
    for (const [kind, detail] of sealFaults(seal, row, place.prev_root)) say(kind, detail);
    revoked.finish();
  }
  const next = { phase: 'SEGMENTS', entry: placeOf(entry), prev_root: seal.merkle_root, walk: null } as const;
  const after = { ...next, skipped: place.skipped };
  if (row?.state === 'DROPPED') {
    if (!(await isDropExplained(tenant, segment)))
      say('SEGMENT_MISMATCH', 'it is missing, and no entry accounts for it.');
    return after;
  }
  const walk = await walkNames(deps, tenant, segment, place.walk);
  if (walk.place) return { ...place, walk: walk.place };
  // Sizes are not read with the hashes; full verification and the scrub read the bytes.
  const differs = differencesFromSeal(seal, { ...walk.sum.content(), bytes: seal.bytes });
  // It may have been dropped while its hashes were read.
  if (differs.length > 0 && !(await isDropExplained(tenant, segment))) {
    say('SEGMENT_MISMATCH', `${differs.join(', ')} differ from the seal.`);
  }
  return after;
}

/** Entries without a sound seal that one verification passes. */
const MAX_SKIPPED = 100;

/** Names an entry without a sound seal, and continues with the next one. @returns null when too many are damaged */
function skipped(place: SegmentsPlace, { _id, event_id }: LedgerRow, findings: PartFindings): SegmentsPlace | null {
  const key = `_system/${shortText(_id.seq)}`;
  findings.report([malformedRow({ collection: 'ledger', key, field: 'record' }, '_system')]);
  if (place.skipped.length === MAX_SKIPPED) {
    findings.notChecked.push({ what: 'further sealed segments', why: 'Too many of their entries are damaged.' });
    return null;
  }
  return { ...place, skipped: [...place.skipped, shortText(event_id)] };
}

/** The rows of segments that have the form of one; the others are named once. */
async function soundSegments(
  { upkeep }: VerifiedTenant,
  { entry, walk, skipped: passed }: SegmentsPlace,
  findings: PartFindings,
): Promise<readonly SegmentRow[]> {
  const isFirstPart = entry === null && walk === null && passed.length === 0;
  const sound: SegmentRow[] = [];
  for (const row of await upkeep.segments()) {
    const field = malformedSegment(row);
    if (field === null) sound.push(row);
    else if (isFirstPart)
      findings.report([malformedRow({ collection: 'worm_segments', key: shortText(row._id), field })]);
  }
  return sound;
}

const placeOf = ({ query, event_id }: LedgerRow) => ({ at_ms: query?.effective_at.getTime() ?? 0, id: event_id });

/** Checks whether the ledger says that retention dropped the segment. */
async function isDropExplained({ context }: VerifiedTenant, segment: string): Promise<boolean> {
  const named = { source_system: '_system', source_record_id: `${segment}/dropped`, event_type: DROP_TYPE };
  return (await context.ledger.list({ ...named, limit: 1, ascending: true })).length > 0;
}

async function nextEntry(
  { context }: VerifiedTenant,
  { entry, skipped: passed }: SegmentsPlace,
): Promise<LedgerRow | undefined> {
  const rows = await context.ledger.list({
    source_system: '_system',
    event_type: SEAL_TYPE,
    ...(entry ? { after: { atMs: entry.at_ms, id: entry.id } } : {}),
    limit: 1 + passed.length,
    ascending: true,
  });
  return rows.find(({ event_id }) => !passed.includes(shortText(event_id)));
}

interface Sealed {
  readonly segment: string;
  readonly seal: SegmentSeal;
}

/** Returns the seal that an entry states; null for an entry without a sound one. */
function sealOf(entry: LedgerRow): Sealed | null {
  if (malformedField(entry) !== null || entry.query === undefined) return null;
  const payload = entry.record && objectIn(entry.record.toString('utf8'))?.['payload'];
  if (!isJsonObject(payload) || typeof payload['segment'] !== 'string') return null;
  const { segment, ...statement } = payload;
  const seal = sealIn(statement);
  return seal && { segment, seal };
}

type Fault = readonly [Break['kind'], string];

function sealFaults(seal: SegmentSeal, row: SegmentRow | undefined, prevRoot: string | null): readonly Fault[] {
  const faults: Fault[] = [];
  if (seal.prev_segment_root !== prevRoot) {
    faults.push(['SEGMENT_MISMATCH', 'it does not name the root of the previously sealed segment.']);
  }
  const same = row?.seal !== undefined && canonicalJson({ ...row.seal }) === canonicalJson({ ...seal });
  if (!same) faults.push(['SEGMENT_MISMATCH', "its row is missing or has another seal than the ledger's entry."]);
  return faults;
}

async function signatureFault(
  deps: VerifyDeps,
  tenantId: string,
  segment: string,
  seal: SegmentSeal,
  revoked: RevokedSignatures,
): Promise<string | null> {
  try {
    const key = await deps.signingKeys.publicKey(seal.signing_key_id);
    if (key.purpose !== 'SEGMENT' || key.tenant_id !== tenantId) return 'its key is for another purpose or tenant.';
    if (revoked.isBroken(key, { at: new Date(seal.sealed_at), incarnation: null }))
      return 'its key was revoked when it was sealed.';
    return sealIsSigned(segment, seal, key.public_key) ? null : 'its manifest is not signed by the key that it names.';
  } catch (error) {
    if (asProblem(error).code !== 'NOT_FOUND') throw error;
    return 'the key that it names is unknown.';
  }
}

async function walkNames(
  deps: VerifyDeps,
  { upkeep }: VerifiedTenant,
  segment: string,
  from: SegmentsPlace['walk'],
): Promise<{ readonly sum: SegmentSum; readonly place: SegmentsPlace['walk'] }> {
  const sum = new SegmentSum(from?.sum);
  let after = from?.after ?? null;
  for (let seen = 0; seen < deps.partRows; ) {
    stopIfLeft(deps.signal);
    const names = await upkeep.names(segment, after, BATCH_NAMES);
    const last = names.at(-1);
    if (last === undefined) return { sum, place: null };
    for (const name of names) sum.add(name, 0);
    seen += names.length;
    after = last;
  }
  return { sum, place: after === null ? null : { after, sum: sum.state() } };
}

/** A row that says SEALED without an entry of the ledger. */
async function withoutEntry(
  { context }: VerifiedTenant,
  segments: readonly SegmentRow[],
  findings: PartFindings,
): Promise<void> {
  for (const { _id: segment, state } of segments) {
    if (state !== 'SEALED') continue;
    const query = { source_system: '_system', source_record_id: segment, limit: 1, ascending: true };
    if ((await context.ledger.list(query)).length > 0) continue;
    findings.report([
      wholeBreak('SEGMENT_MISMATCH', `Segment ${segment}: no entry of the ledger says that it is sealed.`),
    ]);
  }
}
