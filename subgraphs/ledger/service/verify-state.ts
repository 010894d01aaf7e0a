import { equalInConstantTime, hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { SegmentSumState } from '../domain/seal-manifest.js';
import type { VerifyDepth } from '../domain/verify-depths.js';

/** What is verified, and how deep. */
export interface VerifyInput {
  readonly source_system?: string;
  readonly from_sequence?: number;
  readonly to_sequence?: number;
  readonly depth?: VerifyDepth;
  /** Size and root of a checkpoint that the caller has kept: the tree must still begin with it. */
  readonly known_size?: number;
  readonly known_root?: string;
}

/** Whether the ledger as a whole is asked for: then its tree, checkpoints and segments too. */
export const concernsWhole = ({ source_system, from_sequence = 1, to_sequence }: VerifyInput): boolean =>
  source_system === undefined && from_sequence === 1 && to_sequence === undefined;

/** Where a verification stands between two of its parts. */
export interface VerifyState {
  /** The request that it belongs to: another one cannot go on from here. */
  readonly input: VerifyInput;
  readonly checked: number;
  /** Breaks that were listed; further ones are only counted. */
  readonly listed: number;
  readonly unlisted: number;
  /** Entries that have no leaf yet. */
  readonly unassigned: number;
  readonly at: ChainsPlace | TreePlace | SegmentsPlace;
}

export interface ChainsPlace {
  readonly phase: 'CHAINS';
  /** Chains up to this name are done. */
  readonly done: string | null;
  readonly chain: ChainPlace | null;
}

/** Within a chain. */
export interface ChainPlace {
  readonly source_system: string;
  readonly from: number;
  /** Its end when it was begun: what is appended meanwhile is not waited for. */
  readonly last: number;
  readonly expected: number;
  readonly prev: string | null;
  readonly recorded_at_ms: number | null;
  readonly checked: number;
}

export interface TreePlace {
  readonly phase: 'TREE';
  readonly size: number;
  /** Hashes of the compact range. */
  readonly hashes: readonly string[];
  /** The last checkpoint compared. */
  readonly checkpoint: { readonly at_ms: number; readonly id: string; readonly number: number } | null;
  /** Checkpoints that cannot be computed from the tree as it is. */
  readonly earlier: number;
}

export interface SegmentsPlace {
  readonly phase: 'SEGMENTS';
  /** The last sealing entry compared. */
  readonly entry: { readonly at_ms: number; readonly id: string } | null;
  readonly prev_root: string | null;
  readonly walk: { readonly after: string; readonly sum: SegmentSumState } | null;
}

const SEPARATOR = '.';

/**
 * States as they travel between the parts: marked under a key of the tenant, so that nobody goes on from a state that no
 * verification of that tenant gave out.
 */
export class VerifyStates {
  readonly #key: Buffer;

  constructor(masterKey: Pick<MasterKey, 'derive'>, tenantId: string) {
    this.#key = masterKey.derive('cursor', `verify:${tenantId}`);
  }

  seal(state: VerifyState): string {
    const text = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${text}${SEPARATOR}${hmacSha256(this.#key, text).toString('base64url')}`;
  }

  /** @throws VALIDATION_ERROR */
  open(sealed: string, input: VerifyInput): VerifyState {
    const [text = '', mark = ''] = sealed.split(SEPARATOR);
    if (equalInConstantTime(Buffer.from(mark, 'base64url'), hmacSha256(this.#key, text))) {
      const state = JSON.parse(Buffer.from(text, 'base64url').toString()) as VerifyState;
      if (JSON.stringify(state.input) === JSON.stringify(input)) return state;
    }
    const errors = [fault('/state', 'state', 'Not a state that this verification gave out.')];
    throw problem('VALIDATION_ERROR', { errors });
  }
}
