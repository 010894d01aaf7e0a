import { EMPTY_ROOT } from '../shared/merkle/hashes.js';
import { verifyConsistency } from '../shared/merkle/verify-proofs.js';
import { type CheckpointBody, parseCheckpoint } from '../shared/notes/checkpoint.js';
import { cosignedMessage, timestampedSignature } from '../shared/notes/cosignature.js';
import type { NoteKey } from '../shared/notes/note-keys.js';
import { openCheckpoint } from '../shared/notes/open-checkpoint.js';
import { NoteFault, parseNote, signatureLine } from '../shared/notes/signed-note.js';
import { parseWitnessRequest, SIZE_TYPE, type WitnessRequest } from '../shared/notes/witness-request.js';

/** The last tree of an origin that the witness has seen. */
type SeenTree = Pick<CheckpointBody, 'size' | 'root'>;

/** Stores the last cosigned checkpoint of each origin. */
export interface WitnessState {
  /** Returns null for an origin without a cosigned checkpoint. */
  seen(origin: string): Promise<SeenTree | null>;
  /** Stores the note, durable when it resolves; called before the cosignature is sent. */
  remember(origin: string, note: string): Promise<void>;
}

interface WitnessDeps {
  readonly key: NoteKey;
  readonly sign: (message: Uint8Array) => Buffer;
  readonly nowMs: () => number;
  readonly state: WitnessState;
  /** Trusted keys by origin. */
  readonly logs: ReadonlyMap<string, readonly NoteKey[]>;
}

export interface WitnessAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
}

const TEXT = 'text/plain; charset=utf-8';
const refusal = (status: number, body: string): WitnessAnswer => ({ status, body: `${body}\n`, contentType: TEXT });
const conflict = (size: number): WitnessAnswer => ({ status: 409, body: `${size}\n`, contentType: SIZE_TYPE });

/**
 * Cosigns checkpoints by C2SP tlog-witness: a checkpoint must be signed by its log and extend the last cosigned one. Requests
 * of one origin run in sequence, so that a larger tree is never overwritten.
 */
export class Witness {
  readonly #deps: WitnessDeps;
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(deps: WitnessDeps) {
    this.#deps = deps;
  }

  async addCheckpoint(body: string): Promise<WitnessAnswer> {
    try {
      const request = parseWitnessRequest(body);
      const { origin } = parseCheckpoint(parseNote(request.checkpoint).text);
      const logKeys = this.#deps.logs.get(origin);
      if (!logKeys) return refusal(404, 'no such log');
      return await this.#inTurn(origin, () => this.#judge(origin, logKeys, request));
    } catch (error) {
      if (error instanceof NoteFault) return refusal(400, error.message);
      throw error;
    }
  }

  #inTurn<T>(origin: string, task: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(origin) ?? Promise.resolve();
    const turn = before.then(task);
    // The next request waits for this one, after success and failure alike.
    this.#queues.set(
      origin,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async #judge(origin: string, logKeys: readonly NoteKey[], request: WitnessRequest): Promise<WitnessAnswer> {
    const trusted = trustedCheckpoint(request.checkpoint, logKeys, origin);
    if (trusted === null) return refusal(403, 'not signed by this log');
    const { size, root, text } = trusted;
    const { oldSize, proof } = request;
    if (oldSize > size) return refusal(400, 'the old size is larger than the checkpoint');
    const seen = (await this.#deps.state.seen(origin)) ?? { size: 0, root: EMPTY_ROOT };
    if (oldSize !== seen.size) return conflict(seen.size);
    if (oldSize === size && !root.equals(seen.root)) return conflict(seen.size);
    const claim = { first: seen.size, firstRoot: seen.root, second: size, secondRoot: root, proof };
    if (!verifyConsistency(claim)) return refusal(422, 'the consistency proof does not hold');
    await this.#deps.state.remember(origin, request.checkpoint);
    return { status: 200, body: this.#cosign(text), contentType: TEXT };
  }

  #cosign(text: string): string {
    const { key, sign, nowMs } = this.#deps;
    const timeSeconds = Math.floor(nowMs() / 1_000);
    const signature = timestampedSignature(timeSeconds, sign(cosignedMessage(text, timeSeconds)));
    return signatureLine({ name: key.name, keyId: key.id, signature });
  }
}

function trustedCheckpoint(note: string, logKeys: readonly NoteKey[], origin: string) {
  try {
    return openCheckpoint(note, { logKeys, origin });
  } catch (error) {
    if (error instanceof NoteFault) return null;
    throw error;
  }
}
