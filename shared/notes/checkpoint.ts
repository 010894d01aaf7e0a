import { fromDecimal, hashFromBase64 } from './base64.js';
import { NoteFault } from './signed-note.js';

/** The text of a checkpoint (C2SP tlog-checkpoint). */
export interface CheckpointBody {
  /** Which log this is. */
  readonly origin: string;
  readonly size: number;
  /** 32 bytes. */
  readonly root: Buffer;
}

/** With its final newline. */
export const formatCheckpoint = ({ origin, size, root }: CheckpointBody): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** Extension lines are allowed and passed over: we write none. @throws NoteFault */
export function parseCheckpoint(text: string): CheckpointBody {
  const [origin, size, root, ...rest] = text.split('\n');
  const treeSize = fromDecimal(size ?? '');
  const hash = hashFromBase64(root ?? '');
  const ended = rest.at(-1) === '' && rest.slice(0, -1).every((line) => line !== '');
  if (!origin || treeSize === undefined || hash === undefined || !ended) throw new NoteFault('not a checkpoint');
  return { origin, size: treeSize, root: hash };
}

/** An inclusion proof with the checkpoint that it leads to (C2SP tlog-proof). */
interface TlogProof {
  readonly index: number;
  /** From the leaf's sibling up. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

export const formatTlogProof = ({ index, hashes, checkpoint }: TlogProof): string =>
  [FIRST_LINE, `index ${index}`, ...hashes.map((hash) => Buffer.from(hash).toString('base64')), '', checkpoint].join(
    '\n',
  );
