import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { isProblem } from '../../../shared/errors/problem.js';
import { NOTE_SIGNATURE, type NoteKey, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import type { RegressReason } from './domain.js';
import type { CheckpointFiles, CheckpointPlace, Contradiction } from './ports/checkpoint-sinks.js';
import type { CheckpointRow } from './ports/tree-store.js';

/** Publishing would contradict an earlier checkpoint, or the earlier checkpoint is unreadable. */
export class Regress extends Error {
  readonly reason: RegressReason;
  /** The witness with the view that the tree contradicts. */
  readonly by: Contradiction | null;

  constructor(reason: RegressReason, by: Contradiction | null = null) {
    super(`publishing is blocked: ${reason}`);
    this.reason = reason;
    this.by = by;
  }
}

/** @throws Regress for the first contradiction. */
export function refuseContradicted(contradictions: readonly Contradiction[]): void {
  const [by] = contradictions;
  if (by) throw new Regress(by.size === null ? 'WITNESS_DISAGREES' : 'WITNESS_AHEAD', by);
}

/** Size and root that the next checkpoint must extend: of a note with a valid signature, or of the signer's own record. */
export type Baseline = Pick<TrustedCheckpoint, 'size' | 'root'>;

/** What the next checkpoint must extend. */
interface Baselines {
  readonly all: readonly Baseline[];
  /** What the signer signed last; null before its first note of this origin. */
  readonly signer: Baseline | null;
}

export interface BaselineDeps {
  readonly signingKeys: SigningKeys;
  /** Null if no folder is configured. */
  readonly files: CheckpointFiles | null;
}

interface BaselineInput {
  readonly origin: string;
  readonly place: CheckpointPlace;
  /** Checkpoints of this incarnation. */
  readonly last: CheckpointRow | null;
  /** The current signing key. */
  readonly activeKey: NoteKey;
}

/**
 * Returns every known tree of this incarnation: the last of the database, of the folder and of the signer. A database or
 * a folder that was set back does not take the others along; so each of them counts, also where two have one size.
 *
 * @throws Regress
 */
export async function baselinesOf(deps: BaselineDeps, input: BaselineInput): Promise<Baselines> {
  const { origin, last, activeKey, place } = input;
  const lastKey = last ? await keyOf(deps.signingKeys, last, origin).catch(unknownKey) : null;
  if (last && !lastKey) return refuse('LAST_NOTE_INVALID');
  const stored = last && lastKey ? readStored(last, lastKey, origin) : null;
  const fileNote = deps.files ? await deps.files.latest(place) : null;
  const keys = lastKey && !lastKey.id.equals(activeKey.id) ? [activeKey, lastKey] : [activeKey];
  const filed = fileNote === null ? null : (opened(fileNote, keys, origin) ?? refuse('FILE_NOTE_INVALID'));
  const signed = await deps.signingKeys.lastSigned(origin);
  const signer = signed && { size: signed.size, root: Buffer.from(signed.root, 'hex') };
  return { all: [stored, filed, signer].filter((known) => known !== null), signer };
}

/** Returns the key of a published checkpoint as notes name it. */
export async function keyOf(signingKeys: SigningKeys, row: Pick<CheckpointRow, 'key_id'>, origin: string) {
  const { public_key } = await signingKeys.publicKey(row.key_id);
  return noteKey(origin, NOTE_SIGNATURE, Buffer.from(public_key.x, 'base64url'));
}

/** Compares the row with its note. */
function readStored(last: CheckpointRow, key: NoteKey, origin: string): Baseline {
  const body = opened(last.note, [key], origin);
  if (body?.size !== last.tree_size || body.root.toString('hex') !== last.root_hash) return refuse('LAST_NOTE_INVALID');
  return body;
}

function opened(note: string, logKeys: readonly NoteKey[], origin: string): Baseline | undefined {
  try {
    return openCheckpoint(note, { logKeys, origin });
  } catch (error) {
    if (error instanceof NoteFault) return undefined;
    throw error;
  }
}

/** No key of the service has signed such a note. */
function unknownKey(error: unknown): null {
  if (isProblem(error, 'NOT_FOUND')) return null;
  throw error;
}

function refuse(reason: RegressReason): never {
  throw new Regress(reason);
}
