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

export interface Cosigned {
  /** Verified signatures, one per witness. */
  readonly signatures: readonly NoteSignature[];
  /** Witnesses that report a larger tree of this origin. */
  readonly ahead: readonly { readonly witness: string; readonly size: number }[];
  /** True if fewer witnesses cosigned than required. */
  readonly short: boolean;
}

export interface Witnesses {
  readonly names: readonly string[];
  /** Asks all witnesses at once; never throws, and takes a bounded time. */
  cosign(request: CosignRequest): Promise<Cosigned>;
}
