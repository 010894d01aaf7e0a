import { isoTime } from '../../../shared/clock/clock.js';
import {
  type KnownAnchoring,
  type LedgerAnchor,
  type LedgerAnchoring,
  NO_ANCHORS,
  OUTSIDE_ANCHORS,
  verdictOf,
} from '../../../shared/contracts/ledger-verification.js';
import { isProblem } from '../../../shared/errors/problem.js';
import { NOTE_SIGNATURE, type NoteKey, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import { sound } from '../../../shared/records/sound-rows.js';
import type { CheckpointRow } from '../transparency/index.js';
import { PartFindings, type VerifiedTenant, type VerifyDeps, type VerifyInput, wholeBreak } from './verify-state.js';
import { publicKeyOf } from './verify-tree.js';

/**
 * Finds what holds a ledger to its history (docs/verification.md "Anchors"): outside this machine a witness, a time-stamp
 * or the caller's own note, on it the signer and the checkpoint folder. Runs after the tree was compared with every checkpoint.
 *
 * Reports an open CHECKPOINT_REGRESS, and an anchor on this machine that contradicts a checkpoint.
 */
export async function findAnchors(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  input: VerifyInput,
  findings: PartFindings,
): Promise<LedgerAnchoring> {
  const latest = await sound(() => tenant.tree.latestCheckpoint());
  const caller = callerAnchor(input, deps.clock.nowMs());
  if (!latest) return anchoringOf(caller);
  const { tenantId } = tenant.context;
  if (await deps.anchors.isRegressed(tenantId, latest.incarnation)) {
    const detail = 'The exception CHECKPOINT_REGRESS is open: the tree does not extend every known note.';
    findings.report([wholeBreak('CHECKPOINT_REGRESS', detail)]);
  }
  const witnessed = await witnessAnchors(deps, tenant, latest);
  const stamped = await stampAnchor(deps, tenant, latest, findings);
  const local = [
    await signerAnchor(deps, tenant, latest, findings),
    await folderAnchor(deps, tenant, latest, findings),
  ];
  const found = [stamped, ...local].filter((anchor) => anchor !== null);
  return anchoringOf([...caller, ...witnessed, ...found]);
}

/** What holds a ledger to its history now; nothing where an anchor on this machine contradicts a checkpoint. */
export async function knownAnchors(deps: VerifyDeps, tenant: VerifiedTenant): Promise<KnownAnchoring> {
  const findings = new PartFindings({ listed: 0, unlisted: 0 });
  const found = await findAnchors(deps, tenant, {}, findings);
  const hasBreaks = findings.breaks.length > 0;
  return { ...(hasBreaks ? NO_ANCHORS : found), verdict: verdictOf(hasBreaks, found.is_anchored) };
}

/** The tree was compared with the caller's note on the way; a difference is a break. */
function callerAnchor({ known_size: tree_size }: VerifyInput, nowMs: number): readonly LedgerAnchor[] {
  return tree_size === undefined ? [] : [{ kind: 'CALLER', name: null, tree_size, at: isoTime(nowMs) }];
}

async function witnessAnchors(
  deps: VerifyDeps,
  { tree }: VerifiedTenant,
  { incarnation }: CheckpointRow,
): Promise<readonly LedgerAnchor[]> {
  const { anchors } = deps;
  const row = anchors.witnesses.length === 0 ? null : await sound(() => tree.latestCosigned(incarnation));
  if (!row) return [];
  const key = await publicKeyOf(deps, row.key_id);
  if (key === null) return [];
  const logKey = noteKey(row.origin, NOTE_SIGNATURE, Buffer.from(key.public_key.x, 'base64url'));
  const body = opened(row.note, row.origin, logKey, anchors.witnesses);
  if (body?.size !== row.tree_size || body.root.toString('hex') !== row.root_hash) return [];
  const at = isoTime(row.published_at.getTime());
  return body.witnesses.map((name) => ({ kind: 'WITNESS', name, tree_size: body.size, at }));
}

async function stampAnchor(
  { anchors }: VerifyDeps,
  tenant: VerifiedTenant,
  { incarnation }: CheckpointRow,
  findings: PartFindings,
): Promise<LedgerAnchor | null> {
  const stamp = await sound(() => anchors.stamped(tenant, incarnation));
  if (!stamp) return null;
  if ('fault' in stamp) {
    findings.notChecked.push({ what: 'the time-stamp of a checkpoint', why: stamp.fault });
    return null;
  }
  return { kind: 'TIME_STAMP', name: stamp.authority, tree_size: stamp.tree_size, at: stamp.at };
}

async function signerAnchor(
  { signingKeys }: VerifyDeps,
  tenant: VerifiedTenant,
  { origin }: CheckpointRow,
  findings: PartFindings,
): Promise<LedgerAnchor | null> {
  const last = await signingKeys.lastSigned(origin).catch((error: unknown) => {
    if (!isProblem(error, 'UNAVAILABLE')) throw error;
    findings.notChecked.push({ what: "the signer's last note", why: 'The signer does not answer.' });
    return null;
  });
  if (last === null) return null;
  return agreed(tenant, { kind: 'SIGNER', name: null, tree_size: last.size, at: last.signed_at }, last.root, findings);
}

async function folderAnchor(
  { anchors }: VerifyDeps,
  tenant: VerifiedTenant,
  { origin, incarnation }: CheckpointRow,
  findings: PartFindings,
): Promise<LedgerAnchor | null> {
  const note = await anchors.filed({ logId: tenant.logId, incarnation }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error;
    findings.notChecked.push({ what: 'the checkpoint folder', why: 'It cannot be read.' });
    return null;
  });
  if (note === null) return null;
  const row = await sound(() => tenant.tree.checkpointOfNote(incarnation, note));
  if (row === undefined) return null;
  if (row === null) {
    const detail = `The checkpoint folder holds a note of ${origin} that is not among the checkpoints.`;
    findings.report([wholeBreak('CHECKPOINT_MISMATCH', detail)]);
    return null;
  }
  const at = isoTime(row.published_at.getTime());
  return { kind: 'FOLDER', name: null, tree_size: row.tree_size, at };
}

