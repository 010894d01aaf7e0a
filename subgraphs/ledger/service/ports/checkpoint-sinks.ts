import type { NoteSignature } from '../../../../shared/notes/signed-note.js';

/** The tree that a note is about, as its folder is named. */
export interface CheckpointPlace {
  readonly logId: string;
  readonly incarnation: number;
}

/** Notes in files outside the database: a rollback of the database does not take them along. */
export interface CheckpointFiles {
  /** The last note written; null for none. */
  latest(place: CheckpointPlace): Promise<string | null>;
  /** Durable when it resolves. */
  write(place: CheckpointPlace, note: string): Promise<void>;
}

/** What witnesses are asked to sign. */
export interface CosignRequest {
  readonly origin: string;
  readonly size: number;
  /** The note's text, and the note with the log's own signature. */
  readonly text: string;
  readonly note: string;
  /** The size that witnesses are likely to have seen last. */
  readonly likelySize: number;
  /** Consistency of an earlier size with this one. */
  proofFrom(size: number): Promise<readonly Uint8Array[]>;
}

export interface Cosigned {
  /** Verified signatures, one a witness. */
  readonly signatures: readonly NoteSignature[];
  /** Witnesses that say they have seen a larger tree of this origin than there is. */
  readonly ahead: readonly { readonly witness: string; readonly size: number }[];
  /** Fewer than the deployment asks for. */
  readonly short: boolean;
}

export interface Witnesses {
  readonly names: readonly string[];
  /** Asks all at once; never fails, and takes a bounded time. */
  cosign(request: CosignRequest): Promise<Cosigned>;
}
