import { asProblem } from '../../../shared/errors/unexpected.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { SegmentRow, SegmentSeal } from '../../../shared/worm/segment-directory.js';
import type { LedgerRow } from '../domain/ledger-row.js';
import { differencesFromSeal, SegmentSum, sealIsSigned } from '../domain/seal-manifest.js';
import type { Break } from '../domain/verify-chain.js';
import { DROP_TYPE } from './drop-segments.js';
import { SEAL_TYPE } from './seal-segments.js';
import { type PartFindings, type VerifiedTenant, type VerifyDeps, wholeBreak } from './verify-part.js';
import type { SegmentsPlace } from './verify-state.js';

const BATCH_NAMES = 2_000;

/**
 * Goes on along the sealed segments, as the ledger's own entries name them: signature, root of the segment before, and
 * which records there are. @returns null at the end.
 */
export async function verifySegmentsPart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  place: SegmentsPlace,
  findings: PartFindings,
): Promise<SegmentsPlace | null> {
  const entry = await nextEntry(tenant, place);
  const segments = await tenant.upkeep.segments();
  if (!entry) {
    await withoutEntry(tenant, segments, findings);
    return null;
  }
  const { segment, seal } = sealOf(entry);
  const row = segments.find(({ _id }) => _id === segment);
  const say = (kind: Break['kind'], detail: string): void =>
    findings.report([wholeBreak(kind, `Segment ${segment}: ${detail}`)]);
  if (place.walk === null) {
    for (const [kind, detail] of await sealFaults(deps, tenant, segment, seal, row, place.prev_root)) say(kind, detail);
  }
  const after = { phase: 'SEGMENTS', entry: placeOf(entry), prev_root: seal.merkle_root, walk: null } as const;
  if (row?.state === 'DROPPED') {
    if (!(await isDropExplained(tenant, segment))) say('SEGMENT_MISMATCH', 'it is gone, and no entry says why.');
    return after;
  }
  const walk = await walkNames(deps, tenant, segment, place.walk);
  if (walk.place) return { ...place, walk: walk.place };
  // Sizes are not read with the names; full verification and the scrub read the bytes.
  const differs = differencesFromSeal(seal, { ...walk.sum.content(), bytes: seal.bytes });
  // It may have been dropped while its names were read.
  if (differs.length > 0 && !(await isDropExplained(tenant, segment))) {
    say('SEGMENT_MISMATCH', `${differs.join(', ')} differ from what was sealed.`);
  }
  return after;
}

const placeOf = ({ query, event_id }: LedgerRow) => ({ at_ms: query?.effective_at.getTime() ?? 0, id: event_id });

/** Whether the ledger says that retention dropped the segment. */
async function isDropExplained({ context }: VerifiedTenant, segment: string): Promise<boolean> {
  const named = { source_system: '_system', source_record_id: `${segment}/dropped`, event_type: DROP_TYPE };
  return (await context.ledger.list({ ...named, limit: 1, ascending: true })).length > 0;
}

async function nextEntry({ context }: VerifiedTenant, { entry }: SegmentsPlace): Promise<LedgerRow | undefined> {
  const [row] = await context.ledger.list({
    source_system: '_system',
    event_type: SEAL_TYPE,
    ...(entry ? { after: { atMs: entry.at_ms, id: entry.id } } : {}),
    limit: 1,
    ascending: true,
  });
  return row;
}

interface Sealed {
  readonly segment: string;
  readonly seal: SegmentSeal;
}

/** The record's own form is judged with its chain; what is no seal there differs from every segment here. */
function sealOf({ record }: LedgerRow): Sealed {
  const members: unknown = record === undefined ? {} : JSON.parse(record.toString('utf8'));
  const payload = isJsonObject(members) ? (members['payload'] as JsonObject | undefined) : undefined;
  const { segment, ...seal } = (payload ?? {}) as unknown as SegmentSeal & { readonly segment?: string };
  return { segment: String(segment), seal };
}

type Fault = readonly [Break['kind'], string];

async function sealFaults(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  segment: string,
  seal: SegmentSeal,
  row: SegmentRow | undefined,
  prevRoot: string | null,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const unsigned = await signatureFault(deps, tenant.context.tenantId, segment, seal);
  if (unsigned !== null) faults.push(['SEGMENT_SIGNATURE', unsigned]);
  if (seal.prev_segment_root !== prevRoot) {
    faults.push(['SEGMENT_MISMATCH', 'it does not name the root of the segment that was sealed before it.']);
  }
  const same = row?.seal !== undefined && canonicalJson({ ...row.seal }) === canonicalJson({ ...seal });
  if (!same) faults.push(['SEGMENT_MISMATCH', "its row is gone or has another seal than the ledger's entry."]);
  return faults;
}

async function signatureFault(
  deps: VerifyDeps,
  tenantId: string,
  segment: string,
  seal: SegmentSeal,
): Promise<string | null> {
  try {
    const key = await deps.signingKeys.publicKey(seal.signing_key_id);
    if (key.purpose !== 'SEGMENT' || key.tenant_id !== tenantId) return 'its key is of another purpose or tenant.';
    if (key.revocation && key.revocation.effective_at <= seal.sealed_at)
      return 'its key was revoked when it was sealed.';
    return sealIsSigned(segment, seal, key.public_key) ? null : 'its manifest is not signed by the key that it names.';
  } catch (error) {
    if (asProblem(error).code !== 'NOT_FOUND') throw error;
    return 'the key that it names is not known.';
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
