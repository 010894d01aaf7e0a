import { sha256 } from '../../shared/crypto/hash.js';
import { TreeView } from '../../shared/merkle/tree-view.js';
import { formatCheckpoint } from '../../shared/notes/checkpoint.js';
import { formatNote } from '../../shared/notes/signed-note.js';
import { formatWitnessRequest } from '../../shared/notes/witness-request.js';
import { MemoryTiles } from '../shared/merkle/memory-tiles.js';
import { Signer } from '../shared/notes/signer.js';

export const ORIGIN = 'eas.example/eas/log_1/inc-1';

/** A log of `size` entries; `fork` names another history of it. */
export class StandInLog {
  readonly signer: Signer;
  readonly #view: TreeView;

  constructor(size: number, { origin = ORIGIN, fork = '', forkAt = 0, key = 1 } = {}) {
    this.signer = new Signer(origin, key);
    const entries = Array.from({ length: size }, (_, n) => sha256(n < forkAt ? `entry ${n}` : `entry ${fork}${n}`));
    this.#view = new TreeView(new MemoryTiles(entries));
  }

  async text(size: number): Promise<string> {
    return formatCheckpoint({ origin: this.signer.name, size, root: await this.#view.rootAt(size) });
  }

  async note(size: number): Promise<string> {
    const text = await this.text(size);
    return formatNote({ text, signatures: [this.signer.sign(text)] });
  }

  proof(from: number, to: number): Promise<readonly Buffer[]> {
    return this.#view.consistencyProof(from, to);
  }

  /** A request to cosign the tree of `size` after that of `oldSize`. */
  async request(oldSize: number, size: number): Promise<string> {
    const proof = oldSize <= size ? await this.proof(oldSize, size) : [];
    return formatWitnessRequest({ oldSize, proof, checkpoint: await this.note(size) });
  }
}
