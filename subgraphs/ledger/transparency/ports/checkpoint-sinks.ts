import type { NoteSignature } from '../../../../shared/notes/signed-note.js';

/** The tree of a note, as its folder is named. */
export interface CheckpointPlace {
  readonly logId: string;
  readonly incarnation: number;
}

/** Notes in files outside the database: restoring the database does not restore them. */
export interface CheckpointFiles {
  /** Returns the last note written; null if there is none. */
  latest(place: CheckpointPlace): Promise<string | null>;
  /** Resolves when durable. */
  write(place: CheckpointPlace, note: string): Promise<void>;
}

/** The content that witnesses sign. */
export interface CosignRequest {
  readonly origin: string;
  readonly size: number;
  /** The note's text, and the note with the log's own signature. */
  readonly text: string;
  readonly note: string;
  /** The size that witnesses have probably seen last. */
  readonly likelySize: number;
  /** Returns the consistency proof of an earlier size with this one. */
  proofFrom(size: number): Promise<readonly Uint8Array[]>;
}

/** A witness has seen another history of the log. `size`: the larger tree that it has seen; null where the proof failed. */
export interface Contradiction {
  readonly witness: string;
  readonly size: number | null;
}

export interface Cosigned {
  /** Verified signatures, one per witness. */
  readonly signatures: readonly NoteSignature[];
  readonly contradictions: readonly Contradiction[];
  /** True if fewer witnesses cosigned than required. */
  readonly short: boolean;
}

export interface Witnesses {
  readonly names: readonly string[];
  /** Asks all witnesses at once; never throws, and takes a bounded time. */
  cosign(request: CosignRequest): Promise<Cosigned>;
  /**
   * Shows the log's last note to each witness that this process has not compared with it yet, so that a history that was
   * set back is found before anything new is signed. Never throws, and takes a bounded time.
   */
  compare(last: CosignRequest): Promise<readonly Contradiction[]>;
}