/** A signature without its checkpoint, after a crash, contradicts nothing. */
async function agreed(
  { tree }: VerifiedTenant,
  anchor: LedgerAnchor,
  root: string,
  findings: PartFindings,
): Promise<LedgerAnchor> {
  const latest = await sound(() => tree.latestCheckpoint());
  const row = latest && (await sound(() => tree.checkpointOfSize(latest.incarnation, anchor.tree_size)));
  if (row && row.root_hash !== root) {
    const detail = `The signer signed another root for the tree of ${anchor.tree_size} leaves.`;
    findings.report([wholeBreak('CHECKPOINT_MISMATCH', detail)]);
  }
  return anchor;
}

function opened(
  note: string,
  origin: string,
  logKey: NoteKey,
  witnesses: readonly NoteKey[],
): TrustedCheckpoint | undefined {
  try {
    return openCheckpoint(note, { origin, logKeys: [logKey], witnesses });
  } catch (error) {
    if (error instanceof NoteFault) return undefined;
    throw error;
  }
}

const OUTSIDE: ReadonlySet<LedgerAnchor['kind']> = new Set(OUTSIDE_ANCHORS);

function anchoringOf(anchors: readonly LedgerAnchor[]): LedgerAnchoring {
  const outside = anchors.filter(({ kind }) => OUTSIDE.has(kind)).toSorted((a, b) => b.tree_size - a.tree_size);
  const [newest] = outside;
  return {
    is_anchored: newest !== undefined,
    anchors,
    unanchored: { since_size: newest?.tree_size ?? 0, since: newest?.at ?? null },
  };
}
