import type { SigningKeys } from '../../../shared/contracts/signing-keys.js';
import { NOTE_SIGNATURE, type NoteKey, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import type { RegressReason } from '../domain/checkpoint-origin.js';
import type { CheckpointFiles, CheckpointPlace } from './ports/checkpoint-sinks.js';
import type { CheckpointRow } from './ports/tree-store.js';

/** Publishing would contradict what was published, or what was published cannot be read. */
export class Regress extends Error {
  readonly reason: RegressReason;

  constructor(reason: RegressReason) {
    super(`publishing is refused: ${reason}`);
    this.reason = reason;
  }
}

/** What the next checkpoint must extend: size and root, from a note whose signature holds. */
export type Baseline = Pick<TrustedCheckpoint, 'size' | 'root'>;

export interface BaselineDeps {
  readonly signingKeys: SigningKeys;
  /** Null where no folder is configured. */
  readonly files: CheckpointFiles | null;
}

export interface BaselineInput {
  readonly origin: string;
  readonly place: CheckpointPlace;
  /** Of this incarnation. */
  readonly last: CheckpointRow | null;
  /** The key that signs now. */
  readonly activeKey: NoteKey;
}

/**
 * The largest tree of this incarnation that was published: by the database, and by the file where there is one, which a
 * database set back to an earlier state does not take along. Null before the first. @throws Regress
 */
export async function baselineOf(deps: BaselineDeps, input: BaselineInput): Promise<Baseline | null> {
  const { origin, last, activeKey, place } = input;
  const lastKey = last ? await keyOf(deps.signingKeys, last, origin) : null;
  const stored = last && lastKey ? readStored(last, lastKey, origin) : null;
  const fileNote = deps.files ? await deps.files.latest(place) : null;
  if (fileNote === null) return stored;
  const keys = lastKey && !lastKey.id.equals(activeKey.id) ? [activeKey, lastKey] : [activeKey];
  const filed = opened(fileNote, keys, origin) ?? refuse('FILE_NOTE_INVALID');
  if (stored && stored.size >= filed.size) return stored;
  return filed;
}

/** The key of a published checkpoint, as notes name it. */
export async function keyOf(signingKeys: SigningKeys, row: Pick<CheckpointRow, 'key_id'>, origin: string) {
  const { public_key } = await signingKeys.publicKey(row.key_id);
  return noteKey(origin, NOTE_SIGNATURE, Buffer.from(public_key.x, 'base64url'));
}

/** The row beside the note must say what the note says. */
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

function refuse(reason: RegressReason): never {
  throw new Regress(reason);
}
